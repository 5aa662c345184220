package exec

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/isa/texture"
)

// boundImage is the part of a texture or surface instruction that other memory operations do not have.
type boundImage struct {
	use
	object, sampler [2]slot
	sampled         bool // the instruction names a sampler
	coordinates     [4]slot
	count           int // of coordinates
	component       uint8
	leveled         bool // the instruction names a level of detail
	level           slot
	clamp           clampMode
	formatted       bool // coordinates are in texels, and values are converted to the surface's format
	answer          query
}

// clampMode is the behaviour of a surface access outside the surface.
type clampMode uint8

const (
	clampTrap clampMode = iota
	clampNearest
	clampZero
)

var clampModes = map[string]clampMode{"": clampTrap, "trap": clampTrap, "clamp": clampNearest, "zero": clampZero}

// bindImage binds texture and surface instructions: memory operations with coordinates for addresses.
func bindImage(b *binder, bound *Bound, i *isa.Instruction) error {
	t := i.Memory.Texture
	m := &boundMemory{kind: accessKinds[i.Op], space: i.Memory.Space, cache: i.Memory.Cache, t: i.Type, operation: i.Mod.Select,
		bytes: uint8(max(1, int(i.Memory.Vector)) * i.Type.Bytes())}
	img := &boundImage{
		use: use{op: i.Op.String(), surface: i.Memory.Space == isa.SpaceSurface, floats: i.Type == isa.F32,
			gather: i.Op == isa.OpTld4},
		component: t.Component, leveled: t.Level.Kind != isa.OperandNone, formatted: t.Formatted, count: len(t.Coordinates),
	}
	var err error
	if img.object, err = b.pair(bound, t.Object); err != nil {
		return err
	}
	if t.Sampler.Kind != isa.OperandNone {
		img.sampled = true
		if img.sampler, err = b.pair(bound, t.Sampler); err != nil {
			return err
		}
	}
	level, err := b.pair(bound, t.Level)
	if err != nil {
		return err
	}
	img.level = level[0]
	if t.Query != "" {
		img.query = true
		if img.answer = queries[t.Query]; img.answer == nil {
			return fmt.Errorf("query %s: %w", t.Query, ErrUnsupported)
		}
	} else {
		var ok bool
		if img.geometry, ok = texture.ParseGeometry(t.Geometry); !ok {
			return fmt.Errorf("geometry %s: %w", t.Geometry, ErrUnsupported)
		}
		if img.clamp, ok = clampModes[t.ClampMode]; !ok {
			return fmt.Errorf("clamp mode %s: %w", t.ClampMode, ErrUnsupported)
		}
	}
	for k, c := range t.Coordinates {
		p, err := b.pair(bound, c)
		if err != nil {
			return err
		}
		img.coordinates[k] = p[0]
	}
	for _, o := range i.Src {
		p, err := b.pair(bound, o)
		if err != nil {
			return err
		}
		m.value = append(m.value, p)
	}
	for _, o := range i.Dst {
		d, err := target(o)
		if err != nil {
			return err
		}
		m.result = append(m.result, d)
	}
	if m.kind == AccessReduction && !img.formatted && !atomicExists(m.operation, i.Type) {
		return fmt.Errorf("surface reduction %d on %s: %w", m.operation, i.Type, ErrUnsupported)
	}
	bound.memory, bound.image, bound.Kind = m, img, KindMemory
	return nil
}

// ObjectError is a texture, sampler or surface variable that is not bound, or whose object does not fit the instruction.
type ObjectError struct {
	File    string // of the PTX
	Line    int
	Problem string
}

// Error says where and what.
func (e *ObjectError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem) }

// CheckObjects returns what is wrong with the variables that the instruction names as its texture, sampler or surface; nil if nothing is.
// Handles in registers are checked at their use. With queries it checks only queries, else only other instructions: those say what an
// object should be.
func (b *Bound) CheckObjects(l *Launch, queries bool) *ObjectError {
	if b.image == nil || b.image.query != queries {
		return nil
	}
	program := l.code.program
	for _, o := range []*isa.Operand{&b.effect.Memory.Texture.Object, &b.effect.Memory.Texture.Sampler} {
		if o.Kind != isa.OperandSymbol {
			continue
		}
		symbol := program.Symbols[o.Symbol]
		object := l.Objects.Find(symbol.Address)
		text := ""
		switch {
		case object == nil:
			text = fmt.Sprintf("`%s` has no handle: the module was not loaded on a device", symbol.Name)
		case o == &b.effect.Memory.Texture.Object:
			text = b.image.check(object)
		case !object.Bound:
			text = unboundSampler(object.Name)
		}
		if text != "" {
			line := program.Lines[b.effect.Line]
			return &ObjectError{File: program.Files[line.PTXFile], Line: int(line.PTXLine), Problem: text}
		}
	}
	return nil
}

// access describes the access of the active lanes that name the same object as the first; rest are the others. If Active is then empty
// there is nothing to do: all lanes are outside a surface that ignores such accesses.
func (img *boundImage) access(b *Bound, w *Warp, active uint32, a *Access) (rest uint32, fault *Fault) {
	m := b.memory
	a.Kind, a.Space, a.Cache, a.Order, a.Shape = m.kind, m.space, m.cache, isa.OrderWeak, Shape{}
	a.Bytes, a.Operation, a.Type = m.bytes, m.operation, m.t
	first := bits.TrailingZeros32(active) & 31
	same, handle := sameHandle(w, img.object, active, first)
	objects := w.Block.Launch.Objects
	object := objects.Find(handle)
	if object == nil {
		return 0, &Fault{Lane: first, Detail: fmt.Sprintf("%s of %#x, which is no handle of a texture, sampler or surface: pass one as an "+
			"argument, {texture: NAME}, {surface: NAME} or {sampler: NAME}", img.op, handle)}
	}
	if !img.accepts(object) {
		return 0, &Fault{Lane: first, Detail: img.check(object)}
	}
	a.Image, a.Sampling, a.Gather = object.Image, object.Sampling, int8(-1)
	if img.sampled {
		part, handle := sameHandle(w, img.sampler, same, first)
		sampler := objects.Find(handle)
		switch {
		case sampler == nil || sampler.Type != isa.SamplerRef:
			return 0, &Fault{Lane: first,
				Detail: fmt.Sprintf("%s with the sampler %#x, which is no handle of one: pass one as an argument, "+
					"{sampler: NAME}", img.op, handle)}
		case !sampler.Bound:
			return 0, &Fault{Lane: first, Detail: unboundSampler(sampler.Name)}
		}
		same, a.Sampling = part, sampler.Sampling
	}
	a.Active, rest = same, active&^same
	switch {
	case img.query:
		value := img.answer(object)
		for i := range a.Data[0] {
			a.Data[0][i] = value
		}
		if img.leveled { // only level 0 exists
			for i, level := range w.lanes(img.level) {
				if level != 0 {
					a.Data[0][i] = 0
				}
			}
		}
	case img.surface:
		return rest, img.surfaceAccess(b, w, a, object)
	default:
		a.Integers, a.Bytes = b.effect.From != isa.F32, uint8(object.Image.TexelBytes())
		if img.gather {
			a.Gather = int8(img.component)
		}
		for k := range img.count {
			a.Data[k] = *w.lanes(img.coordinates[k])
		}
		if img.leveled && a.Integers {
			img.atLevel(w, a)
		}
	}
	return rest, nil
}

// atLevel turns integer coordinates with a level of detail into those without.
func (img *boundImage) atLevel(w *Warp, a *Access) {
	level := w.lanes(img.level)
	for m := a.Active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		c := [4]uint32{a.Data[0][i], a.Data[1][i], a.Data[2][i], a.Data[3][i]}
		texture.AtLevel(a.Image, &c, level[i])
		a.Data[0][i], a.Data[1][i], a.Data[2][i], a.Data[3][i] = c[0], c[1], c[2], c[3]
	}
}

// accepts reports that check finds nothing wrong.
func (img *boundImage) accepts(o *Object) bool {
	if img.query && !img.surface && o.Type == isa.SamplerRef {
		return o.Bound
	}
	wanted, _ := img.takes()
	return o.Type == wanted && o.Bound && (img.query || img.fits(o.Image.Geometry) && (img.surface || !img.floats || o.Image.Floats()))
}

// sameHandle returns a lane's handle, and the active lanes with the same handle.
func sameHandle(w *Warp, s [2]slot, active uint32, lane int) (same uint32, handle uint64) {
	low, high := w.lanes(s[0]), w.lanes(s[1])
	handle = pack64(low[lane], high[lane])
	for m := active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if low[i] == low[lane] && high[i] == high[lane] {
			same |= 1 << i
		}
	}
	return same, handle
}

// surfaceAccess turns surface coordinates into a global access. A lane outside the surface faults, moves to the nearest place inside, or
// leaves Active; its load then gives zero.
func (img *boundImage) surfaceAccess(b *Bound, w *Warp, a *Access, o *Object) *Fault {
	image := o.Image
	a.Space = isa.SpaceGlobal
	size, unit := int(a.Bytes), 1
	if img.formatted {
		if a.Kind == AccessReduction && (image.TexelBytes() != 4 || image.Channels != 1 || image.Format.Float()) {
			return &Fault{Lane: bits.TrailingZeros32(a.Active) & 31,
				Detail: fmt.Sprintf("sured.p of surface `%s`, whose texels are %d × %s: it needs one channel of u32 or s32", o.Name,
					image.Channels,
					image.Format)}
		}
		size = image.TexelBytes()
		unit = size
		a.Bytes = uint8(size)
	}
	row := image.Width * image.TexelBytes() // bytes
	limits := [4]int{(row - size) / unit, image.Height - 1, image.Depth - 1, image.Layers - 1}
	if !img.geometry.Layered() {
		limits[3] = 0
	}
	outside := uint32(0)
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		var at [4]int // x in units, y, z, layer
		k := 0
		if img.geometry.Layered() {
			at[3] = int(w.lanes(img.coordinates[0])[lane]) // unsigned: a negative layer is beyond the last
			if img.clamp != clampTrap {
				at[3] &= 0xffff // a current GPU ignores the other bits
			}
			k = 1
		}
		for n := range img.geometry.Dimensions() {
			at[n] = int(int32(w.lanes(img.coordinates[k+n])[lane]))
		}
		for n := range at {
			if at[n] >= 0 && at[n] <= limits[n] {
				continue
			}
			switch img.clamp {
			case clampTrap:
				return &Fault{Lane: lane, Bytes: size, Write: a.writes(), Detail: img.outsideText(o, at, a, size)}
			case clampZero:
				outside |= 1 << lane
			}
			at[n] = max(0, min(at[n], limits[n]))
		}
		address := image.Texel(0, at[1], at[2], at[3]) + uint64(at[0]*unit)
		if address&uint64(size-1) != 0 && outside>>lane&1 == 0 {
			return &Fault{Lane: lane, Address: address, Bytes: size, Space: isa.SpaceSurface, Write: a.writes(), Misaligned: true}
		}
		a.Address[lane] = address
	}
	a.Active &^= outside
	switch a.Kind {
	case AccessLoad:
		if outside != 0 {
			a.Data = [4]isa.Lanes32{}
			b.Complete(w, a, outside)
		}
		return nil
	case AccessReduction:
		if img.formatted {
			a.Type = isa.U32
			if image.Format.Signed() {
				a.Type = isa.S32
			}
		}
	}
	b.fill(w, a)
	if img.formatted && a.Kind == AccessStore {
		pack(a, image, len(b.memory.value))
	}
	return nil
}

// outsideText describes a lane's access outside a surface.
func (img *boundImage) outsideText(o *Object, at [4]int, a *Access, size int) string {
	image, unit := o.Image, "byte"
	if img.formatted {
		unit = "texel"
	}
	access := "load"
	if a.writes() {
		access = "store"
	}
	text := fmt.Sprintf("%d-byte %s at %s %d", size, access, unit, at[0])
	for n, name := range []string{"", "row", "slice", "layer"} {
		if n > 0 && n < img.geometry.Dimensions() || n == 3 && img.geometry.Layered() {
			text += fmt.Sprintf(", %s %d", name, at[n])
		}
	}
	return fmt.Sprintf("%s of surface `%s`, which has %d bytes a row, %d rows, %d slices and %d layers (.trap)", text, o.Name,
		image.Width*image.TexelBytes(), image.Height, image.Depth, image.Layers)
}

// halves converts f32 to f16.
var halves, _ = fp.Find(fp.Key{Op: "cvt", Type: "f16", From: "f32", Rounding: fp.RoundZero})

// pack converts the values of a formatted store, one 32-bit value per channel, to texels. Floats are truncated to f16. Integers saturate to
// the channel's range, as on a current GPU. Channels without a value are zero.
func pack(a *Access, image *texture.Image, values int) {
	var channel [4]isa.Lanes32
	for n := range min(values, image.Channels) {
		switch image.Format {
		case texture.F16:
			halves.Unary32(&channel[n], &a.Data[n], a.Active)
			for i, v := range a.Data[n] {
				if v&0x7fffffff > 0x7f800000 {
					channel[n][i] = 0x7e00 // NaN
				}
			}
		case texture.U8, texture.U16:
			most := uint32(1)<<(8*image.Format.Bytes()) - 1
			for i, v := range a.Data[n] {
				channel[n][i] = min(v, most)
			}
		case texture.S8, texture.S16:
			most := int32(1)<<(8*image.Format.Bytes()-1) - 1
			for i, v := range a.Data[n] {
				channel[n][i] = uint32(max(-most-1, min(int32(v), most)))
			}
		default:
			channel[n] = a.Data[n]
		}
	}
	a.Data = [4]isa.Lanes32{}
	width := 8 * image.Format.Bytes()
	for n := range image.Channels {
		place(&a.Data, &channel[n], width*n, width)
	}
}
