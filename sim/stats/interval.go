package stats

// Interval is a part of a timeline: a command, a call of the host, the time in which an SMX had blocks of a grid, or that in which it
// had one of them. Times are microseconds from the host program's start.
type Interval struct {
	Kind    string // host, kernel, copy, memset, record, wait, callback, smx, block
	Name    string
	Process int
	Device  int        // -1 for the host's
	Stream  string     // "" where there is none
	Queue   int        // the connection, of commands
	Engine  string     // to device, to host, peer, within; "" for what is no copy
	Depth   int        // of a kernel that a kernel has launched, and of what such a one gave; 0 for the host's
	Parent  string     // the kernel that launched it
	SMX     int        // -1 where it is none
	Block   *[3]uint32 // the place of a block in its grid, nil for all else
	Bytes   uint64     // of a copy or memset
	Pinned  bool       // the host's side of a copy is page-locked
	Start   float64
	End     float64
	First   float64 // of a kernel, when its first block started: it waited until then; 0 for all else
}
