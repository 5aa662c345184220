package engine

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/record"
	"github.com/keplersim/keplersim/sim/stats"
)

// Watch asks for what one SMX did, cycle by cycle.
type Watch struct {
	SMX int `json:"smx"`
	// From is the first cycle, counted from the launch's start; Cycles is how many, at most mostWatched.
	From   int64 `json:"from"`
	Cycles int64 `json:"cycles"`
}

// mostWatched bounds the cycles that a page is given: it draws them one by one.
const mostWatched = 20_000

// Watched is what one SMX did in a launch's window. Cycles are counted from the launch's start. Lists of numbers are rows, whose columns
// the comments name; Warps, Operations, Reasons and the names of lookups and rows are indexed from 0.
type Watched struct {
	Kernel string `json:"kernel"`
	SMX    int    `json:"smx"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`  // behind the last cycle
	End    int64  `json:"end"` // of the launch
	// Schedulers and Slots are the SMX's: a warp has a slot of a scheduler.
	Schedulers int                `json:"schedulers"`
	Slots      int                `json:"slots"`
	Operations []WatchedOperation `json:"operations"`
	Warps      []WatchedWarp      `json:"warps"`
	Reasons    []string           `json:"reasons"`
	// Issues: cycle, warp, operation, active lanes, lanes whose guard holds, 1 for the second of a pair.
	Issues [][6]int64 `json:"issues"`
	// Stalls: first cycle, cycle behind the last, warp, operation that waits, reason.
	Stalls [][5]int64 `json:"stalls"`
	// Replays: cycle, warp, operation, further issue slots behind the cycle.
	Replays [][4]int64 `json:"replays"`
	// Lookups: cycle, warp, operation, 1 for a hit.
	Lookups [][4]int64 `json:"lookups"`
	// Flights: warp's operation, issued, departed, arrived, served, filled (0 where L2 had it), ready, slice of L2, row (-1 where L2 had
	// it).
	Flights [][9]int64 `json:"flights"`
	// Barriers: cycle, warp that arrives, or -1 where all go on, block.
	Barriers [][3]int64 `json:"barriers"`
	Rows     []string   `json:"rows"`
	Slices   int        `json:"slices"`
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
	// Conflict is what registers in one bank add to the issue, in cycles.
	Conflict float64 `json:"conflict,omitempty"`
}

// WatchedWarp is a warp's place and life; a last cycle of 0 is beyond the launch's end.
type WatchedWarp struct {
	Block     uint64 `json:"block"`
	Index     int    `json:"index"`
	Scheduler int    `json:"scheduler"`
	Slot      int    `json:"slot"`
	Start     int64  `json:"start"`
	End       int64  `json:"end"`
}

// recorder is an observer for a request, nil where nobody watches.
func (q *Request) recorder() *record.Recorder {
	if q.Watch == nil || q.Check {
		return nil
	}
	w := recording.Window{From: engine.Cycle(max(0, q.Watch.From))}
	w.To = w.From + engine.Cycle(min(max(1, q.Watch.Cycles), mostWatched))
	return record.New(record.Options{Window: w, SMXs: []int{q.Watch.SMX}})
}

// watched makes what a page draws of the first launch that a recorder heard of.
func watched(r *record.Recorder, q *Watch, config *configs.Config, launches []*stats.Launch) (*Watched, error) {
	all, err := r.Recording(&record.About{Config: config, Launches: launches})
	if err != nil {
		return nil, fmt.Errorf("record the SMX: %w", err)
	}
	track := all.Track(0, q.SMX)
	if track == nil || len(all.Grids) == 0 {
		return nil, fmt.Errorf("SMX %d had no blocks: the chip has %d SMXs", q.SMX, config.SMX.Count)
	}
	g := &all.Grids[0]
	w := &Watched{
		Kernel: all.Kernels[g.Kernel].Name, SMX: q.SMX, From: int64(all.Window.From), End: int64(g.End - g.Start),
		Schedulers: config.SMX.Schedulers, Slots: config.SMX.Warps / config.SMX.Schedulers, Reasons: all.Stalls,
		Rows: []string{"row open", "row opened", "other row closed"}, Slices: config.L2.Slices,
	}
	w.To = min(int64(all.Window.To), w.End)
	for i := range all.Kernels[g.Kernel].Ops {
		o := &all.Kernels[g.Kernel].Ops[i]
		w.Operations = append(w.Operations, WatchedOperation{o.Text, o.Unit, o.Latency, o.File, o.Line, o.PTXLine, o.Pair, o.Conflict})
	}
	w.track(track, g.Start)
	w.memory(all, q.SMX, g)
	return w, nil
}

// track copies what an SMX did for the first grid, in cycles from its start.
func (w *Watched) track(t *recording.Track, start engine.Cycle) {
	at := func(c engine.Cycle) int64 { return int64(c - start) }
	number := make([]int64, len(t.Warps)) // of a warp of the grid, -1 for others
	for i, warp := range t.Warps {
		b := &t.Blocks[warp.Block]
		if number[i] = -1; b.Grid != 0 {
			continue
		}
		number[i] = int64(len(w.Warps))
		end := int64(0)
		if b.End != 0 {
			end = at(b.End)
		}
		w.Warps = append(w.Warps, WatchedWarp{b.Number, warp.Index, warp.Scheduler, warp.Slot, at(b.Start), end})
	}
	for _, i := range t.Issues {
		if n := number[i.Warp]; n >= 0 {
			second := int64(0)
			if i.Second {
				second = 1
			}
			w.Issues = append(w.Issues, [6]int64{at(i.Cycle), n, int64(i.Op), int64(i.Active), int64(i.Mask), second})
		}
	}
	for _, s := range t.Stalls {
		if n := number[s.Warp]; n >= 0 {
			w.Stalls = append(w.Stalls, [5]int64{at(s.From), at(s.To), n, int64(s.Op), int64(s.Reason)})
		}
	}
	for _, r := range t.Replays {
		if n := number[r.Warp]; n >= 0 {
			w.Replays = append(w.Replays, [4]int64{at(r.Cycle), n, int64(r.Op), int64(r.Slots)})
		}
	}
	for _, l := range t.Lookups {
		if n := number[l.Warp]; n >= 0 {
			hit := int64(0)
			if l.Found == observe.Hit {
				hit = 1
			}
			w.Lookups = append(w.Lookups, [4]int64{at(l.Cycle), n, int64(l.Op), hit})
		}
	}
	for _, b := range t.Barriers {
		if t.Blocks[b.Block].Grid != 0 {
			continue
		}
		n := int64(-1)
		if b.Warp >= 0 {
			n = number[b.Warp]
		}
		w.Barriers = append(w.Barriers, [3]int64{at(b.Cycle), n, int64(t.Blocks[b.Block].Number)})
	}
}

// memory copies the ways of the SMX's requests.
func (w *Watched) memory(all *recording.Recording, smx int, g *recording.Grid) {
	at := func(c engine.Cycle) int64 { return int64(c - g.Start) }
	for _, m := range all.Memory {
		for i := range m.Flights {
			f := &m.Flights[i]
			if f.SMX != smx || m.Device != 0 || f.Issued < g.Start || f.Issued > g.End {
				continue
			}
			filled, row := int64(0), int64(-1)
			if f.Filled != 0 {
				filled, row = at(f.Filled), int64(f.Row)-1
			}
			w.Flights = append(w.Flights, [9]int64{int64(f.Op), at(f.Issued), at(f.Departed), at(f.Arrived), at(f.Served), filled,
				at(f.Ready),
				int64(f.Slice), row})
		}
	}
}
