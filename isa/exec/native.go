package exec

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/machinecode"
)

// Native is a program as machine code of the host, for runs without timing. Straight runs of operations, and branches that all active lanes
// take or none, execute without returning to the caller. Operations without code and unusual accesses are left to the caller, one at a
// time. Safe for concurrent use.
type Native struct {
	bound      *Code
	program    *isa.MachineProgram
	plan       plan
	accesses   int     // operations that access device memory
	accessOf   []int32 // by operation: its number among these, -1 for others
	countAfter []int32 // by operation: how many follow in its run
	// variants are translated on first use: for full and partial warps in each mode.
	variants    [modes][2]func() *variant
	unset       func() *Unset // registers that screened or observed code must watch
	timingSlice func() []bool // see FindTimingSlice
}

// mode is what code does besides executing.
type mode int

const (
	modePlain      mode = iota
	modeScreened        // accesses are screened
	modeTimingOnly      // operations that are not in the timing slice are skipped
	modeObserved        // operations that a sparse observer hears of are left to the caller
	modeSaving          // stores to pages of device memory that are not saved are left to the caller
	modes
)

// variant is the code for one kind of warp. Positions are in bytes from the code's beginning.
type variant struct {
	code       *machinecode.Code // nil: no executable memory
	enter      int               // prologue of every call
	runs       []int32           // by run: its start
	after      []int32           // by operation: the place behind it in its run; -1 outside runs
	translated []bool            // by operation: it has code
}

// plan divides a program into runs: operations that always execute one after another.
type plan struct {
	runs  []run
	runAt []int32 // by operation: the run that begins there, -1 for none
}

// run is a straight sequence of operations, without those of slow paths, which carry only timing.
type run struct {
	first      int32   // the first operation, or a slow path before it
	operations []int32 // without the operation that ends it
	next       int32   // the operation after them: a control operation, or another run's first
}

// newPlan finds the runs. Runs begin at branch targets, reconvergence points, functions, and after control operations.
func newPlan(mp *isa.MachineProgram) plan {
	count := len(mp.Ops)
	begins := make([]bool, count+1)
	mark := func(at int32) {
		if at >= 0 && int(at) < count {
			begins[at] = true
		}
	}
	mark(0)
	for i := range mp.Stack {
		mark(mp.Stack[i].FirstOp)
	}
	for i := range mp.Ops {
		op := &mp.Ops[i]
		if op.Control == isa.ControlNone || op.Control == isa.ControlSync {
			continue
		}
		mark(int32(i) + 1)
		if op.Control == isa.ControlBranch {
			mark(op.Target)
		}
		if op.Control == isa.ControlBranch || op.Control == isa.ControlIndex {
			mark(op.Reconverge)
		}
		for _, t := range op.Targets {
			mark(t)
		}
	}
	p := plan{runAt: make([]int32, count)}
	slow := int32(0) // end of the slow path that began last
	for i := range mp.Ops {
		p.runAt[i] = -1
		if begins[i] && int32(i) >= slow {
			p.runAt[i] = int32(len(p.runs))
			p.runs = append(p.runs, follow(mp, begins, int32(i)))
		}
		if path := mp.Ops[i].Slow; path != nil && int32(i) >= slow { // Length is the same in all operations of a path
			slow = int32(i + path.Length)
		}
	}
	return p
}

// follow returns the run that begins at an operation.
func follow(mp *isa.MachineProgram, begins []bool, first int32) run {
	r := run{first: first}
	for i := first; ; {
		if int(i) >= len(mp.Ops) || i != first && begins[i] {
			r.next = i
			return r
		}
		op := &mp.Ops[i]
		if op.Slow != nil && op.Slow.Length > 0 {
			i += int32(op.Slow.Length)
			continue
		}
		if op.Control != isa.ControlNone && !costsOnlyTime(op) {
			r.next = i
			return r
		}
		r.operations = append(r.operations, i)
		i++
	}
}

// costsOnlyTime reports a control operation that costs only time.
func costsOnlyTime(op *isa.MachineOp) bool { return op.Control == isa.ControlSync }

// Translate prepares machine code for a bound program; nil if the host cannot run it, or the program is too large.
func Translate(code *Code, mp *isa.MachineProgram) *Native {
	if !machinecode.Supported() || len(mp.Ops) > translatedOperations || readsZero(mp) {
		return nil
	}
	n := &Native{bound: code, program: mp, plan: newPlan(mp), accessOf: make([]int32, len(mp.Ops))}
	for i := range n.accessOf {
		n.accessOf[i] = -1
		if m := code.Ops[i].memory; m != nil && (m.space == isa.SpaceGlobal || m.space == isa.SpaceGeneric) {
			n.accessOf[i] = int32(n.accesses)
			n.accesses++
		}
	}
	n.countAfter = make([]int32, len(mp.Ops))
	for i := range n.plan.runs {
		for k, op := range n.plan.runs[i].operations {
			n.countAfter[op] = int32(len(n.plan.runs[i].operations) - 1 - k)
		}
	}
	n.unset = sync.OnceValue(func() *Unset { return FindUnset(mp) })
	n.timingSlice = sync.OnceValue(func() []bool { return FindTimingSlice(mp) })
	for m := range modes {
		for i, partial := range []bool{false, true} {
			n.variants[m][i] = sync.OnceValue(func() *variant { return newVariant(n, m, partial) })
		}
	}
	return n
}

// translatedOperations is the most operations of a translated program: an operation takes a quarter of a kilobyte, twice.
const translatedOperations = 1 << 16

// Reason says why machine code returned.
type Reason uint32

// Reasons.
const (
	// Paused: the warp continues at Next: lanes reconverge there, or the budget is used up.
	Paused Reason = iota
	// Controlled: the operation at Next is a control operation; the caller executes and counts it.
	Controlled
	// Left: the caller must execute the operation at Next, which is already counted. Resume continues after it.
	Left
)

// NativeState is the state of machine code: of one warp at a time, set by Prepare.
type NativeState struct {
	registers, constants, predicates, tallies, tid, place unsafe.Pointer
	// reaches are the parts of device memory that each access last touched.
	reaches   unsafe.Pointer
	target    uintptr // code address to jump to
	flat      [5]flatMemory
	address   isa.Lanes32 // lanes' addresses in the accessed memory
	result    isa.Lanes32
	laneBytes isa.Lanes32  // byte offset of a lane's word in a row of 32
	wide      [8][8]uint32 // f64 results before the check for NaN
	screen    screenState
	budget    int64

	active, lanes uint32 // the active lanes and their number
	reconverge    int32
	// Next is the operation where the caller continues; reason says why.
	Next    int32
	reason  Reason
	warp    *Warp
	variant *variant
	// screened: accesses are screened.
	screened bool
	// TimingOnly skips operations that are not in the timing slice, but counts them: see FindTimingSlice.
	TimingOnly bool
	// Observed leaves operations to the caller that observe.Sparse observers hear of. Own are the records of an observe.Recorder.
	Observed bool
	Own      *OwnRecords
	// Saving leaves stores to pages to the caller that Reach.Pages does not allow.
	Saving bool
}

// flatMemory is shared, local or constant memory.
type flatMemory struct {
	base  unsafe.Pointer
	bytes uint64
}

// Reach is a part of device memory that is contiguous on the host: device addresses From to From+Bytes. The zero value is empty.
type Reach struct {
	From, Bytes uint64
	Host        unsafe.Pointer
	// For screening: Cells are the cells of the words. Pages has one byte for each page of 1<<PageShift bytes from From on, and one more at
	// each end; pages with a byte other than 0 may be written. Without cells reads need no screening, and writes are left to the caller.
	// Observed code has PageRecords as cells.
	Cells, Pages unsafe.Pointer
	// Set has a byte for each word from From on, and SetMargin more at each end: WordSet where all of the word has been written, else 0. An
	// access to others is left to the caller. nil: everything has been written.
	Set unsafe.Pointer
	// Live has a byte for each granule of 1<<GranuleShift bytes from From on, 1 if it may be accessed, and three more; nil if all may.
	Live unsafe.Pointer
}

// GranuleShift is the logarithm of the granule size of Reach.Live. An aligned access is within one granule.
const GranuleShift = 4

// WordSet and SetMargin are of Reach.Set. The margin is for the inactive lanes of a row.
const (
	WordSet   = 0x80
	SetMargin = 32
)

// PageShift is the logarithm of the page size of Reach.Pages.
const PageShift = 12

// PageRecords are an observer's records of the accesses to each word of a page: of weak writes, reads, and strong writes.
type PageRecords[R ~uint64] struct {
	Writes, Reads, Reads2, Strong, Strong2 *[1 << PageShift / 4]R
}

// OwnRecords are the records of accesses by a warp's lanes. The low RecordSiteBits of a record say where in the program, others who and
// when.
type OwnRecords [32]uint64

// RecordSiteBits is the size of a field of records.
const RecordSiteBits = 16

// Numbers of the flat memories.
const (
	flatShared = iota
	flatConstant
	flatParameters
	flatLocal // a lane's bytes; adjacent lanes have adjacent words
	flatFrame // the same from the running function's frame on
)

// Tally counts the operations that machine code has executed, for one grid on one SMX.
type Tally struct {
	native *Native
	count  []uint64 // per run, then per operation: executions and lanes
}

// NewTally returns an empty count.
func (n *Native) NewTally() *Tally {
	return &Tally{native: n, count: make([]uint64, 2*(len(n.plan.runs)+len(n.plan.runAt)))}
}

// Begins reports whether machine code can begin at an operation.
func (n *Native) Begins(at int32) bool { return n.plan.runAt[at] >= 0 }

// Length returns how many operations are in the run that begins at an operation, without the one that ends the run.
func (n *Native) Length(at int32) int64 { return int64(len(n.plan.runs[n.plan.runAt[at]].operations)) }

// CountAfter returns how many operations follow one in its run: a run is counted as a whole when it begins.
func (n *Native) CountAfter(op int32) int64 { return int64(n.countAfter[op]) }

// Longest returns the length of the longest run: Run exceeds its budget by at most this.
func (n *Native) Longest() int64 { return int64(slices.Max(n.countAfter)) + 1 }

// Accesses returns the number of operations that access device memory.
func (n *Native) Accesses() int { return n.accesses }

// Access returns an operation's number among these, -1 for other operations.
func (n *Native) Access(op int32) int32 { return n.accessOf[op] }

// Prepare prepares a state for a warp; false if there is no code for it. reaches has an entry for each of Accesses.
func (n *Native) Prepare(s *NativeState, w *Warp, t *Tally, reaches []Reach, active uint32, reconverge int32) bool {
	if s.warp != w || uintptr(unsafe.Pointer(&w.Registers[w.Base])) != uintptr(s.registers) {
		s.warp = w
		s.registers = unsafe.Pointer(&w.Registers[w.Base])
		s.predicates = unsafe.Pointer(&w.Predicates)
		s.tid = unsafe.Pointer(&w.Tid)
	}
	b := w.Block
	s.constants, s.place = unsafe.Pointer(unsafe.SliceData(b.Launch.Constants)), unsafe.Pointer(b)
	s.flat[flatShared] = flatOf(b.Shared)
	s.flat[flatConstant], s.flat[flatParameters] = flatOf(b.Launch.Bank3), flatOf(b.Launch.Bank0)
	s.flat[flatLocal], s.flat[flatFrame] = localOf(w.Local, 0), localOf(w.Local, w.Frame)
	s.tallies, s.reaches = unsafe.Pointer(unsafe.SliceData(t.count)), unsafe.Pointer(unsafe.SliceData(reaches))
	if s.laneBytes[1] == 0 {
		for lane := range s.laneBytes {
			s.laneBytes[lane] = uint32(4 * lane)
		}
	}
	if s.active != active {
		s.active, s.lanes = active, onesCount(active)
	}
	s.reconverge = reconverge
	partial := 0
	if active != isa.FullMask {
		partial = 1
	}
	s.variant = n.variants[s.mode()][partial]()
	return s.variant.code != nil
}

func (s *NativeState) mode() mode {
	switch {
	case s.screened:
		return modeScreened
	case s.TimingOnly:
		return modeTimingOnly
	case s.Observed:
		return modeObserved
	case s.Saving:
		return modeSaving
	}
	return modePlain
}

// localOf returns a warp's local memory from an address on.
func localOf(memory []byte, from uint32) flatMemory {
	at := localByte(from, 0)
	if at > uint64(len(memory)) || from%4 != 0 {
		return flatMemory{}
	}
	return flatMemory{unsafe.Pointer(unsafe.SliceData(memory[at:])), uint64(len(memory))/32 - uint64(from)}
}

func flatOf(memory []byte) flatMemory {
	return flatMemory{unsafe.Pointer(unsafe.SliceData(memory)), uint64(len(memory))}
}

// Run executes from the beginning of a run on, until about budget operations are done. It returns how many were executed and why it
// stopped. The rest of a run that was Left is included.
func (n *Native) Run(s *NativeState, at int32, budget int64) (executed int64, reason Reason) {
	return s.call(s.variant.runs[n.plan.runAt[at]], budget)
}

// Resume continues after an operation that was Left.
func (s *NativeState) Resume(at int32, budget int64) (executed int64, reason Reason) {
	return s.call(s.variant.after[at], budget)
}

func (s *NativeState) call(offset int32, budget int64) (int64, Reason) {
	code := s.variant.code
	s.budget, s.target = budget, code.Address(int(offset))
	code.Call(s.variant.enter, unsafe.Pointer(s))
	return budget - s.budget, s.reason
}

// Add calls add for each operation with its executions and lanes since the last call, and resets the counts. It returns the number of
// branches executed.
func (t *Tally) Add(code *Code, add func(op int, executed, lanes uint64)) (branches uint64) {
	n := t.native
	for i := range n.plan.runs {
		executed, lanes := t.count[2*i], t.count[2*i+1]
		if executed == 0 {
			continue
		}
		for _, op := range n.plan.runs[i].operations {
			if code.Ops[op].Guard.Present {
				add(int(op), executed, 0)
			} else {
				add(int(op), executed, lanes)
			}
		}
	}
	own := t.count[2*len(n.plan.runs):]
	for op := range n.plan.runAt {
		if executed, lanes := own[2*op], own[2*op+1]; executed|lanes != 0 {
			add(op, executed, lanes)
			branches += executed
		}
	}
	clear(t.count)
	return branches
}

// EachAfter calls take with the operations of a run after one that was Left. They are counted already but, after a fault, not executed.
func (n *Native) EachAfter(at int32, take func(op int32)) {
	for i := range n.plan.runs {
		ops := n.plan.runs[i].operations
		if k := slices.Index(ops, at); k >= 0 {
			for _, op := range ops[k+1:] {
				take(op)
			}
			return
		}
	}
}
