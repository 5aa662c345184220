package host

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/workload"
)

// outcome is the result of a trial.
type outcome struct {
	shape   shape
	values  []int64         // of the unknown integers, by unknown
	extents []extent        // of the unknown pointers, by unknown
	filled  []workload.Init // the contents of these pointers' memory
	threads int             // threads that accessed global memory
	stored  int             // bytes written
	work    uint64          // warp instructions
	unset   bool            // the kernel read uninitialised shared memory
	reached bool            // the kernel accessed the window whose address was stored behind a pointer
	err     error           // why the trial ended early
	failed  *outcome        // in the best outcome of a shape: the first that failed; nil for none
}

// good tells whether at least half of the threads had work, without errors.
func (o *outcome) good() bool { return o.err == nil && !o.unset && 2*o.threads >= o.shape.threads() }

// unsuited tells whether the launch does not fit the kernel's shared memory.
func (o *outcome) unsuited() bool {
	fault := new(smx.Fault)
	return o.unset || errors.As(o.err, &fault) && fault.Space == isa.SpaceShared
}

// ran tells whether the kernel finished and accessed memory.
func (o *outcome) ran() bool { return o.err == nil && o.threads > 0 }

// significantRatio is the smallest ratio of threads or bytes that makes one outcome better. It ignores the border, in one dimension, that a
// stencil leaves out of a cube of side 16.
const significantRatio = 1.3

// better compares two outcomes. A run without a fault wins, then one without uninitialised reads. Next counts the share of threads with
// work, then the bytes they write, then less work, and last a smaller extent of memory.
func (o *outcome) better(than *outcome) bool {
	if o.ran() != than.ran() {
		return o.ran()
	}
	if o.unset != than.unset {
		return !o.unset
	}
	of := func(n int, o *outcome) float64 { return float64(n) / float64(o.shape.threads()) }
	for _, part := range [][2]float64{{of(o.threads, o), of(than.threads, than)}, {of(o.stored, o), of(than.stored, than)}} {
		if mine, other := part[0], part[1]; mine > significantRatio*other || other > significantRatio*mine {
			return mine > other
		}
	}
	if o.shape != than.shape {
		return false
	}
	if mine, other := float64(o.work), float64(than.work); mine < 0.9*other || other < 0.9*mine {
		return mine < other
	}
	return o.footprint() < than.footprint()
}

// footprint is the size of all extents, in bytes.
func (o *outcome) footprint() (sum int64) {
	for i := range o.extents {
		sum += o.extents[i].high - o.extents[i].low
	}
	return sum
}

// extent is the range of accesses behind a pointer.
type extent struct {
	low, high             int64 // bytes from the pointer; high is one past the last
	read, written, atomic bool
	address               uint64 // of the window
	pages                 map[uint64]*[windowPage / 64]uint64
}

// windowPage is the number of bytes in one page of a window's bitmap.
const windowPage = 1 << 16

// windowBytes is the memory for a pointer in a trial. The pointer refers to the end of its first eighth, so that accesses before it show.
func windowBytes(p *isa.Program) int64 {
	if p.AddressBytes == 4 {
		return 32 << 20
	}
	return 256 << 20
}

// watch is the observer that records a trial's accesses.
type watch struct {
	observe.Silent
	outcome *outcome
	bytes   uint64   // of a window
	warps   int      // of a block
	lanes   []uint32 // mask of the kernel's own lanes that accessed global memory, by block and warp
	poison  uint64   // the window that only memory behind a pointer refers to; 0 for none
}

// Access records an access.
func (w *watch) Access(t observe.Access) {
	if t.Space != isa.SpaceGlobal || t.Kind > exec.AccessReduction {
		return
	}
	if b := t.Warp.Block; b.Grid.Parent == nil { // kernels that it launches have blocks of their own
		w.lanes[int(b.Number)*w.warps+t.Warp.Index] |= t.Active
	}
	for m := t.Active; m != 0; m &= m - 1 {
		address := t.Address[bits.TrailingZeros32(m)&31]
		if w.poison != 0 && address-w.poison < w.bytes {
			w.outcome.reached = true
		}
		for i := range w.outcome.extents {
			if e := &w.outcome.extents[i]; e.address != 0 && address-e.address < w.bytes {
				e.touch(int64(address-e.address)-int64(w.bytes/8), t.Access)
				if t.Kind != exec.AccessLoad {
					e.store(address-e.address, t.Bytes)
				}
				break
			}
		}
	}
}

func (e *extent) touch(offset int64, a *exec.Access) {
	if end := offset + int64(a.Bytes); e.high == e.low {
		e.low, e.high = offset, end
	} else {
		e.low, e.high = min(e.low, offset), max(e.high, end)
	}
	e.read = e.read || a.Kind != exec.AccessStore
	e.written = e.written || a.Kind != exec.AccessLoad
	e.atomic = e.atomic || a.Kind == exec.AccessAtomic || a.Kind == exec.AccessReduction || a.Order != isa.OrderWeak
}

// store marks bytes as written.
func (e *extent) store(at uint64, count uint8) {
	for n := range uint64(count) {
		page := e.pages[(at+n)/windowPage]
		if page == nil {
			page = new([windowPage / 64]uint64)
			e.pages[(at+n)/windowPage] = page
		}
		page[(at+n)%windowPage/64] |= 1 << ((at + n) % 64)
	}
}

// count sums up the records.
func (w *watch) count() {
	for _, mask := range w.lanes {
		w.outcome.threads += bits.OnesCount32(mask)
	}
	for i := range w.outcome.extents {
		for _, page := range w.outcome.extents[i].pages {
			for _, word := range page {
				w.outcome.stored += bits.OnesCount64(word)
			}
		}
		w.outcome.extents[i].pages = nil
	}
}

// try runs the kernel without timing. Memory behind the poisoned pointers holds addresses of a window that nothing else refers to.
func (d *dryRun) try(ctx context.Context, s shape, values []int64, contents []workload.Init, budget int64, poisoned ...int) *outcome {
	o := &outcome{shape: s, values: values, filled: contents, extents: make([]extent, len(d.unknowns))}
	o.err = d.run(ctx, o, budget, poisoned)
	return o
}

func (d *dryRun) run(ctx context.Context, o *outcome, budget int64, poisoned []int) error {
	options := d.job.options.Simulator
	options.Threads, options.Functional, options.Check, options.Keep, options.MaxCycles = 1, true, finding.None, nil, budget
	if d.shared {
		options.Check = finding.Init
	}
	options.Progress, options.Printf, options.ReuseDistance = nil, io.Discard, false
	block := o.shape.block
	w := &watch{outcome: o, warps: (block[0]*block[1]*block[2] + 31) / 32}
	w.lanes = make([]uint32, o.shape.threads()/(block[0]*block[1]*block[2])*w.warps)
	options.Observer = w
	gpu, err := sim.New(d.chip, options)
	if err != nil {
		return err
	}
	module, err := d.load(gpu)
	if err != nil {
		return err
	}
	if err := d.windows(gpu, module, w, poisoned); err != nil {
		return err
	}
	j := &Job{Config: d.chip, options: Options{Log: slog.New(slog.DiscardHandler)}, gpu: gpu, gpus: []*sim.GPU{gpu},
		modules: map[string]*sim.Module{"": module}, addresses: map[string]uint64{}}
	wishes := d.wishes
	wishes.Grid, wishes.Block, wishes.Shared = o.shape.grid, o.shape.block, o.shape.shared
	wishes.Found = d.found(o, func(n int, _ string) (workload.ArgText, string) {
		address := o.extents[n].address + w.bytes/8
		return workload.ArgText{Argument: &workload.Argument{Type: workload.Type(d.unknowns[n].info.Type),
			Value: workload.Number{Magnitude: address}}}, "a window"
	})
	if j.Workload, _, err = workload.Infer(d.kernel.Name, d.file, d.params, wishes); err != nil {
		return err
	}
	if err := j.bindSymbols(); err != nil {
		return err
	}
	if err := j.prepare(); err != nil {
		return err
	}
	result := &Result{}
	err = j.execute(ctx, result)
	w.count()
	for _, l := range result.Launches {
		o.work = l.Total.InstExecuted
	}
	o.unset = slices.ContainsFunc(result.Mistakes, func(f *finding.Finding) bool {
		return f.Rule == finding.UnsetMemory && f.Space == isa.SpaceShared
	})
	return err
}

// windows allocates memory for each unknown pointer and fills its beginning.
func (d *dryRun) windows(gpu *sim.GPU, module *sim.Module, w *watch, poisoned []int) (err error) {
	w.bytes = uint64(windowBytes(module.Program()))
	if len(poisoned) > 0 {
		if w.poison, err = gpu.Allocate("", w.bytes); err != nil {
			return err
		}
	}
	for n := range d.unknowns {
		u, e := &d.unknowns[n], &w.outcome.extents[n]
		if !u.info.IsPointer {
			continue
		}
		if e.address, err = gpu.Allocate("", w.bytes); err != nil {
			return err
		}
		e.pages = map[uint64]*[windowPage / 64]uint64{}
		b := workload.Buffer{Type: u.element, Init: w.outcome.filled[n], Count: filledElements}
		if slices.Contains(poisoned, n) {
			address := workload.Number{Magnitude: w.poison + w.bytes/2}
			b.Init = workload.Init{Kind: workload.InitFill, Values: []workload.Number{address}}
		}
		if b.Init.Kind == "" {
			continue
		}
		data, err := (&workload.Workload{}).Initial(b)
		if err == nil {
			err = gpu.Write(e.address+w.bytes/8, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// filledElements is the part of a window that is filled: more elements than a made-up launch has threads.
const filledElements = 1 << 16
