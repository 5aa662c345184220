package workload

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// InitKind is a way to say what a buffer holds at first.
type InitKind string

// The ways of docs/workload-file.md.
const (
	InitZero   InitKind = "zero"
	InitFill   InitKind = "fill"
	InitValues InitKind = "values"
	InitRamp   InitKind = "ramp"
	InitRandom InitKind = "random"
	InitFile   InitKind = "file"
	// InitPointers is a list of addresses, which the host program knows when it has allocated the buffers.
	InitPointers InitKind = "pointers"
	// InitUnset is zero, too, but a kernel that counts on it is mistaken, as after cudaMalloc alone; checks tell of it.
	InitUnset InitKind = "unset"
)

// initWords are the kinds that are written as a word; initKinds those that are written as a mapping of one entry.
var initWords = []string{string(InitZero), string(InitUnset)}

var initKinds = []string{"fill", "values", "ramp", "random", "file", "pointers"}

// Init is what a buffer holds at first.
type Init struct {
	Kind   InitKind // "" is zero
	Values []Number // fill: the one value; values: the first elements
	Start  Number   // ramp
	Step   Number   // ramp
	Seed   uint64   // random
	// Min and Max bound random elements, both included for integers. Nil: 0 and 1 for floats, the type's whole range for
	// integers.
	Min, Max *Number
	File     string     // as written; see Workload.File
	Pointers []Argument // addresses of buffers, and numbers of 64 bits
}

// SplitMix64 is the generator of random contents: the state after seeding with s is s itself.
type SplitMix64 uint64

// Next returns the next 64 random bits.
func (s *SplitMix64) Next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// check reports what is wrong with the contents for a buffer of count elements of type t; files are not opened.
func (i Init) check(t Type, count int64) error {
	if int64(len(i.Values)) > count && i.Kind == InitValues {
		return fmt.Errorf("%d values for a buffer of %d elements", len(i.Values), count)
	}
	for _, v := range i.Values {
		if _, err := v.bits(t); err != nil {
			return err
		}
	}
	switch i.Kind {
	case InitRamp:
		if !t.IsFloat() && (i.Start.IsFloat || i.Step.IsFloat) {
			return fmt.Errorf("a ramp of type %s needs integers for start and step", t)
		}
	case InitRandom:
		low, high := i.bounds(t)
		if t.IsFloat() {
			if !(low.float() <= high.float()) {
				return fmt.Errorf("min %v is above max %v", low, high)
			}
			return nil
		}
		for _, n := range []Number{low, high} {
			if _, err := n.bits(t); err != nil {
				return err
			}
		}
		if low.Negative && !high.Negative {
			return nil
		}
		if high.Negative && !low.Negative || low.wrapped() > high.wrapped() {
			return fmt.Errorf("min %v is above max %v", low, high)
		}
	}
	return nil
}

// bounds fills in the default range of random elements.
func (i Init) bounds(t Type) (low, high Number) {
	if t.IsFloat() {
		low, high = integer(0), integer(1)
	} else {
		least, greatest := t.limits()
		low, high = integer(least), Number{Magnitude: greatest}
	}
	if i.Min != nil {
		low = *i.Min
	}
	if i.Max != nil {
		high = *i.Max
	}
	return low, high
}

// PutPointers writes the addresses of a buffer that starts with pointers over its first bytes, as Initial returns them.
func (i Init) PutPointers(out []byte, addresses Addresses) error {
	for n, a := range i.Pointers {
		packed, err := a.pack(ParamInfo{Type: "u64", Size: 8}, addresses)
		if err != nil {
			return fmt.Errorf("pointer %d: %w", n, err)
		}
		copy(out[8*n:], packed)
	}
	return nil
}

// checkPointers reports what is wrong with pointers for a buffer of count elements of type t.
func (i Init) checkPointers(t Type, count int64) error {
	if i.Kind != InitPointers {
		return nil
	}
	if t.Size() != 8 || t.IsFloat() {
		return fmt.Errorf("pointers are of type u64, not %s", t)
	}
	if int64(len(i.Pointers)) > count {
		return fmt.Errorf("%d pointers for a buffer of %d elements", len(i.Pointers), count)
	}
	for _, a := range i.Pointers {
		if a.Buffer == "" && (a.Type == "" || a.Type.Size() != 8) {
			return fmt.Errorf("%v is no pointer: write a buffer's name, {ptr: [NAME, BYTES]} or {u64: 0}", a)
		}
	}
	return nil
}

// Initial returns the first bytes of the buffer, little endian, of length b.Bytes(); zeros where addresses belong, see PutPointers. Only a
// missing or too long file makes it fail.
func (w *Workload) Initial(b Buffer) ([]byte, error) {
	out := make([]byte, b.Bytes())
	size := b.Type.Size()
	switch b.Init.Kind {
	case InitFill, InitValues:
		if len(b.Init.Values) == 0 {
			return out, nil
		}
		for i := range int(b.Count) {
			v := b.Init.Values[0]
			if b.Init.Kind == InitValues {
				if i == len(b.Init.Values) {
					break
				}
				v = b.Init.Values[i]
			}
			bits, err := v.bits(b.Type)
			if err != nil {
				return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
			}
			b.Type.put(out[i*size:], bits)
		}
	case InitRamp:
		for i := range int(b.Count) {
			b.Type.put(out[i*size:], b.Init.rampElement(b.Type, i))
		}
	case InitRandom:
		generator := SplitMix64(b.Init.Seed)
		element := b.Init.randomElement(b.Type)
		for i := range int(b.Count) {
			b.Type.put(out[i*size:], element(generator.Next()))
		}
	case InitFile:
		if err := readInto(out, w.File(b.Init.File)); err != nil {
			return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
		}
	}
	return out, nil
}

// rampElement is start + i * step: in double precision, or modulo the integer type.
func (i Init) rampElement(t Type, n int) uint64 {
	if t.IsFloat() {
		return floatBits(t, i.Start.float()+float64(float64(n)*i.Step.float()))
	}
	return i.Start.wrapped() + uint64(n)*i.Step.wrapped()
}

// randomElement returns the function from 64 random bits to an element's bits.
func (i Init) randomElement(t Type) func(uint64) uint64 {
	low, high := i.bounds(t)
	if t.IsFloat() {
		lo, span := low.float(), high.float()-low.float()
		return func(z uint64) uint64 {
			return floatBits(t, lo+float64(span*(float64(z>>11)*0x1p-53))) // the conversion forbids a fused multiply-add
		}
	}
	span := high.wrapped() - low.wrapped() + 1
	if span == 0 { // every 64-bit pattern: the random bits themselves
		return func(z uint64) uint64 { return z }
	}
	return func(z uint64) uint64 { return low.wrapped() + z%span }
}

// readInto fills the start of dst from a file, which must not be longer.
func readInto(dst []byte, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.ReadFull(f, dst); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil // a shorter file: the rest stays zero
		}
		return fmt.Errorf("read %s: %w", path, err)
	}
	if n, err := f.Read(make([]byte, 1)); n > 0 {
		return fmt.Errorf("%s is longer than the buffer's %d bytes", path, len(dst))
	} else if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
