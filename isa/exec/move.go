package exec

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// bindMove binds mov, of scalars and of vectors.
func bindMove(b *binder, bound *Bound, i *isa.Instruction) error {
	if i.Type == isa.Pred {
		return bindPredicateLogic(bound, i)
	}
	if len(i.Dst) > 1 || len(i.Src) > 1 {
		return bindPack(b, bound, i)
	}
	if len(i.Dst) != 1 || len(i.Src) != 1 {
		return fmt.Errorf("mov of %d to %d: %w", len(i.Src), len(i.Dst), ErrUnsupported)
	}
	if i.Type.Registers() == 2 || i.Dst[0].Type.Registers() == 2 {
		bound.operation = operation{planar: copy64, words: layoutUnary}
	} else {
		bound.operation = operation{unary32: copy32}
	}
	return b.finish(bound, i, false)
}

// bindPack binds moves that pack components or unpack them. Both sides are strings of equal components, the lowest first.
func bindPack(b *binder, bound *Bound, i *isa.Instruction) error {
	whole := 8 * i.Type.Bytes()
	if len(i.Dst) > 1 && len(i.Src) > 1 && len(i.Dst) == len(i.Src) {
		whole *= len(i.Dst) // a move between vectors of equal length
	}
	if whole > 128 {
		return fmt.Errorf("mov of %d bits: %w", whole, ErrUnsupported)
	}
	p := &packing{from: whole / len(i.Src), to: whole / len(i.Dst)}
	for _, o := range i.Src {
		s, err := b.pair(bound, o)
		if err != nil {
			return err
		}
		p.source = append(p.source, s)
	}
	for _, o := range i.Dst {
		d, err := target(o)
		if err != nil {
			return err
		}
		p.destination = append(p.destination, d)
	}
	bound.run = func(_ *Bound, w *Warp, active uint32) { p.run(w, active) }
	return nil
}

// packing is a move between vectors; from and to are component widths in bits.
type packing struct {
	from, to            int
	source, destination [][2]slot
}

func (p *packing) run(w *Warp, active uint32) {
	words := &w.Scratch.out
	for n, s := range p.source {
		place(words, w.lanes(s[0]), n*p.from, min(32, p.from))
		if p.from == 64 {
			place(words, w.lanes(s[1]), n*64+32, 32)
		}
	}
	out := &w.Scratch.in[0]
	for n, d := range p.destination {
		take(out, words, n*p.to, min(32, p.to))
		merge(w.lanes(d[0]), out, active)
		if p.to == 64 {
			take(out, words, n*64+32, 32)
			merge(w.lanes(d[1]), out, active)
		}
	}
}

// place writes the low bits of s at a bit position in a string of words; a component never crosses a word.
func place(words *[4]isa.Lanes32, s *isa.Lanes32, position, width int) {
	d, shift := &words[position/32], position%32
	mask := uint32(uint64(1)<<width-1) << shift
	for i := range d {
		d[i] = d[i]&^mask | s[i]<<shift&mask
	}
}

func take(d *isa.Lanes32, words *[4]isa.Lanes32, position, width int) {
	s, shift := &words[position/32], position%32
	mask := uint32(uint64(1)<<width - 1)
	for i := range d {
		d[i] = s[i] >> shift & mask
	}
}

// bindConvertAddress binds cvta: a space's address to a generic one, or the reverse with .to.
func bindConvertAddress(b *binder, bound *Bound, i *isa.Instruction) error {
	distance := uint64(0)
	if i.Memory != nil {
		distance = window(i.Memory.Space)
	}
	if i.Mod.To {
		distance = -distance
	}
	if distance == 0 {
		return bindMove(b, bound, &isa.Instruction{Op: isa.OpMov, Type: i.Type, Dst: i.Dst, Src: i.Src[:1]})
	}
	sum := &isa.Instruction{Op: isa.OpAdd, Type: plain(i.Type), Dst: i.Dst, Src: []isa.Operand{i.Src[0], isa.Imm(distance, i.Type)}}
	return bindArithmetic(b, bound, sum)
}

// bindIsSpace binds isspacep: whether a generic address is in a space.
func bindIsSpace(b *binder, bound *Bound, i *isa.Instruction) error {
	if i.Memory == nil || len(i.Src) != 1 || len(i.Dst) != 1 {
		return ErrUnsupported
	}
	if err := b.sources(bound, i.Src); err != nil {
		return err
	}
	d, err := writtenPredicate(i.Dst[0])
	if err != nil {
		return err
	}
	space := i.Memory.Space
	bound.run = func(b *Bound, w *Warp, active uint32) {
		low, high := w.lanes(b.source[0]), w.lanes(b.source[1])
		var mask uint32
		for n := range low {
			if SpaceOf(pack64(low[n], high[n])) == space {
				mask |= 1 << n
			}
		}
		w.setPredicate(d, mask, active)
	}
	return nil
}

// SpaceOf returns the space of a generic address: shared, local, const or global.
func SpaceOf(address uint64) isa.Space {
	switch {
	case address-isa.SharedWindow < isa.WindowBytes:
		return isa.SpaceShared
	case address-isa.LocalWindow < isa.WindowBytes:
		return isa.SpaceLocal
	case address-isa.ConstWindow < isa.WindowBytes:
		return isa.SpaceConst
	default:
		return isa.SpaceGlobal
	}
}
