package workload

import "fmt"

// InitKind is a kind of initial contents for a buffer.
type InitKind string

// The kinds in docs/workload-file.md.
const (
	InitZero   InitKind = "zero"
	InitFill   InitKind = "fill"
	InitValues InitKind = "values"
	InitRamp   InitKind = "ramp"
	InitRandom InitKind = "random"
	InitFile   InitKind = "file"
	// InitPointers is a list of addresses, which are known once the buffers are allocated.
	InitPointers InitKind = "pointers"
	// InitUnset also means zeros, but a kernel must not rely on them, as after cudaMalloc. The checks report reads.
	InitUnset InitKind = "unset"
)

// initWords are the kinds written as a word; initKinds are those written as a mapping of one entry.
var initWords = []string{string(InitZero), string(InitUnset)}

var initKinds = []string{"fill", "values", "ramp", "random", "file", "pointers"}

// Init is a buffer's initial contents.
type Init struct {
	Kind   InitKind // "" is zero
	Values []Number // fill: the one value; values: the first elements
	Start  Number   // ramp
	Step   Number   // ramp
	Seed   uint64   // random
	// Min and Max bound random elements, both inclusive for integers. Nil means 0 and 1 for floats, and the type's whole range for
	// integers.
	Min, Max *Number
	File     string     // as written; see Workload.File
	Pointers []Argument // addresses of buffers, and 64-bit numbers
}

// SplitMix64 generates random contents. The state after seeding with s is s itself.
type SplitMix64 uint64

// Next returns the next 64 random bits.
func (s *SplitMix64) Next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// skip skips numbers of the sequence.
func (s *SplitMix64) skip(numbers uint64) { *s += SplitMix64(numbers * 0x9e3779b97f4a7c15) }

// check returns an error if the contents do not suit a buffer of count elements of type t. It opens no files.
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

// checkPointers returns an error if pointers do not suit a buffer of count elements of type t.
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
			return fmt.Errorf("%v is not a pointer: write a buffer's name, {ptr: [NAME, BYTES]} or {u64: 0}", a)
		}
	}
	return nil
}
