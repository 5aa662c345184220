package runtime

// timeline says when a device's work begins and ends, in µs of simulated time since the program's start. Work is handed to it in the order
// of the program's calls, when it has been carried out.
type timeline interface {
	// kernel places a kernel that took so long by itself.
	kernel(st *stream, us float64) (begin, end float64)
	// copy places a copy; pinned tells whether the copy engine does it alone, async whether the host goes on meanwhile.
	copy(st *stream, bytes uint64, way direction, pinned, async bool) (begin, end float64)
	// fill places a cudaMemset.
	fill(st *stream, bytes uint64) (begin, end float64)
	// record stamps an event, after has a stream wait for one.
	record(st *stream, e *event)
	after(st *stream, e *event)
	// wait, waitEvent and waitAll let the host's clock come to the end of a stream, an event, the device.
	wait(st *stream)
	waitEvent(e *event)
	waitAll()
	end() float64
}

// clock is the host's simulated time, µs: how far the program has come.
type clock struct{ now float64 }

// Figures of host and link, measured on Tesla K80 and K40c under PCIe 3.0.
const (
	launchUS        = 5.7    // an asynchronous launch (K80)
	launchLatencyUS = 12.0   // from the call to the kernel's start and back (K80, a synchronous empty kernel)
	callUS          = 1.0    // any other call
	pinnedMBps      = 11341. // K80
	pageableMBps    = 2910.  // K40c: 16 MiB in 5.769 ms
	withinMBps      = 141485. / 2
	fillMBps        = 66200. // K80: 768 KiB in 11.87 µs
	copyLatencyUS   = 5.0
)

// sequential runs one thing after the other, whatever its stream, as a device with one queue does.
type sequential struct {
	host *clock
	busy float64 // when the last work ends
}

func newSequential(host *clock) timeline { return &sequential{host: host, busy: host.now} }

// place puts work of a length behind what is there.
func (t *sequential) place(st *stream, us float64) (begin, end float64) {
	begin = max(t.busy, t.host.now, st.end)
	t.busy = begin + us
	st.end = t.busy
	return begin, t.busy
}

func (t *sequential) kernel(st *stream, us float64) (begin, end float64) {
	t.host.now += launchUS
	st.end = max(st.end, t.host.now+launchLatencyUS-launchUS)
	return t.place(st, us)
}

func (t *sequential) copy(st *stream, bytes uint64, way direction, pinned, async bool) (begin, end float64) {
	t.host.now += callUS
	rate := pageableMBps
	switch {
	case way == withinDevice:
		rate = withinMBps
	case pinned:
		rate = pinnedMBps
	}
	begin, end = t.place(st, copyLatencyUS+float64(bytes)/rate)
	if way != withinDevice && (!async || !pinned) {
		t.host.now = end
	}
	return begin, end
}

func (t *sequential) fill(st *stream, bytes uint64) (begin, end float64) {
	t.host.now += callUS
	return t.place(st, float64(bytes)/fillMBps)
}

func (t *sequential) record(st *stream, e *event) {
	t.host.now += callUS
	e.at, e.recorded = max(t.host.now, st.end), true
	if st.number == 0 {
		e.at = max(t.host.now, t.busy)
	}
}

func (t *sequential) after(st *stream, e *event) { st.end = max(st.end, e.at) }
func (t *sequential) wait(st *stream)            { t.host.now = max(t.host.now, st.end) }
func (t *sequential) waitEvent(e *event)         { t.host.now = max(t.host.now, e.at) }
func (t *sequential) waitAll()                   { t.host.now = max(t.host.now, t.busy) }
func (t *sequential) end() float64               { return t.busy }
