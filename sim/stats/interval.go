package stats

// Interval is a part of a timeline: a command, a call of the host, or the time in which an SMX had blocks of a grid. Times are microseconds
// from the host program's start.
type Interval struct {
	Kind    string // host, kernel, copy, memset, record, wait, callback, smx
	Name    string
	Process int
	Device  int    // -1 for the host's
	Stream  string // "" where there is none
	Queue   int    // the connection, of commands
	Engine  string // to device, to host, peer, within; "" for what is no copy
	SMX     int    // -1 where it is none
	Start   float64
	End     float64
}
