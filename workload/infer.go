package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParamInfo is a kernel's parameter as its module declares it.
type ParamInfo struct {
	Name        string
	Size, Align int    // bytes
	Type        string // the PTX type without its dot; b8 for an array of bytes
	IsPointer   bool   // the kernel uses it as an address
	PointeeSize int    // bytes of an element behind the pointer, 0 if unknown
	PointeeType string // the element's type if known; "" otherwise
}

// Wishes are the user's choices for a launch. A field's zero value leaves the choice to Infer.
type Wishes struct {
	Grid, Block [3]int // {0, 0, 0} if not given
	Shared      int    // bytes
	Args        []ArgText
	Symbols     []Buffer // variables of the module, with their values
	Title       string   // the kernel's name in messages and reports; "" is its symbol
	// Found are values that a trial found for parameters without Args, by index.
	Found map[int]Found
}

// Found is a value that a trial of a kernel found for a parameter.
type Found struct {
	Value ArgText // as the user could have written it
	Note  string  // for the report
}

// The launch that Infer makes up by default: enough warps for a few SMXs, and quick.
const (
	DefaultBlocks  = 16
	DefaultThreads = 256
)

// defaultSeed seeds made-up buffers. Their contents differ and are the same in every run.
const defaultSeed = 1

// Infer makes up the workload for a kernel without a workload file. Wishes of the user come first. Otherwise pointers get buffers with one
// element for each thread of the grid, floating-point numbers are 1, other integers are the number of threads, and structs are zero bytes.
// Float buffers hold random numbers from 0 to 1, all others zeros, which are safe as indices.
//
// The notes list what was made up, one a line.
func Infer(kernel, module string, params []ParamInfo, wishes Wishes) (*Workload, []string, error) {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	l := &Launch{Kernel: kernel, Grid: wishes.Grid, Block: wishes.Block, Shared: wishes.Shared, Repeat: 1, CacheConfig: PreferNone}
	if l.Block == ([3]int{}) {
		l.Block = [3]int{DefaultThreads, 1, 1}
		note("block: %d threads", DefaultThreads)
	}
	if l.Grid == ([3]int{}) {
		l.Grid = [3]int{DefaultBlocks, 1, 1}
		note("grid: %d blocks", DefaultBlocks)
	}
	elements := int64(1)
	for i := range 3 {
		elements = cappedProduct(elements, int64(l.Grid[i]))
		elements = cappedProduct(elements, int64(l.Block[i]))
	}
	title := wishes.Title
	if title == "" {
		title = kernel
	}
	w := &Workload{Name: title, Module: module, Steps: []Step{{Launch: l}}}
	for _, s := range wishes.Symbols {
		if _, twice := w.Buffer(s.Name); twice {
			return nil, nil, fmt.Errorf("--symbol gives %s twice", s.Name)
		}
		w.Buffers = append(w.Buffers, s)
	}
	assigned, err := assign(title, params, wishes.Args)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range params {
		given, found := assigned[i], wishes.Found[i]
		if given == nil && found.Note != "" {
			given = &found.Value
		}
		a, made, err := w.argument(p, i, given, elements)
		if err != nil {
			return nil, nil, fmt.Errorf("kernel %s, parameter %d (.%s %s): %w", title, i, p.Type, p.Name, err)
		}
		if assigned[i] == nil && found.Note != "" {
			made = found.Note
		}
		if made != "" {
			note("parameter %d (.%s %s): %s", i, p.Type, p.Name, made)
		}
		l.Args = append(l.Args, a)
	}
	// A pointer into a named buffer may come before the parameter that defines the buffer.
	for i, a := range l.Args {
		needed := a.needed()
		if b, ok := w.Buffer(a.Buffer); ok {
			for _, p := range b.Init.Pointers {
				needed = append(needed, p.needed()...)
			}
		}
		for _, name := range needed {
			if _, ok := w.Buffer(name); !ok {
				return nil, nil, fmt.Errorf("kernel %s, parameter %d: there is no buffer %q; another --arg must make it, as in --arg "+
					"%s=f32[1024]", title, i, name, name)
			}
		}
	}
	return w, notes, nil
}

// mostElements is more than any buffer can have.
const mostElements = 2 * MaxBufferBytes

// cappedProduct returns the product, limited to mostElements.
func cappedProduct(a, b int64) int64 {
	if b > 0 && a > mostElements/b {
		return mostElements
	}
	return a * b
}

// assign finds the parameter for each of the user's arguments: by index, by the parameter's name, or the next free one.
func assign(kernel string, params []ParamInfo, args []ArgText) ([]*ArgText, error) {
	assigned := make([]*ArgText, len(params))
	place := func(i int, a *ArgText) error {
		if i >= len(params) {
			return fmt.Errorf(
				"kernel %s takes %d arguments (%s); --arg %s is one too many", kernel, len(params), describeParams(params), a.Text,
			)
		}
		if assigned[i] != nil {
			return fmt.Errorf("parameter %d of kernel %s is given twice: --arg %s and --arg %s", i, kernel, assigned[i].Text, a.Text)
		}
		assigned[i] = a
		return nil
	}
	var inOrder []*ArgText
	for n := range args {
		a := &args[n]
		index := a.Index
		for i, p := range params {
			if index < 0 && a.Name != "" && a.Name == p.Name {
				index = i
			}
		}
		if index < 0 && a.Name != "" && a.Buffer == nil {
			return nil, fmt.Errorf("--arg %s: kernel %s has no parameter %q (it has %s), and the value makes no buffer to "+
				"name. Leave out the name, or give the parameter's number, as in --arg 0=%s",
				a.Text, kernel, a.Name, describeParams(params), strings.TrimPrefix(a.Text, a.Name+"="))
		}
		if index < 0 {
			inOrder = append(inOrder, a)
			continue
		}
		if err := place(index, a); err != nil {
			return nil, err
		}
	}
	next := 0
	for _, a := range inOrder {
		for next < len(params) && assigned[next] != nil {
			next++
		}
		if err := place(next, a); err != nil {
			return nil, err
		}
	}
	return assigned, nil
}

// Given tells for each parameter of a kernel whether an argument gives it.
func Given(kernel string, params []ParamInfo, args []ArgText) ([]bool, error) {
	assigned, err := assign(kernel, params, args)
	given := make([]bool, len(params))
	for i, a := range assigned {
		given[i] = a != nil
	}
	return given, err
}

// argument makes the argument for one parameter, with its buffer, and a note about made-up values.
func (w *Workload) argument(p ParamInfo, index int, given *ArgText, elements int64) (Argument, string, error) {
	if given != nil {
		a, err := w.givenArgument(p, index, given)
		return a, "", err
	}
	if p.IsPointer {
		b := Buffer{Name: w.freeName("arg" + strconv.Itoa(index)), Type: Pointee(p), Count: elements}
		contents := "zeros"
		if b.Type.IsFloat() {
			b.Init = Init{Kind: InitRandom, Seed: defaultSeed + uint64(index)}
			contents = "random numbers from 0 to 1"
		}
		if b.Bytes() > MaxBufferBytes {
			return Argument{}, "", fmt.Errorf("a buffer of one element a thread has %d bytes; at most %d are possible: give its size "+
				"with --arg %d=%s[COUNT]", b.Bytes(), int64(MaxBufferBytes), index, b.Type)
		}
		w.Buffers = append(w.Buffers, b)
		return Argument{Buffer: b.Name}, fmt.Sprintf("buffer %s, %s[%d], %s", b.Name, b.Type, b.Count, contents), nil
	}
	t := Type(p.Type)
	if _, err := ParseType(p.Type); err != nil || t.Size() != p.Size {
		return Argument{Bytes: make([]byte, p.Size)},
			fmt.Sprintf("%d zero bytes; --arg %d='struct(...)' gives it members, see --help", p.Size, index), nil
	}
	if t.IsFloat() {
		return Argument{Type: t, Value: integer(1)}, "1", nil
	}
	_, greatest := t.limits()
	value := integer(int64(min(uint64(elements), greatest, math.MaxInt64)))
	return Argument{Type: t, Value: value}, fmt.Sprintf("%v, the number of threads", value), nil
}

// givenArgument converts the user's text to an argument for the parameter.
func (w *Workload) givenArgument(p ParamInfo, index int, given *ArgText) (Argument, error) {
	switch {
	case given.Buffer != nil:
		return w.givenBuffer("arg"+strconv.Itoa(index), given)
	case given.Members != nil:
		return w.givenStruct(index, given)
	}
	a := *given.Argument
	if a.Type == "" || !given.Bare {
		return a, nil
	}
	// A bare number takes the parameter's type.
	if t, err := ParseType(p.Type); err != nil || t.Size() != p.Size {
		return Argument{}, fmt.Errorf(
			"--arg %s: a number does not fill %d bytes; write struct(MEMBER,...) or bytes:HEX", given.Text, p.Size,
		)
	}
	a.Type = Type(p.Type)
	if _, err := a.Value.bits(a.Type); err != nil {
		return Argument{}, fmt.Errorf("--arg %s: %w", given.Text, err)
	}
	return a, nil
}

// givenBuffer makes the user's buffer; plain is its name if the user gave none.
func (w *Workload) givenBuffer(plain string, given *ArgText) (Argument, error) {
	b := *given.Buffer
	if b.Name = given.Name; b.Name == "" {
		b.Name = w.freeName(plain)
	} else if _, taken := w.Buffer(b.Name); taken {
		return Argument{}, fmt.Errorf("--arg %s: there is a buffer %q already", given.Text, given.Name)
	}
	w.Buffers = append(w.Buffers, b)
	return Argument{Buffer: b.Name}, nil
}

// freeName makes a name different from other buffers' names.
func (w *Workload) freeName(name string) string {
	for {
		if _, taken := w.Buffer(name); !taken {
			return name
		}
		name += "_"
	}
}

// Pointee returns the type of the elements behind a pointer: the known type, else untyped bits of the known size, else 32 bits.
func Pointee(p ParamInfo) Type {
	if t, err := ParseType(p.PointeeType); err == nil {
		return t
	}
	switch p.PointeeSize {
	case 1, 2, 4, 8:
		return Type("b" + strconv.Itoa(8*p.PointeeSize))
	case 0, 12:
		return "b32"
	}
	return "b64"
}
