package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// threadWarp is the first thread for an SMX's warps; those of its blocks come before it.
const threadWarp = 1000

// Threads of a device's memory. Each slice or channel has lanesOfOne of them.
const (
	threadSlice   = 1000
	threadChannel = 100_000
	lanesOfOne    = 500
)

// clock converts cycles of a device to times.
type clock struct{ grids []*recording.Grid }

// newClock makes the clock of a device. Its grids are ordered by start.
func newClock(r *recording.Recording, device int) *clock {
	c := &clock{}
	for i := range r.Grids {
		if r.Grids[i].Device == device && r.Grids[i].End > r.Grids[i].Start {
			c.grids = append(c.grids, &r.Grids[i])
		}
	}
	slices.SortStableFunc(c.grids, func(a, b *recording.Grid) int { return cmp.Compare(a.Start, b.Start) })
	return c
}

// at returns when a cycle begins. It interpolates between the start and the end of the last grid that had started.
func (c *clock) at(cycle engine.Cycle) micro {
	i, _ := slices.BinarySearchFunc(c.grids, cycle, func(g *recording.Grid, at engine.Cycle) int {
		if g.Start <= at {
			return -1
		}
		return 1
	})
	if len(c.grids) == 0 {
		return 0
	}
	g := c.grids[max(0, i-1)]
	part := float64(cycle-g.Start) / float64(g.End-g.Start)
	return nanoseconds(g.FirstUS + part*(g.LastUS-g.FirstUS))
}

// recording writes the warps' activity, and the requests to memory.
func (w *writer) recording(r *recording.Recording) {
	clocks := map[int]*clock{}
	for _, t := range r.Tracks {
		if clocks[t.Device] == nil {
			clocks[t.Device] = newClock(r, t.Device)
		}
		w.track(r, t, clocks[t.Device])
	}
	for _, m := range r.Memory {
		if clocks[m.Device] == nil {
			clocks[m.Device] = newClock(r, m.Device)
		}
		w.memory(r, m, clocks[m.Device])
	}
}

// warpThread returns the thread for a warp's slot.
func warpThread(w *recording.Warp) int { return threadWarp + w.Scheduler<<6 + w.Slot }

// track writes the warps of an SMX.
func (w *writer) track(r *recording.Recording, t *recording.Track, c *clock) {
	p := smxProcess(t.Device, t.SMX)
	w.process(p, fmt.Sprintf("SMX %d", t.SMX))
	name := func(warp int32) (thread int) {
		at := &t.Warps[warp]
		thread = warpThread(at)
		w.thread(p, thread, fmt.Sprintf("scheduler %d, warp %d", at.Scheduler, at.Slot*r.Chip.Schedulers+at.Scheduler))
		return thread
	}
	for i := 0; i < len(t.Issues); i++ {
		e := &t.Issues[i]
		if e.Second {
			continue
		}
		op := r.Operation(t, e.Warp, e.Op)
		args := map[string]any{"cycle": e.Cycle, "operation": op.Text, "unit": op.Unit, "line": fmt.Sprintf("%s:%d",
			op.File, op.Line)}
		label := op.Mnemonic
		if k := i + 1; k < len(t.Issues) && t.Issues[k].Second && t.Issues[k].Warp == e.Warp && t.Issues[k].Cycle == e.Cycle {
			second := r.Operation(t, e.Warp, t.Issues[k].Op)
			label += " + " + second.Mnemonic
			args["pair"] = second.Text
		}
		w.slice(p, name(e.Warp), label, "issue", c.at(e.Cycle), c.at(e.Cycle+1), args)
	}
	for i := range t.Stalls {
		e := &t.Stalls[i]
		args := map[string]any{"cycle": e.From, "cycles": e.To - e.From, "for": r.Operation(t, e.Warp, e.Op).Text}
		if e.For != observe.None {
			args["waits for"] = e.For.String()
		}
		w.slice(p, name(e.Warp), e.Reason.String(), "stall", c.at(e.From), c.at(e.To), args)
	}
}

// memory writes the requests of a device at each level, with arrows from the access to the answer.
func (w *writer) memory(r *recording.Recording, m *recording.Memory, c *clock) {
	p := processMemory + m.Device
	w.process(p, fmt.Sprintf("memory of device %d", m.Device))
	slices.SortStableFunc(m.Flights, func(a, b observe.Flight) int { return cmp.Compare(a.Arrived, b.Arrived) })
	sliceLanes := map[int32]*lanes{}
	index := newAccessIndex(r, m.Device)
	for i := range m.Flights {
		f := &m.Flights[i]
		if sliceLanes[f.Slice] == nil {
			sliceLanes[f.Slice] = &lanes{}
		}
		from, to := c.at(f.Arrived), c.at(max(f.Served+1, f.Filled))
		lane := sliceLanes[f.Slice].take(from, to)
		thread := threadSlice + int(f.Slice)*lanesOfOne + lane
		w.thread(p, thread, fmt.Sprintf("L2 slice %d", f.Slice))
		args := map[string]any{
			"line": fmt.Sprintf("0x%x", f.Line), "sectors": f.Sectors, "SMX": f.SMX, "found": f.Found.String(),
			"source": f.Source.String(),
			"issued": f.Issued, "departed": f.Departed, "arrived": f.Arrived, "served": f.Served, "ready": f.Ready,
		}
		if f.Filled > 0 {
			args["filled"], args["row"] = f.Filled, f.Row.String()
		}
		w.slice(p, thread, f.Kind.String()+" "+f.Found.String(), "request", from, to, args)
		if origin, ok := index.of(f); ok {
			w.arrow(i, m.Device, f, origin, p, thread, c)
		}
	}
	slices.SortStableFunc(m.Bursts, func(a, b observe.Burst) int { return cmp.Compare(a.Decided, b.Decided) })
	channelLanes := map[int32]*lanes{}
	for i := range m.Bursts {
		b := &m.Bursts[i]
		if channelLanes[b.Channel] == nil {
			channelLanes[b.Channel] = &lanes{}
		}
		from, to := c.at(b.Decided), c.at(b.Done)
		lane := channelLanes[b.Channel].take(from, to)
		thread := threadChannel + int(b.Channel)*lanesOfOne + lane
		w.thread(p, thread, fmt.Sprintf("DRAM channel %d", b.Channel))
		label := "read, row " + b.State.String()
		if b.Write {
			label = "write, row " + b.State.String()
		}
		w.slice(p, thread, label, "dram", from, to, map[string]any{"bank": b.Bank, "row": b.Row, "slice": b.Slice,
			"line": fmt.Sprintf("0x%x", b.Line)})
	}
}

// arrow writes a request's arrow: from the warp that asked, through its slice of L2, back to the warp when the answer arrives.
func (w *writer) arrow(number, device int, f *observe.Flight, origin access, process, thread int, c *clock) {
	id := fmt.Sprintf("request %d.%d", device, number)
	flow := func(phase string, process, thread int, at micro) {
		e := event{Phase: phase, Name: "request", Category: "request", Process: process, Thread: thread, Time: at, ID: id}
		if phase == "f" {
			e.Bind, e.Args = "e", map[string]any{"cycle": f.Ready}
		}
		w.add(e)
	}
	smx := smxProcess(device, f.SMX)
	arrival := c.at(f.Ready)
	if f.Kind == stats.RequestStore || f.Kind == stats.RequestReduction {
		arrival-- // the warp may end with its last acknowledgement, but an arrow must end within a span
	}
	if arrival >= w.ends[[2]int{smx, origin.thread}] {
		return // it arrives after the end of the warp's recorded spans
	}
	flow("s", smx, origin.thread, c.at(origin.cycle))
	flow("t", process, thread, c.at(f.Arrived))
	flow("f", smx, origin.thread, arrival)
}

// access is the access that a request belongs to.
type access struct {
	thread int
	cycle  engine.Cycle
}

// accessIndex finds the accesses of requests: the latest with the request's tag before the request left.
type accessIndex struct {
	byTag map[tagKey][]access
	byOp  map[operationKey][]access // for requests by the SMX's caches
}

// operationKey is an operation of a warp.
type operationKey struct {
	smx      int
	warp, op int32
}

type tagKey struct {
	smx int
	tag uint64
}

func newAccessIndex(r *recording.Recording, device int) *accessIndex {
	a := &accessIndex{byTag: map[tagKey][]access{}, byOp: map[operationKey][]access{}}
	for _, t := range r.Tracks {
		if t.Device != device {
			continue
		}
		for i := range t.Accesses {
			e := &t.Accesses[i]
			warp := &t.Warps[e.Warp]
			by, origin := tagKey{t.SMX, e.Tag}, access{warpThread(warp), e.Cycle}
			a.byTag[by] = append(a.byTag[by], origin)
			op := operationKey{t.SMX, int32(warp.Slot*r.Chip.Schedulers + warp.Scheduler), e.Op}
			a.byOp[op] = append(a.byOp[op], origin)
		}
	}
	return a
}

// of returns the access that a flight belongs to.
func (a *accessIndex) of(f *observe.Flight) (access, bool) {
	list := a.byTag[tagKey{f.SMX, f.Tag}]
	switch f.Kind {
	case stats.RequestFill:
		list = a.byOp[operationKey{f.SMX, f.Warp, f.Op}]
	case stats.RequestWriteBack:
		return access{}, false
	}
	i, _ := slices.BinarySearchFunc(list, f.Issued, func(e access, at engine.Cycle) int {
		if e.cycle <= at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return access{}, false
	}
	return list[i-1], true
}
