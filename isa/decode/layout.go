package decode

import (
	"errors"
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/isa/ptx"
)

// finish turns bodies into functions of blocks, after all modules are decoded without errors. The order matters: inlining leaves variables
// that promotion turns into registers, and only the rest is laid out.
func (l *linker) finish() {
	l.listUnresolved()
	if !l.options.NoInlining {
		l.inlineCalls()
	}
	l.passPredicates()
	l.sizeLists()
	l.layoutConstants()
	for _, b := range l.bodies {
		if b != nil {
			b.promoteVariables()
		}
	}
	pinned := l.pinShared()
	for _, b := range l.bodies {
		if b == nil {
			continue
		}
		if b.function.Kernel {
			l.layoutShared(b, pinned)
		}
		b.layoutFrame(l.program)
		b.build(l.program)
		if b.function.Kernel {
			inferPointers(b.function, l.program.AddressBytes)
		}
	}
	l.connectCalls()
	l.title()
}

// connectCalls completes the control flow of functions by what their callees do. A path ends at a call that never returns: of a function
// declared so, of the one for failed assertions, and of one without a path to a return. Compilers let such paths run on into whatever
// follows.
func (l *linker) connectCalls() {
	p := l.program
	never := func(i *isa.Instruction) bool {
		return i.Op == isa.OpCall && !i.Guard.Present && i.Call.Function >= 0 && p.Functions[i.Call.Function].NoReturn
	}
	calls := func(i *isa.Instruction) bool { return i.Op == isa.OpCall }
	returns := func(i *isa.Instruction) bool { return i.Op == isa.OpRet }
	contains := func(f *isa.Function, what func(*isa.Instruction) bool) bool {
		return slices.ContainsFunc(f.Blocks, func(b *isa.Block) bool { return b.Contains(what) })
	}
	for again := true; again; {
		again = false
		for _, f := range p.Functions {
			for _, b := range f.Blocks {
				if n := slices.IndexFunc(b.Instructions, never) + 1; n > 0 && (n == len(b.Instructions) ||
					b.Instructions[n].Op != isa.OpTrap) {
					b.Instructions = append(b.Instructions[:n], &isa.Instruction{Op: isa.OpTrap, Line: b.Instructions[n-1].Line})
				}
			}
			if contains(f, calls) {
				connect(f, p)
			}
			if f.Kernel {
				continue
			}
			noReturn := f.NoReturn || f.Name == assertFail || f.Defined && !contains(f, returns)
			hasBarrier := contains(f, p.MeetsBlock)
			again = again || noReturn != f.NoReturn || hasBarrier != f.HasBarrier
			f.NoReturn, f.HasBarrier = noReturn, hasBarrier
		}
	}
}

// connect computes a function's control flow, and drops unreachable blocks.
func connect(f *isa.Function, p *isa.Program) {
	f.Connect(p)
	f.Blocks = reachable(f.Blocks)
	f.Connect(p)
}

// title sets the functions' names for people. Unreadable debug information is only noted: the program runs without it.
func (l *linker) title() {
	p := l.program
	p.Titles = map[string]string{}
	for _, m := range l.modules {
		info, err := debuginfo.Read(m.file)
		if err != nil && !errors.Is(err, debuginfo.ErrNoDebugInfo) {
			m.note(ptx.Position{Line: 1, Column: 1}, "the debug information is left aside: %v", err)
		}
		for _, s := range m.file.Statements {
			if f, ok := s.(*ptx.Function); ok {
				if title := info.Describe(f.Name.Text); f.Body != nil || p.Titles[f.Name.Text] == "" {
					p.Titles[f.Name.Text] = title
				}
			}
		}
	}
	for i := range p.Lines { // only .loc names functions that the compiler inlined
		if symbol := p.Lines[i].Function; symbol != "" && p.Titles[symbol] == "" {
			p.Titles[symbol] = debuginfo.Demangle(symbol)
		}
	}
}

// layoutConstants places .const symbols in the user constant bank.
func (l *linker) layoutConstants() {
	offset, count := l.placeConstants(0)
	if l.options.ConstantGaps && MayBeApart(l.program) && offset < constantBytes {
		if end, _ := l.placeConstants(min(largestGap, (constantBytes-offset)/count)); end > constantBytes { // alignment took more
			l.placeConstants(0)
		}
	}
	if offset > constantBytes {
		m := l.modules[0]
		m.errorf(ptx.Position{}, "the program's .const variables take %d bytes; a Kepler has %d", offset, constantBytes)
	}
}

// MayBeApart reports a program to which Options.Apart makes a difference.
func MayBeApart(p *isa.Program) bool {
	count := 0
	for _, s := range p.Symbols {
		if s.Space == isa.SpaceConst {
			count++
		}
	}
	return count > 1
}

// placeConstants places .const symbols with some bytes between them, and returns where the last ends and how many there are.
func (l *linker) placeConstants(apart int) (end, count int) {
	for _, s := range l.program.Symbols {
		if s.Space != isa.SpaceConst {
			continue
		}
		if count++; count > 1 {
			end += apart
		}
		end = roundUp(end, max(s.Align, 1))
		s.Address = uint64(end)
		end += s.Bytes
	}
	return end, count
}

// largestGap is the largest gap: more than the row of a small matrix.
const largestGap = 256

// constantBytes is the size of user constant memory (CUDA C Programming Guide, technical specifications per compute capability).
const constantBytes = 64 << 10

// sharedLayout places shared symbols.
type sharedLayout struct {
	address map[int32]uint64
	bytes   int            // of static symbols
	dynamic map[int32]bool // dynamic symbols in use
	align   int            // of the dynamic symbols
	base    int            // of dynamic shared memory, if a function that is not inlined names it
}

func newSharedLayout() sharedLayout {
	return sharedLayout{address: map[int32]uint64{}, dynamic: map[int32]bool{}, align: 1}
}

// with returns a copy of a layout with a body's symbols added.
func (l *linker) with(layout sharedLayout, b *body) sharedLayout {
	layout.address, layout.dynamic = maps.Clone(layout.address), maps.Clone(layout.dynamic)
	l.placeShared(&layout, b)
	return layout
}

// pinShared places the shared symbols that functions which are not inlined name. They need the same addresses in every kernel that may call
// the function, so they come first. Dynamic shared memory begins, in each of these kernels, behind the largest static part among them.
func (l *linker) pinShared() sharedLayout {
	pinned := newSharedLayout()
	called := l.calledFunctions()
	for _, b := range l.bodies {
		if b != nil && !b.function.Kernel && called[b.index] {
			l.placeShared(&pinned, b)
		}
	}
	if len(pinned.dynamic) == 0 {
		return pinned
	}
	most, align := pinned.bytes, pinned.align
	for _, b := range l.bodies {
		if b != nil && b.function.Kernel && b.calls() {
			own := l.with(pinned, b)
			most, align = max(most, own.bytes), max(align, own.align)
		}
	}
	pinned.base = roundUp(most, align)
	for index := range pinned.dynamic {
		l.program.Symbols[index].Address = uint64(pinned.base)
	}
	return pinned
}

// calls reports that a body still has calls.
func (b *body) calls() bool {
	return slices.ContainsFunc(b.items, func(it item) bool { return it.ins != nil && it.ins.Op == isa.OpCall })
}

// calledFunctions returns the functions that are still called, or whose address is taken.
func (l *linker) calledFunctions() map[int32]bool {
	called := map[int32]bool{}
	for _, b := range l.bodies {
		if b == nil {
			continue
		}
		b.eachOperand(func(o *isa.Operand) {
			if o.Kind == isa.OperandFunction {
				called[o.Symbol] = true
			}
		})
		for _, it := range b.items {
			if it.ins != nil && it.ins.Op == isa.OpCall {
				called[it.ins.Call.Function] = true
			}
		}
	}
	for _, s := range l.program.Symbols {
		for _, r := range s.Relocations {
			called[r.Function] = true
		}
	}
	return called
}

// placeShared adds a body's shared symbols to a layout, in order of declaration.
func (l *linker) placeShared(layout *sharedLayout, b *body) {
	used := map[int32]bool{}
	b.eachOperand(func(o *isa.Operand) {
		if o.Kind == operandShared {
			used[o.Symbol] = true
		}
	})
	for index, s := range l.program.Symbols {
		if !used[int32(index)] {
			continue
		}
		if s.Dynamic {
			layout.dynamic[int32(index)] = true
			layout.align = max(layout.align, s.Align)
			continue
		}
		if _, placed := layout.address[int32(index)]; placed {
			continue
		}
		layout.bytes = roundUp(layout.bytes, max(s.Align, 1))
		layout.address[int32(index)] = uint64(layout.bytes)
		s.Address = uint64(layout.bytes)
		layout.bytes += s.Bytes
	}
}

// layoutShared places a kernel's shared symbols: first pinned ones, then static ones, then dynamic ones.
func (l *linker) layoutShared(b *body, pinned sharedLayout) {
	layout := newSharedLayout()
	if b.calls() {
		layout = pinned
	}
	layout = l.with(layout, b)
	f := b.function
	f.DynamicShared = max(roundUp(layout.bytes, layout.align), layout.base)
	f.SharedBytes = layout.bytes
	if len(layout.dynamic) > 0 {
		f.SharedBytes = f.DynamicShared // a gap between them is part of the block's memory
		f.DynamicAlign = layout.align
	}
	b.eachOperand(func(o *isa.Operand) {
		if o.Kind != operandShared {
			return
		}
		at, static := layout.address[o.Symbol]
		if !static {
			at = uint64(f.DynamicShared)
			if !pinned.dynamic[o.Symbol] {
				l.program.Symbols[o.Symbol].Address = at
			}
		}
		o.Kind, o.Immediate, o.Symbol = isa.OperandImmediate, truncate(o.Immediate+at, o.Type.Bytes()), 0
	})
}

// layoutFrame places the remaining variables in local memory, and replaces their addresses, and those of constants, by numbers.
func (b *body) layoutFrame(p *isa.Program) {
	used := make([]bool, len(b.function.Variables))
	numbers := make([]int32, len(used))
	for _, it := range b.items {
		if it.ins != nil && it.ins.Op == isa.OpCall {
			eachCallVariable(it.ins.Call, func(v *int32) { used[*v] = true })
		}
	}
	b.eachOperand(func(o *isa.Operand) {
		if o.Kind == operandVariable {
			used[o.Symbol] = true
		}
	})
	b.eachInFrame(func(_ *isa.Parameter, v int32) { used[v] = true })
	offset := 0
	var kept []isa.Variable
	for i, v := range b.function.Variables {
		if !used[i] {
			continue
		}
		numbers[i] = int32(len(kept))
		v.Offset = roundUp(offset, max(v.Align, 1))
		v.Space = isa.SpaceLocal
		offset = v.Offset + v.Bytes
		b.function.Variables[i] = v
		kept = append(kept, v)
	}
	b.function.FrameBytes = roundUp(offset, 4)
	b.eachInFrame(func(p *isa.Parameter, v int32) { p.Offset = b.function.Variables[v].Offset })
	b.frameAddresses()
	for _, it := range b.items {
		if it.ins == nil {
			continue
		}
		if m := it.ins.Memory; m != nil && m.Space == isa.SpaceParam && (!b.function.Kernel || m.Base.Kind == operandVariable) {
			m.Space = isa.SpaceLocal
		}
		if it.ins.Op == isa.OpCall {
			eachCallVariable(it.ins.Call, func(v *int32) { *v = numbers[*v] })
		}
	}
	b.eachOperand(func(o *isa.Operand) {
		switch {
		case o.Kind == operandVariable:
			at := b.function.Variables[o.Symbol].Offset
			o.Kind, o.Immediate, o.Symbol = isa.OperandImmediate, truncate(o.Immediate+uint64(at), o.Type.Bytes()), 0
		case o.Kind == operandShared:
			o.Kind = isa.OperandSymbol
		case o.Kind == isa.OperandSymbol && p.Symbols[o.Symbol].Space == isa.SpaceConst:
			at := p.Symbols[o.Symbol].Address
			o.Kind, o.Immediate, o.Symbol = isa.OperandImmediate, truncate(o.Immediate+at, o.Type.Bytes()), 0
		}
	})
	b.function.Variables = kept
}

// eachCallVariable visits the variables that a call passes.
func eachCallVariable(c *isa.Call, visit func(*int32)) {
	for _, list := range [][]isa.CallArgument{c.Arguments, c.Returns} {
		for k := range list {
			if list[k].Variable >= 0 {
				visit(&list[k].Variable)
			}
		}
	}
}

// eachOperand visits every operand of the body.
func (b *body) eachOperand(visit func(*isa.Operand)) {
	for _, it := range b.items {
		if it.ins != nil {
			it.ins.Sources(visit)
			it.ins.Destinations(visit)
		}
	}
}

// build turns the list of items into connected, reachable basic blocks. A label that no branch names starts no block.
func (b *body) build(p *isa.Program) {
	f := b.function
	named := b.namedLabels()
	at := make([]isa.BlockID, b.labels)
	var blocks []*isa.Block
	var current *isa.Block
	start := func() {
		if current == nil || len(current.Instructions) > 0 {
			current = &isa.Block{}
			blocks = append(blocks, current)
		}
	}
	start()
	for _, it := range b.items {
		if it.ins == nil {
			if !named[it.label] {
				continue
			}
			start()
			at[it.label] = isa.BlockID(len(blocks) - 1)
			current.NoUnroll = current.NoUnroll || it.noUnroll
			if current.Label == "" {
				current.Label = it.name
			}
			continue
		}
		if f.Kernel && it.ins.Op == isa.OpRet {
			it.ins.Op = isa.OpExit
		}
		if current == nil {
			start()
		}
		current.Instructions = append(current.Instructions, it.ins)
		if it.ins.Terminator() {
			current = nil
		}
	}
	f.Blocks = blocks
	for _, block := range blocks {
		for _, i := range block.Instructions {
			for k, label := range i.Targets {
				i.Targets[k] = at[label]
			}
		}
	}
	connect(f, p)
	b.items = nil
}

// reachable drops unreachable blocks and renumbers branch targets.
func reachable(blocks []*isa.Block) []*isa.Block {
	seen := make([]bool, len(blocks))
	work := []isa.BlockID{0}
	seen[0] = true
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range blocks[id].Successors {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	number := make([]isa.BlockID, len(blocks))
	next := isa.BlockID(0)
	for i := range blocks {
		number[i] = next
		if seen[i] {
			next++
		}
	}
	for i, block := range blocks {
		if !seen[i] {
			continue
		}
		for _, ins := range block.Instructions {
			for k, t := range ins.Targets {
				ins.Targets[k] = number[t]
			}
		}
	}
	kept := blocks[:0:0]
	for i, block := range blocks {
		if seen[i] {
			kept = append(kept, block)
		}
	}
	return slices.Clip(kept)
}
