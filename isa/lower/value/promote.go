package value

import (
	"maps"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// PromoteFrame keeps variables of the frame in registers, if only loads and stores at constant offsets use addresses of the frame. A place
// becomes a register if all its accesses have the same width of one or two words. So does nvcc, even for arrays with constant indices and
// for volatile variables (gemm_fast of KTT has no local memory, by the card's counters).
func PromoteFrame(f *Function) error {
	return f.promoteFrame(func(*framePlace) bool { return true })
}

// PromoteWords is PromoteFrame for 32-bit variables that are read at most once and are not volatile, if products may be contracted. In
// ptxas they are in registers before it contracts, so it fuses a product with a sum that reads it back. Doubles are split into words first.
func PromoteWords(f *Function) error {
	if !f.multiplies() {
		return nil
	}
	return f.promoteFrame(func(p *framePlace) bool {
		reads, volatile := 0, false
		for _, i := range p.accesses {
			if i.Op == isa.OpLd {
				reads++
			}
			volatile = volatile || i.Memory.Order == isa.OrderVolatile
		}
		return p.bytes == 4 && reads <= 1 && !volatile
	})
}

// promoteFrame keeps those variables of the frame in registers for which wanted returns true.
func (f *Function) promoteFrame(wanted func(*framePlace) bool) error {
	if f.FrameBytes == 0 || !f.Kernel.Kernel {
		return nil
	}
	p := &promotion{f: f, values: f.newValues(), places: map[int64]*framePlace{}}
	if !p.collect() || !p.promote(wanted) {
		return nil
	}
	if err := SplitValues(f); err != nil {
		return err
	}
	if err := PropagateCopies(f); err != nil {
		return err
	}
	return RemoveDead(f)
}

// promotion is a function's frame with its accesses.
type promotion struct {
	f      *Function
	values *values
	places map[int64]*framePlace
}

// framePlace is one place of the frame with its accesses.
type framePlace struct {
	bytes    int
	accesses []*isa.Instruction
	mixed    bool // accesses differ in width, or another place overlaps
}

// collect finds the accesses to the frame. ok is false if an address of the frame is unknown or is used otherwise.
func (p *promotion) collect() (ok bool) {
	for _, b := range p.f.Blocks {
		for _, i := range b.Instructions {
			if i.Op == isa.OpCall || i.Op == isa.OpAlloca || !p.note(i) {
				return false
			}
		}
	}
	for offset, place := range p.places {
		for other := offset - 15; other < offset+int64(place.bytes); other++ {
			if q := p.places[other]; q != nil && q != place && other+int64(q.bytes) > offset {
				place.mixed, q.mixed = true, true
			}
		}
	}
	return true
}

// note records an instruction's access to the frame. ok is false if it uses an address of the frame otherwise.
func (p *promotion) note(i *isa.Instruction) (ok bool) {
	for n := range i.Src {
		if _, inFrame := p.address(&i.Src[n]); inFrame {
			return false
		}
	}
	m := i.Memory
	if m == nil || m.Texture != nil {
		return true
	}
	if i.Op == isa.OpCvta {
		return m.Space != isa.SpaceLocal || !i.Mod.To && p.number(&i.Src[0]) != nil && p.values.single(i.Dst[0].Register)
	}
	base, inFrame := p.address(&m.Base)
	switch {
	case m.Space == isa.SpaceLocal && m.Base.Kind == isa.OperandImmediate:
		base = int64(m.Base.Immediate)
	case m.Space == isa.SpaceLocal:
		return false
	case !inFrame:
		return true
	}
	words := append(append([]isa.Operand(nil), i.Dst...), i.Src...)
	if i.Op != isa.OpLd && i.Op != isa.OpSt || len(words) != 1 || m.Order != isa.OrderWeak && m.Order != isa.OrderVolatile {
		return false
	}
	place := p.places[base+m.Offset]
	if place == nil {
		place = &framePlace{bytes: i.Type.Bytes()}
		p.places[base+m.Offset] = place
	}
	place.accesses = append(place.accesses, i)
	place.mixed = place.mixed || i.Type.Bytes() != place.bytes || i.Type.Bytes() < 4 || i.Type.Bytes() > 8 ||
		words[0].Type.Bytes() != i.Type.Bytes() || words[0].Kind == isa.OperandSink
	return true
}

// address returns the offset in the frame that an operand's generic address points to.
func (p *promotion) address(o *isa.Operand) (offset int64, ok bool) {
	d := p.values.definition(o)
	for d != nil && d.Op == isa.OpMov && len(d.Src) == 1 {
		d = p.values.definition(&d.Src[0])
	}
	if d == nil || d.Op != isa.OpCvta || d.Mod.To || d.Memory.Space != isa.SpaceLocal {
		return 0, false
	}
	number := p.number(&d.Src[0])
	if number == nil {
		return 0, false
	}
	return int64(number.Immediate), true
}

// number returns the immediate that an operand is or is a copy of; nil if there is none.
func (p *promotion) number(o *isa.Operand) *isa.Operand {
	for o.Kind != isa.OperandImmediate {
		d := p.values.definition(o)
		if d == nil || d.Op != isa.OpMov || len(d.Src) != 1 {
			return nil
		}
		o = &d.Src[0]
	}
	return o
}

// promote turns the accesses to wanted places into moves.
func (p *promotion) promote(wanted func(*framePlace) bool) (promoted bool) {
	left := false
	for _, offset := range slices.Sorted(maps.Keys(p.places)) {
		place := p.places[offset]
		if place.mixed || !wanted(place) {
			left = true
			continue
		}
		t := isa.B32
		if place.bytes == 8 {
			t = isa.B64
		}
		home := isa.Reg(p.f.Temporary(t), t)
		for _, i := range place.accesses {
			if i.Op == isa.OpLd {
				i.Src = []isa.Operand{home}
			} else {
				i.Dst = []isa.Operand{home}
			}
			i.Op, i.Type, i.Mod, i.Memory, promoted = isa.OpMov, t, isa.Modifiers{}, nil, true
		}
	}
	if promoted && !left {
		p.f.FrameBytes = 0
	}
	return promoted
}
