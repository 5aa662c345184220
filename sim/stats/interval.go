package stats

// Interval is a part of a timeline: a command, a call of the host, or the time in which an SMX had blocks of a grid or one block. Times are
// microseconds from the host program's start.
type Interval struct {
	Kind    string // host, kernel, copy, memset, record, wait, callback, smx, block
	Name    string
	Process int
	Device  int        // -1 for the host's
	Stream  string     // "" for none
	Queue   int        // the connection, of commands
	Engine  string     // to device, to host, peer, within; "" if not a copy
	Depth   int        // of a nested launch or its commands; 0 for the host's
	Parent  string     // the kernel that launched it
	SMX     int        // -1 for none
	Block   *[3]uint32 // the position of a block in its grid, nil for others
	Bytes   uint64     // of a copy or memset
	Pinned  bool       // the host's side of a copy is page-locked
	Start   float64
	End     float64
	First   float64 // of a kernel, when its first block started after waiting; 0 for others
}
