package engine

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/record"
	"github.com/keplersim/keplersim/sim/stats"
)

// Watch asks for the activity of one SMX, cycle by cycle.
type Watch struct {
	SMX int `json:"smx"`
	// From is the first cycle, counted from the launch's start; Cycles is their number, at most mostWatched.
	From   int64 `json:"from"`
	Cycles int64 `json:"cycles"`
	// Follow also asks for the registers of one warp; nil for none.
	Follow *Follow `json:"follow,omitempty"`
}

// Follow names a warp of the first launch that runs on the watched SMX.
type Follow struct {
	Block uint64 `json:"block"` // its number in x, y, z order
	Warp  int    `json:"warp"`  // its index in the block
}

// mostWatched bounds the cycles for a page, which draws them one by one.
const mostWatched = 20_000

// Watched is the activity of one SMX in a launch's window. Cycles count from the launch's start. Lists of numbers are rows; the comments
// name their columns. Warps, operations, reasons, and the names of lookups and rows are indices from 0.
type Watched struct {
	Kernel string `json:"kernel"`
	SMX    int    `json:"smx"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`  // the cycle after the last
	End    int64  `json:"end"` // of the launch
	// Schedulers is the SMX's number of schedulers, Slots the warp slots of each.
	Schedulers int                `json:"schedulers"`
	Slots      int                `json:"slots"`
	Operations []WatchedOperation `json:"operations"`
	Warps      []WatchedWarp      `json:"warps"`
	Reasons    []string           `json:"reasons"`
	// Issues: cycle, warp, operation, active lanes, lanes whose guard holds, 1 for the second of a pair.
	Issues [][6]int64 `json:"issues"`
	// Stalls: first cycle, cycle after the last, warp, operation that waits, reason, scoreboard entry that it waits for (-1 for none;
	// registers from 0, predicates from 256, the carry 263).
	Stalls [][6]int64 `json:"stalls"`
	// Replays: cycle, warp, operation, issue slots after the cycle.
	Replays [][4]int64 `json:"replays"`
	// Lookups: cycle, warp, operation, tag of the access, source (in Sources), outcome (in Founds), line's address.
	Lookups [][7]int64 `json:"lookups"`
	// Accesses are the warps' memory accesses, ordered by cycle.
	Accesses []WatchedAccess `json:"accesses"`
	// Answers: cycle in which the result arrives or the store is acknowledged, cycle of the access, warp, operation.
	Answers [][4]int64 `json:"answers"`
	// Flights are requests to L2. Columns: operation, issued, departed, arrived, served, filled, ready, slice of L2, row (in Rows), tag of
	// the access, line's address, sectors, outcome (in Founds). On an L2 hit filled is 0 and row is -1.
	Flights [][13]int64 `json:"flights"`
	// Bursts are DRAM's transfers, for all SMXs. Columns: cycle of the decision, cycle of the end, channel, bank, row of the bank, state of
	// the row (in Rows), 1 for a write, slice of L2.
	Bursts [][8]int64 `json:"bursts"`
	// Barriers: cycle, warp that arrives or -1 when all are released, block.
	Barriers [][3]int64 `json:"barriers"`
	// Blocks: cycle of the start on the SMX, cycle of the end (0: after the run's end), block number. They include blocks outside of the
	// window.
	Blocks  [][3]int64 `json:"blocks"`
	Rows    []string   `json:"rows"`
	Founds  []string   `json:"founds"`
	Sources []string   `json:"sources"`
	Slices  int        `json:"slices"`
	// Channels is DRAM's number of channels, Banks the banks of each.
	Channels int `json:"channels"`
	Banks    int `json:"banks"`
	// Settings are the configuration's values by key.
	Settings map[string]string `json:"settings"`
	// Truncated says that the recording was cut at its limit.
	Truncated bool `json:"truncated,omitempty"`
	// Lanes are those of the followed warp; nil if none is followed, or if it was not on the SMX in the window.
	Lanes *Lanes `json:"lanes,omitempty"`
}

// WatchedAccess is one memory access of a warp.
type WatchedAccess struct {
	Cycle int64  `json:"cycle"`
	Warp  int64  `json:"warp"`
	Op    int32  `json:"op"`
	Tag   uint64 `json:"tag"`
	Kind  string `json:"kind"`  // load, store, atomic, reduction, prefetch or query
	Space string `json:"space"` // global, shared, local, const or param
	Bytes uint8  `json:"bytes"` // per lane
	// Active are the lanes. Addresses are theirs: the first in full, each other as the difference from the one before.
	Active    uint32  `json:"active"`
	Addresses []int64 `json:"addresses"`
	// Banks are, for loads and stores of shared memory, how many rows each bank reads for each request. The largest number is the passes
	// that the request takes.
	Banks [][]int `json:"banks,omitempty"`
}

// WatchedOperation is an operation of the kernel.
type WatchedOperation struct {
	Text    string `json:"text"`
	Unit    string `json:"unit"`
	Latency int    `json:"latency"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	PTXLine int    `json:"ptx_line,omitempty"`
	Pair    bool   `json:"pair,omitempty"`
	Class   string `json:"class,omitempty"`
	// Reads and Writes are register numbers; Banks are the banks of Reads.
	Reads  []int `json:"reads,omitempty"`
	Writes []int `json:"writes,omitempty"`
	Banks  []int `json:"banks,omitempty"`
	// Conflict is the time that bank conflicts of its registers add to the issue, in cycles.
	Conflict float64 `json:"conflict,omitempty"`
}

// WatchedWarp is a warp's place and lifetime. A last cycle of 0 is after the launch's end.
type WatchedWarp struct {
	Block     uint64 `json:"block"`
	Index     int    `json:"index"`
	Scheduler int    `json:"scheduler"`
	Slot      int    `json:"slot"`
	Start     int64  `json:"start"`
	End       int64  `json:"end"`
}

// watcher has the observers of a watched request.
type watcher struct {
	recorder *record.Recorder
	lanes    *laneWatcher // nil if no warp is followed
}

// watcher returns the observers for a request, nil without Watch.
func (q *Request) watcher() *watcher {
	if q.Watch == nil || q.Check {
		return nil
	}
	w := recording.Window{From: engine.Cycle(max(0, q.Watch.From))}
	w.To = w.From + engine.Cycle(min(max(1, q.Watch.Cycles), mostWatched))
	return &watcher{record.New(record.Options{Window: w, SMXs: []int{q.Watch.SMX}}), newLaneWatcher(q.Watch, w)}
}

// observer returns the watcher's observers as one.
func (w *watcher) observer() observe.Observer {
	if w.lanes == nil {
		return w.recorder
	}
	return observe.Join(w.recorder, w.lanes)
}

// watched returns a page's data about the first launch.
func (w *watcher) watched(q *Watch, config *configs.Config, launches []*stats.Launch) (*Watched, error) {
	all, err := w.recorder.Recording(&record.About{Config: config, Launches: launches})
	if err != nil {
		return nil, fmt.Errorf("record the SMX: %w", err)
	}
	track := all.Track(0, q.SMX)
	if track == nil || len(all.Grids) == 0 {
		return nil, fmt.Errorf("SMX %d had no blocks: the chip has %d SMXs", q.SMX, config.SMX.Count)
	}
	g := &all.Grids[0]
	p := &Watched{
		Kernel: all.Kernels[g.Kernel].Name, SMX: q.SMX, From: int64(all.Window.From), End: int64(g.End - g.Start),
		Schedulers: config.SMX.Schedulers, Slots: config.SMX.Warps / config.SMX.Schedulers, Reasons: all.Stalls,
		Rows: []string{"row open", "row opened", "other row closed"}, Slices: config.L2.Slices, Channels: config.DRAM.Channels,
		Banks: config.DRAM.Banks, Settings: config.Leaves(), Truncated: all.Truncated,
	}
	for f := observe.Missed; f <= observe.Held; f++ {
		p.Founds = append(p.Founds, f.String())
	}
	for s := range stats.MemorySources {
		p.Sources = append(p.Sources, s.String())
	}
	p.To = min(int64(all.Window.To), p.End)
	for i := range all.Kernels[g.Kernel].Ops {
		o := &all.Kernels[g.Kernel].Ops[i]
		p.Operations = append(p.Operations, WatchedOperation{
			Text: o.Text, Unit: o.Unit, Latency: o.Latency, File: o.File, Line: o.Line, PTXLine: o.PTXLine, Pair: o.Pair, Class: o.Class,
			Reads: o.Reads, Writes: o.Writes, Banks: o.Banks, Conflict: o.Conflict,
		})
	}
	newTrackCopy(p, track, g, memory.NewSharedBanks(config)).copy()
	p.memory(all, g)
	if w.lanes != nil {
		p.Lanes = w.lanes.lanes
	}
	return p, nil
}

// trackCopy copies an SMX's events of the first grid, in cycles from its start.
type trackCopy struct {
	*Watched
	*recording.Track
	grid   *recording.Grid
	number []int64 // of a warp in the grid, -1 for warps of others
	banks  memory.SharedBanks
}

func newTrackCopy(w *Watched, t *recording.Track, g *recording.Grid, banks memory.SharedBanks) *trackCopy {
	c := &trackCopy{Watched: w, Track: t, grid: g, number: make([]int64, len(t.Warps)), banks: banks}
	for i, warp := range t.Warps {
		b := &t.Blocks[warp.Block]
		if c.number[i] = -1; b.Grid != 0 {
			continue
		}
		c.number[i] = int64(len(w.Warps))
		w.Warps = append(w.Warps, WatchedWarp{b.Number, warp.Index, warp.Scheduler, warp.Slot, c.at(b.Start), c.end(b)})
	}
	return c
}

func (c *trackCopy) at(cycle engine.Cycle) int64 { return int64(cycle - c.grid.Start) }

// end returns when a block left the SMX, 0 if the run ended first.
func (c *trackCopy) end(b *recording.Block) int64 {
	if b.End == 0 {
		return 0
	}
	return c.at(b.End)
}

func (c *trackCopy) copy() {
	w := c.Watched
	for i := range c.Track.Blocks {
		if b := &c.Track.Blocks[i]; b.Grid == 0 {
			w.Blocks = append(w.Blocks, [3]int64{c.at(b.Start), c.end(b), int64(b.Number)})
		}
	}
	for _, i := range c.Track.Issues {
		if n := c.number[i.Warp]; n >= 0 {
			w.Issues = append(w.Issues, [6]int64{c.at(i.Cycle), n, int64(i.Op), int64(i.Active), int64(i.Mask), one(i.Second)})
		}
	}
	for _, s := range c.Track.Stalls {
		if n := c.number[s.Warp]; n >= 0 {
			w.Stalls = append(w.Stalls, [6]int64{c.at(s.From), c.at(s.To), n, int64(s.Op), int64(s.Reason), int64(s.For)})
		}
	}
	for _, r := range c.Track.Replays {
		if n := c.number[r.Warp]; n >= 0 {
			w.Replays = append(w.Replays, [4]int64{c.at(r.Cycle), n, int64(r.Op), int64(r.Slots)})
		}
	}
	for _, l := range c.Track.Lookups {
		if n := c.number[l.Warp]; n >= 0 {
			w.Lookups = append(w.Lookups, [7]int64{c.at(l.Cycle), n, int64(l.Op), int64(l.Tag), int64(l.Source), int64(l.Found),
				int64(l.Line)})
		}
	}
	for i := range c.Track.Accesses {
		if a := &c.Track.Accesses[i]; c.number[a.Warp] >= 0 {
			w.Accesses = append(w.Accesses, c.access(a))
		}
	}
	for _, a := range c.Track.Answers {
		if n := c.number[a.Warp]; n >= 0 {
			w.Answers = append(w.Answers, [4]int64{c.at(a.Cycle), c.at(a.Issued), n, int64(a.Op)})
		}
	}
	c.barriers()
}

func (c *trackCopy) barriers() {
	for _, b := range c.Track.Barriers {
		if c.Track.Blocks[b.Block].Grid != 0 {
			continue
		}
		n := int64(-1)
		if b.Warp >= 0 {
			n = c.number[b.Warp]
		}
		c.Watched.Barriers = append(c.Watched.Barriers, [3]int64{c.at(b.Cycle), n, int64(c.Track.Blocks[b.Block].Number)})
	}
}

// accessKinds are the words for the kinds of accesses.
var accessKinds = [...]string{
	exec.AccessLoad: "load", exec.AccessStore: "store", exec.AccessAtomic: "atomic", exec.AccessReduction: "reduction",
	exec.AccessPrefetch: "prefetch", exec.AccessQuery: "query",
}

// access copies an access, with its bank use if it is of shared memory.
func (c *trackCopy) access(a *recording.Access) WatchedAccess {
	w := WatchedAccess{
		Cycle: c.at(a.Cycle), Warp: c.number[a.Warp], Op: a.Op, Tag: a.Tag, Kind: accessKinds[a.Kind], Space: a.Space.String(),
		Bytes: a.Bytes, Active: a.Active,
	}
	whole := exec.Access{Active: a.Active, Bytes: a.Bytes}
	last := uint64(0)
	for n, lanes := 0, a.Active; lanes != 0; n, lanes = n+1, lanes&(lanes-1) {
		whole.Address[bits.TrailingZeros32(lanes)] = a.Addresses[n]
		w.Addresses = append(w.Addresses, int64(a.Addresses[n]-last))
		last = a.Addresses[n]
	}
	if a.Space != isa.SpaceShared || a.Kind != exec.AccessLoad && a.Kind != exec.AccessStore {
		return w
	}
	for _, rows := range memory.SharedRows(&whole, c.grid.BankMode, &c.banks) {
		list := make([]int, len(rows))
		for bank, n := range rows {
			list[bank] = int(n)
		}
		w.Banks = append(w.Banks, list)
	}
	return w
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// memory copies how the SMX's requests travelled, and DRAM's transfers.
func (w *Watched) memory(all *recording.Recording, g *recording.Grid) {
	at := func(c engine.Cycle) int64 { return int64(c - g.Start) }
	row := func(s stats.RowState) int64 { return int64(s) - 1 }
	for _, m := range all.Memory {
		if m.Device != 0 {
			continue
		}
		for i := range m.Flights {
			f := &m.Flights[i]
			if f.SMX != w.SMX || f.Issued < g.Start || f.Issued > g.End {
				continue
			}
			filled, state := int64(0), int64(-1)
			if f.Filled != 0 {
				filled, state = at(f.Filled), row(f.Row)
			}
			w.Flights = append(w.Flights, [13]int64{int64(f.Op), at(f.Issued), at(f.Departed), at(f.Arrived), at(f.Served), filled,
				at(f.Ready), int64(f.Slice), state, int64(f.Tag), int64(f.Line), int64(f.Sectors), int64(f.Found)})
		}
		for _, b := range m.Bursts {
			if b.Decided < g.Start || b.Decided > g.End {
				continue
			}
			w.Bursts = append(w.Bursts, [8]int64{at(b.Decided), at(b.Done), int64(b.Channel), int64(b.Bank), int64(b.Row), row(b.State),
				one(b.Write), int64(b.Slice)})
		}
	}
}
