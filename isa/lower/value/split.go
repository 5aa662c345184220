package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// SplitValues gives each value of a register that holds several in turn its own register. Writes belong to one value if a read can see
// either. Compilers' PTX hardly needs this, hand-written PTX does: passes then find more values, and scheduling and allocation are not
// bound to one register.
func SplitValues(f *Function) error {
	w := f.newWrites()
	if len(w.register) == 0 {
		return nil
	}
	for r, list := range w.accesses {
		if err := f.Stopped(); err != nil {
			return err
		}
		w.connect(isa.Register(r), list)
	}
	names := make([]isa.Register, len(w.register)) // by the root of a value's writes
	kept := make([]bool, len(w.accesses))
	for n, r := range w.register {
		if w.root(int32(n)) != int32(n) {
			continue
		}
		if names[n] = r; kept[r] {
			names[n] = f.Temporary(f.Registers[r].Type)
		}
		kept[r] = true
	}
	for _, list := range w.accesses {
		for _, a := range list {
			*a.register = *a.register&^virtual.RegisterMask | names[w.root(a.write)]
		}
	}
	return nil
}

// access is a place where an instruction reads or writes a register.
type access struct {
	register *isa.Register
	block    isa.BlockID
	write    int32 // of a write: its number; of a read, once connected: a write that reaches it
	reads    bool
	keeps    bool // a write that leaves part of the register unchanged
}

// writes are the writes to registers with more than one, numbered in program order. Each such register has one more, first: its value when
// the kernel begins.
type writes struct {
	f        *Function
	register []isa.Register // by write
	same     []int32        // of a write: another write of the same value; itself if it is the root
	begin    []int32        // by register: its first write, -1 if it has only one
	accesses [][]access     // by register, grouped by block, in order
	// For the current register, by block: a write that reaches its start or end, valid if the mark is mark.
	start, end     []int32
	started, ended []int32
	mark           int32
	blocks         []isa.BlockID // blocks whose start a write must reach
}

func (f *Function) newWrites() *writes {
	writers, touches := make([]int32, len(f.Registers)), make([]int32, len(f.Registers))
	var named []isa.Register
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			named = virtual.AppendDefinitions(named[:0], i)
			for _, r := range named {
				writers[virtual.Whole(r)]++
			}
			for _, r := range virtual.AppendUses(named, i) {
				touches[virtual.Whole(r)]++
			}
		}
	}
	n := len(f.ByID)
	w := &writes{
		f: f, begin: make([]int32, len(writers)), accesses: make([][]access, len(writers)),
		start: make([]int32, n), end: make([]int32, n), started: make([]int32, n), ended: make([]int32, n),
	}
	for r, n := range writers {
		if w.begin[r] = -1; n > 1 {
			w.begin[r] = w.add(isa.Register(r))
			w.accesses[r] = make([]access, 0, touches[r])
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			w.collect(b, i)
		}
	}
	return w
}

func (w *writes) add(r isa.Register) int32 {
	n := int32(len(w.register))
	w.register, w.same = append(w.register, r), append(w.same, n)
	return n
}

// collect records the reads and writes of an instruction.
func (w *writes) collect(b *Block, i *isa.Instruction) {
	if i.Guard.Present {
		w.note(b, &i.Guard.Register, true, false)
	}
	i.Sources(func(o *isa.Operand) {
		if virtual.IsRegister(o) {
			w.note(b, &o.Register, true, false)
		}
	})
	for n := range i.Dst {
		if o := &i.Dst[n]; virtual.IsRegister(o) {
			_, all := virtual.Word(o.Register)
			w.note(b, &o.Register, false, i.Guard.Present || !all)
		}
	}
}

// note records one read or write, if the register has several writes.
func (w *writes) note(b *Block, r *isa.Register, reads, keeps bool) {
	whole := virtual.Whole(*r)
	if w.begin[whole] < 0 {
		return
	}
	a := access{register: r, block: b.ID, write: -1, reads: reads, keeps: keeps}
	if !reads {
		a.write = w.add(whole)
	}
	w.accesses[whole] = append(w.accesses[whole], a)
}

// root returns the first write of a value, which represents it.
func (w *writes) root(n int32) int32 {
	for w.same[n] != n {
		w.same[n] = w.same[w.same[n]]
		n = w.same[n]
	}
	return n
}

func (w *writes) join(a, b int32) {
	a, b = w.root(a), w.root(b)
	w.same[max(a, b)] = min(a, b)
}

// connect joins the writes that reach the same read, and partial writes with the writes that they leave visible.
func (w *writes) connect(r isa.Register, list []access) {
	w.mark++
	w.blocks = w.blocks[:0]
	for n := range list { // the last write of each block
		if a := &list[n]; !a.reads {
			w.end[a.block], w.ended[a.block] = a.write, w.mark
		}
	}
	now := int32(-1)
	for n := range list {
		a := &list[n]
		if n == 0 || list[n-1].block != a.block {
			now = -1
		}
		if (a.reads || a.keeps) && now < 0 {
			now = w.reaching(r, a.block)
		}
		switch {
		case a.reads:
			a.write = now
		case a.keeps:
			w.join(now, a.write)
			now = a.write
		default:
			now = a.write
		}
	}
}

// reaching returns one of the writes that reach a block's start, and joins all of them into one value.
func (w *writes) reaching(r isa.Register, b isa.BlockID) int32 {
	if w.started[b] == w.mark {
		return w.start[b]
	}
	one := int32(-1)
	meet := func(n int32) {
		if one >= 0 {
			w.join(one, n)
		}
		one = n
	}
	first := len(w.blocks)
	visit := func(b isa.BlockID) {
		if w.started[b] != w.mark {
			w.started[b], w.start[b] = w.mark, -1
			w.blocks = append(w.blocks, b)
		}
	}
	visit(b)
	for n := first; n < len(w.blocks); n++ {
		block := w.f.ByID[w.blocks[n]]
		if block == w.f.Blocks[0] {
			meet(w.begin[r])
		}
		for _, p := range block.Predecessors {
			switch {
			case w.ended[p] == w.mark:
				meet(w.end[p])
			case w.started[p] == w.mark && w.start[p] >= 0:
				meet(w.start[p])
			default:
				visit(p)
			}
		}
	}
	for _, b := range w.blocks[first:] {
		w.start[b] = one
	}
	return one
}
