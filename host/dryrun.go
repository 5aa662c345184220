package host

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/workload"
)

// dryRun finds a suitable launch for a kernel whose arguments are only partly given. It tries sizes in runs without timing, in which each
// pointer has far more memory than needed, and watches the accesses. The resulting launch has buffers that end where the accesses end.
type dryRun struct {
	job            *Job
	chip           *configs.Config // the job's, with memory for all windows
	file           string
	load           func(*sim.GPU) (*sim.Module, error)
	kernel         *isa.Function
	wishes         workload.Wishes
	params         []workload.ParamInfo
	unknowns       []unknown
	shared         bool // the kernel uses shared memory
	largestElement int  // bytes of the largest element behind a pointer
}

// unknown is a number or pointer without a given value: a parameter, or a member of a struct parameter.
type unknown struct {
	parameter, member int // member is -1 for the whole
	info              workload.ParamInfo
	element           workload.Type // behind a pointer
}

// integer tells whether the unknown is an integer, whose size matters.
func (u *unknown) integer() bool {
	t := workload.Type(u.info.Type)
	return !u.info.IsPointer && !t.IsFloat()
}

// Limits of the search: warp instructions of a trial, and trials that combine all sizes.
const (
	trialBudget  = 2_000_000
	combinations = 27
)

// errPointers is the error of a kernel that reads pointers from memory: no suitable contents can be made up.
var errPointers = errors.New("points to pointers")

// newDryRun lists the unknowns. It returns nil if trials cannot find anything.
func (j *Job) newDryRun(
	file string, module *sim.Module, load func(*sim.GPU) (*sim.Module, error), kernel *isa.Function, wishes workload.Wishes,
) (*dryRun, error) {
	d := &dryRun{job: j, file: file, load: load, kernel: kernel, wishes: wishes, params: Parameters(kernel),
		shared: kernel.SharedBytes > 0 || kernel.DynamicAlign > 0, largestElement: 1}
	given, err := workload.Given(wishes.Title, d.params, wishes.Args)
	if err != nil {
		return nil, err
	}
	for i, p := range kernel.Parameters {
		if given[i] {
			continue
		}
		if p.Count == 1 {
			d.add(unknown{parameter: i, member: -1, info: d.params[i]})
		}
		for n, m := range p.Members {
			info := workload.ParamInfo{Size: m.Type.Bytes(), Align: m.Type.Bytes(), Type: m.Type.String(), IsPointer: m.Pointer}
			if m.Pointee != isa.TypeNone {
				info.PointeeType, info.PointeeSize = m.Pointee.String(), m.Pointee.Bytes()
			}
			d.add(unknown{parameter: i, member: n, info: info})
		}
	}
	if !slices.ContainsFunc(d.unknowns, func(u unknown) bool { return u.info.IsPointer || u.integer() }) {
		return nil, nil
	}
	chip := *j.Config
	windows := int64(len(d.unknowns)+1) * windowBytes(module.Program())
	chip.DRAM.Bytes += int(2 * windows)
	d.chip = &chip
	return d, nil
}

// add records an unknown. Types that workloads do not have, such as predicates, are left zero.
func (d *dryRun) add(u unknown) {
	if t, err := workload.ParseType(u.info.Type); err != nil || t.Size() != u.info.Size {
		return
	}
	if u.info.IsPointer {
		u.element = workload.Pointee(u.info)
		d.largestElement = max(d.largestElement, u.element.Size())
	}
	d.unknowns = append(d.unknowns, u)
}

// shape is a launch's extent: blocks, threads, and bytes of dynamic shared memory.
type shape struct {
	grid, block [3]int
	shared      int
}

// threads is the number of threads in the launch.
func (s shape) threads() int {
	n := 1
	for i := range 3 {
		n *= max(s.grid[i], 1) * max(s.block[i], 1)
	}
	return n
}

// mostThreads is the most threads of a launch in a trial.
const mostThreads = 1 << 22

// triable tells whether a trial can run a launch.
func (s shape) triable() bool {
	n, perBlock := 1, 1
	for i := range 3 {
		perBlock *= max(s.block[i], 1)
		if n *= max(s.grid[i], 1) * max(s.block[i], 1); n > mostThreads || perBlock > workload.MostBlockThreads {
			return false
		}
	}
	return true
}

// find searches for the best launch. The error means that no launch suits the kernel; the best outcome, returned anyway, says why.
func (d *dryRun) find(ctx context.Context, first shape) (*outcome, error) {
	best := d.assign(ctx, first)
	if err := d.pointers(ctx, best.failed); err != nil {
		return best, err
	}
	if best.unsuited() {
		for _, s := range d.otherShapes(first) {
			if o := d.assign(ctx, s); o.better(best) {
				best = o
			}
			if !best.unsuited() {
				break
			}
		}
	}
	if d.wishes.Grid == [3]int{} {
		for n := 4; n <= 16 && !best.good(); n *= 4 {
			if o := d.assign(ctx, smaller(best.shape, n)); o.better(best) {
				best = o
			}
		}
	}
	if !best.ran() {
		return best, nil
	}
	return d.fill(ctx, best), ctx.Err()
}

// otherShapes are launches with as many threads, to try if the first does not fit the kernel's shared memory. They have more dynamic shared
// memory, or other blocks unless the user gave the block.
func (d *dryRun) otherShapes(first shape) []shape {
	var all []shape
	if d.kernel.DynamicAlign > 0 && d.wishes.Shared == 0 {
		for _, n := range []int{2, 3, 4, 8} {
			more := first
			if more.shared *= n; more.shared <= 48<<10 {
				all = append(all, more)
			}
		}
	}
	if d.wishes.Block != [3]int{} || d.wishes.Grid != [3]int{} {
		return all
	}
	for _, block := range otherBlocks[dimensions(first.block)] {
		s := shape{block: block, grid: [3]int{1, 1, 1}, shared: first.shared}
		for i := range 3 {
			s.grid[i] = max(1, first.grid[i]*first.block[i]/block[i])
		}
		all = append(all, s)
	}
	return all
}

// otherBlocks are further block sizes that kernels are written for, by number of dimensions.
var otherBlocks = map[int][][3]int{
	1: {{128, 1, 1}, {512, 1, 1}, {64, 1, 1}, {1024, 1, 1}, {32, 1, 1}},
	2: {{32, 32, 1}, {32, 8, 1}, {8, 8, 1}, {32, 16, 1}, {64, 4, 1}, {32, 4, 1}},
	3: {{8, 8, 8}, {4, 4, 4}, {16, 4, 4}},
}

func dimensions(block [3]int) int {
	n := 1
	for i := range 3 {
		if block[i] > 1 {
			n = i + 1
		}
	}
	return n
}

// smaller divides a shape's grid by n, as evenly as its extents allow.
func smaller(s shape, n int) shape {
	for n > 1 {
		widest := 0
		for i := range 3 {
			if s.grid[i] > s.grid[widest] {
				widest = i
			}
		}
		if s.grid[widest] == 1 {
			break
		}
		s.grid[widest] /= 2
		n /= 2
	}
	return s
}

// size is a value to try for an integer, with its meaning.
type size struct {
	value int64
	means string
}

// sizes returns the values to try for integers in a launch, in ascending order. They are extents of the grid, the side of a square of all
// threads, the bytes of a row, and the number of threads.
func (d *dryRun) sizes(s shape) []size {
	threads := s.threads()
	all := []size{{int64(threads), "the number of threads"}}
	side, what := 0, ""
	if dimensions([3]int{s.grid[0] * s.block[0], s.grid[1] * s.block[1], s.grid[2] * s.block[2]}) == 1 {
		side = 1 << (bits.Len(uint(threads)) / 2)
		if side*side > threads {
			side /= 2
		}
		what = fmt.Sprintf("the side of a square of %d", threads)
		all = append(all, size{int64(side), what})
	} else {
		side = s.grid[0] * s.block[0]
		for i, axis := range []string{"x", "y", "z"} {
			if n := s.grid[i] * s.block[i]; n > 1 {
				all = append(all, size{int64(n), "the threads in " + axis})
			}
		}
	}
	if d.largestElement > 1 {
		all = append(all, size{int64(side * d.largestElement),
			fmt.Sprintf("%d times %d, as a row of so many has bytes", d.largestElement, side)})
	}
	slices.SortStableFunc(all, func(a, b size) int { return int(a.value - b.value) })
	return slices.CompactFunc(all, func(a, b size) bool { return a.value == b.value })
}

// assign finds the best sizes for a shape.
func (d *dryRun) assign(ctx context.Context, s shape) *outcome {
	sizes := d.sizes(s)
	var integers []int
	for n := range d.unknowns {
		if d.unknowns[n].integer() {
			integers = append(integers, n)
		}
	}
	values := make([]int64, len(d.unknowns))
	for _, n := range integers {
		values[n] = d.fitting(n, sizes[0].value)
	}
	search := &search{dryRun: d, ctx: ctx, shape: s}
	search.consider(values)
	if !errors.Is(search.best.err, sim.ErrMaxCycles) { // else even the smallest sizes are too large
		search.all(integers, sizes)
	}
	// Some integers are small: an exponent, a radius, a flag, an offset.
	for _, value := range []int64{8, int64(bits.Len(uint(s.threads())) - 1), 1, 0} {
		if !search.best.good() && !search.best.unsuited() {
			search.eachInTurn(integers, []size{{value: value}})
		}
	}
	search.best.failed = search.failed
	return search.best
}

// all tries all combinations of sizes if these are few. Otherwise it varies each unknown in turn, and tries the largest of all.
func (s *search) all(integers []int, sizes []size) {
	values, count := s.best.values, 1
	for range integers {
		if count *= len(sizes); count > combinations {
			break
		}
	}
	for n := 1; n < count && count <= combinations; n++ {
		next, rest := slices.Clone(values), n
		for _, i := range integers {
			next[i] = s.fitting(i, sizes[rest%len(sizes)].value)
			rest /= len(sizes)
		}
		s.consider(next)
	}
	if count > combinations {
		s.eachInTurn(integers, sizes)
		most := slices.Clone(values)
		for _, i := range integers {
			most[i] = s.fitting(i, sizes[len(sizes)-1].value)
		}
		s.consider(most)
	}
}

// fitting adapts a value to the unknown's type: 8-bit values are flags and shades, for which 1 is enough.
func (d *dryRun) fitting(n int, value int64) int64 {
	if d.unknowns[n].info.Size == 1 {
		return min(value, 1)
	}
	return value
}

// search keeps the best outcome for a shape.
type search struct {
	*dryRun
	ctx    context.Context
	shape  shape
	best   *outcome
	failed *outcome // the first failure
	tried  map[string]bool
}

// consider tries values, unless they were tried before.
func (s *search) consider(values []int64) {
	key := fmt.Sprint(values)
	if s.tried[key] || s.ctx.Err() != nil && s.best != nil {
		return
	}
	if s.tried == nil {
		s.tried = map[string]bool{}
	}
	s.tried[key] = true
	budget := int64(trialBudget)
	if s.best != nil && s.best.err == nil && 10*s.best.threads >= 9*s.shape.threads() {
		budget = min(budget, 4*int64(s.best.work)+10_000) // longer runs are no better
	}
	o := s.try(s.ctx, s.shape, values, s.contents(), budget)
	if s.failed == nil && o.err != nil && !errors.Is(o.err, sim.ErrMaxCycles) {
		s.failed = o
	}
	if s.best == nil || o.better(s.best) {
		s.best = o
	}
}

// eachInTurn changes one value of the best outcome at a time, in two rounds.
func (s *search) eachInTurn(integers []int, sizes []size) {
	for range 2 {
		for _, i := range integers {
			for _, size := range sizes {
				values := slices.Clone(s.best.values)
				values[i] = s.fitting(i, size.value)
				s.consider(values)
			}
		}
	}
}

// pointers returns an error if a trial failed because the kernel used a value from memory as an address.
func (d *dryRun) pointers(ctx context.Context, o *outcome) error {
	fault := new(smx.Fault)
	if o == nil || !errors.As(o.err, &fault) || fault.Kind != smx.FaultAddress || fault.Space != isa.SpaceGlobal {
		return nil
	}
	for n := range d.unknowns {
		u := &d.unknowns[n]
		if !u.info.IsPointer || u.element.Size() != 8 || u.element.IsFloat() {
			continue
		}
		if again := d.try(ctx, o.shape, o.values, d.contents(), trialBudget, n); again.reached {
			return fmt.Errorf("kernel %s: parameter %d (%s) %w; keplersim cannot make them up. Say how many there are and where they "+
				"point, as in --arg 'a=f32[4096]:random' for each row and --arg 'u64[2]:pointers(a,b)'. In a workload file, use "+
				"init: {pointers: [a, b]}",
				d.wishes.Title, u.parameter, d.kernel.Parameters[u.parameter].Name, errPointers)
		}
	}
	return nil
}
