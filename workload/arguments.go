package workload

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Argument is one kernel argument. Exactly one form is used: a buffer's address (Buffer, Offset), a scalar (Type, Value), bytes (Bytes), a
// struct by value (Members), or a handle (Kind, Object). Three forms change from round to round of a repetition: arguments in turn
// (Rotate), a number (Count), and an earlier result (Element). At turns these into one of the other forms.
type Argument struct {
	Buffer   string
	Offset   int64 // bytes from the buffer's start
	Type     Type
	Value    Number
	Bytes    []byte
	Members  []Argument
	Kind     ObjectKind
	Object   string // the name of the texture or sampler
	Rotate   []Argument
	Count    *Count
	Element  *Element
	Position Position
}

// ObjectKind is the kind of object behind a handle.
type ObjectKind string

// The kinds of objects. An entry in the workload's textures can be used as a texture and as a surface.
const (
	ObjectTexture ObjectKind = "texture"
	ObjectSurface ObjectKind = "surface"
	ObjectSampler ObjectKind = "sampler"
)

var objectKinds = []ObjectKind{ObjectTexture, ObjectSurface, ObjectSampler}

// Size is the argument's size in bytes; for a struct, the sum of its members' sizes without padding.
func (a Argument) Size() int {
	switch {
	case a.Bytes != nil:
		return len(a.Bytes)
	case a.Members != nil:
		sum := 0
		for _, m := range a.Members {
			sum += m.Size()
		}
		return sum
	case a.Type != "":
		return a.Type.Size()
	}
	return 8
}

// String formats the argument as in a workload file.
func (a Argument) String() string {
	if text := a.changing(); text != "" {
		return text
	}
	switch {
	case a.Bytes != nil:
		return fmt.Sprintf(`{bytes: "%s"}`, hex.EncodeToString(a.Bytes))
	case a.Members != nil:
		words := make([]string, len(a.Members))
		for i, m := range a.Members {
			words[i] = m.String()
		}
		return fmt.Sprintf("{struct: [%s]}", strings.Join(words, ", "))
	case a.Type != "":
		return fmt.Sprintf("{%s: %v}", a.Type, a.Value)
	case a.Kind != "":
		return fmt.Sprintf("{%s: %s}", a.Kind, a.Object)
	case a.Offset != 0:
		return fmt.Sprintf("{ptr: [%s, %d]}", a.Buffer, a.Offset)
	}
	return a.Buffer
}

// Addresses resolves the names in arguments to 64-bit device addresses and handles.
type Addresses interface {
	BufferAddress(name string) (uint64, error)
	Handle(kind ObjectKind, name string) (uint64, error)
}

// PackArguments lays out the arguments as the kernel's parameters, each at the next multiple of its alignment, and returns the bytes. The
// arguments must match the parameters in number and size. An address may also go into a 4-byte parameter if it fits, as in modules with
// 32-bit addresses.
func PackArguments(kernel string, params []ParamInfo, args []Argument, addresses Addresses) ([]byte, error) {
	if len(args) != len(params) {
		return nil, fmt.Errorf(
			"kernel %s takes %d arguments (%s), but %d are given", kernel, len(params), describeParams(params), len(args),
		)
	}
	var out []byte
	for i, p := range params {
		for p.Align > 0 && len(out)%p.Align != 0 {
			out = append(out, 0)
		}
		packed, err := args[i].pack(p, addresses)
		if err != nil {
			return nil, fmt.Errorf("kernel %s, argument %d (%s): %w", kernel, i, p.Name, err)
		}
		out = append(out, packed...)
	}
	return out, nil
}

// pack encodes one argument for one parameter.
func (a Argument) pack(p ParamInfo, addresses Addresses) ([]byte, error) {
	if a.Bytes != nil {
		if len(a.Bytes) != p.Size {
			return nil, fmt.Errorf("the parameter has %d bytes, but %d are given", p.Size, len(a.Bytes))
		}
		return a.Bytes, nil
	}
	if a.Members != nil {
		return a.packStruct(p, addresses)
	}
	if a.Type != "" {
		bits, err := a.Value.bits(a.Type)
		if err != nil {
			return nil, err
		}
		if a.Type.Size() != p.Size {
			return nil, fmt.Errorf("the parameter is .%s (%d bytes), but %v has %d bytes", p.Type, p.Size, a, a.Type.Size())
		}
		packed := make([]byte, p.Size)
		a.Type.put(packed, bits)
		return packed, nil
	}
	var address uint64
	var err error
	if a.Kind != "" {
		address, err = addresses.Handle(a.Kind, a.Object)
	} else if address, err = addresses.BufferAddress(a.Buffer); err == nil {
		address += uint64(a.Offset)
	}
	if err != nil {
		return nil, err
	}
	if p.Size != 8 && (p.Size != 4 || address>>32 != 0) {
		what := "address of " + a.Buffer
		if a.Kind != "" {
			what = fmt.Sprintf("64-bit handle of %s %s", a.Kind, a.Object)
		}
		example := "2"
		if strings.HasPrefix(p.Type, "f") {
			example = "2.0"
		}
		return nil, fmt.Errorf("the parameter is .%s (%d bytes), which cannot hold the %s; give a number, as in %s",
			p.Type, p.Size, what, example)
	}
	packed := make([]byte, 8)
	Type("u64").put(packed, address)
	return packed[:p.Size], nil
}

// describeParams lists parameters for a message: ".u64 x, .f32 y".
func describeParams(params []ParamInfo) string {
	words := make([]string, len(params))
	for i, p := range params {
		words[i] = strings.TrimSpace(fmt.Sprintf(".%s %s", p.Type, p.Name))
	}
	return strings.Join(words, ", ")
}
