package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/keplersim/keplersim/isa"
)

// packArgument returns a Go value as the bytes of a parameter.
func packArgument(p *isa.Parameter, argument any) ([]byte, error) {
	if raw, ok := argument.([]byte); ok {
		if len(raw) != p.Bytes {
			return nil, fmt.Errorf("the parameter has %d bytes, but %d are given", p.Bytes, len(raw))
		}
		return raw, nil
	}
	v := reflect.ValueOf(argument)
	if p.Count == 1 && v.IsValid() && isNumber(v.Kind()) {
		bits, err := scalar(p.Type, v)
		if err != nil {
			return nil, err
		}
		return binary.LittleEndian.AppendUint64(nil, bits)[:p.Bytes], nil
	}
	if !v.IsValid() || v.Kind() != reflect.Struct && v.Kind() != reflect.Array {
		return nil, fmt.Errorf("a %T is not a number, struct or []byte; Upload copies a slice to the device and returns its address",
			argument)
	}
	out, _, err := layOut(nil, v)
	if err != nil {
		return nil, err
	}
	if len(out) != p.Bytes {
		return nil, fmt.Errorf("the parameter has %d bytes, but a %T takes %d", p.Bytes, argument, len(out))
	}
	return out, nil
}

func isNumber(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Float64 }

// scalar converts a number to a parameter's type like C++, but returns an error where C++ would truncate.
func scalar(t isa.Type, v reflect.Value) (uint64, error) {
	size := 8 * t.Bytes()
	switch {
	case t.Kind() == isa.KindFloat:
		return floating(t, v)
	case v.CanFloat() && t.Kind() == isa.KindBits && v.Type().Bits() == size:
		return floatBits(size, v.Float()), nil
	case v.CanFloat() && t.Kind() == isa.KindBits:
		return 0, fmt.Errorf("%v is a %s: float32 has the parameter's 32 bits, float64 64", v, v.Kind())
	case v.CanFloat():
		return 0, fmt.Errorf("%v is not an integer", v)
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1, nil
		}
		return 0, nil
	case v.CanInt():
		// C++ has no sign in PTX: an int's parameter is .u32.
		if n := v.Int(); size == 64 || n >= -1<<(size-1) && n < 1<<size {
			return uint64(n), nil
		}
	default:
		if n := v.Uint(); size == 64 || n < 1<<size {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%v does not fit %d bits", v, size)
}

// floating returns a number as a parameter of a floating-point type.
func floating(t isa.Type, v reflect.Value) (uint64, error) {
	value := 0.0
	switch {
	case v.CanFloat():
		value = v.Float()
	case v.CanInt():
		value = float64(v.Int())
	case v.CanUint():
		value = float64(v.Uint())
	default:
		return 0, fmt.Errorf("%v is not a number", v)
	}
	if t.Bytes() < 4 {
		return 0, errors.New("a parameter in half precision takes its bytes")
	}
	return floatBits(8*t.Bytes(), value), nil
}

func floatBits(size int, value float64) uint64 {
	if size == 32 {
		return uint64(math.Float32bits(float32(value)))
	}
	return math.Float64bits(value)
}

// layOut appends a value in C's layout: each number at a multiple of its size, a struct's size a multiple of its greatest alignment.
func layOut(out []byte, v reflect.Value) ([]byte, int, error) {
	alignment, err := 1, error(nil)
	add := func(member reflect.Value) {
		if err != nil {
			return
		}
		var packed []byte
		var align int
		if packed, align, err = layOut(nil, member); err == nil {
			out = append(padded(out, align), packed...)
			alignment = max(alignment, align)
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			add(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			add(v.Index(i))
		}
	default:
		size := binary.Size(reflect.Zero(v.Type()).Interface())
		if !isNumber(v.Kind()) || size <= 0 {
			return nil, 0, fmt.Errorf("a member of type %s has no fixed size, as int32, uint64 (an address) and float32 have", v.Type())
		}
		bits, err := memberBits(v)
		return binary.LittleEndian.AppendUint64(nil, bits)[:size], size, err
	}
	return padded(out, alignment), alignment, err
}

// memberBits returns the bits of a number.
func memberBits(v reflect.Value) (uint64, error) {
	switch {
	case v.CanFloat():
		return floatBits(v.Type().Bits(), v.Float()), nil
	case v.CanInt():
		return uint64(v.Int()), nil
	case v.CanUint():
		return v.Uint(), nil
	}
	return scalar(isa.B8, v)
}

// padded appends zeros up to a multiple of an alignment.
func padded(out []byte, alignment int) []byte {
	for len(out)%alignment != 0 {
		out = append(out, 0)
	}
	return out
}
