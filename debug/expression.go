package debug

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/sim/observe"
)

// Expression is evaluated in a lane, for a condition or the print command. It has numbers, C operators, source variables, registers (R0,
// P0), and the names, functions and memories below.
type Expression struct {
	text string
	tree ast.Expr
}

// builtin replaces the $ of a name such as $lane, which is not from the source: Go's parser does not accept $.
const builtin = "ǂ"

// spelling turns a C expression into one for Go's parser.
var spelling = strings.NewReplacer("$", builtin, "->", ".", "~", "^")

// ParseExpression reads an expression.
func ParseExpression(text string) (*Expression, error) {
	tree, err := parser.ParseExpr(spelling.Replace(text))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return &Expression{text, tree}, nil
}

// scope is a lane at an operation.
type scope struct {
	w     *watcher
	issue *observe.Issue
	lane  int
	frame int  // the function to look at: 0 for the running one, 1 for its caller
	bytes bool // addresses are plain numbers that count bytes
}

// Value evaluates the expression in a lane.
func (x *Expression) Value(s *scope) (value, error) { return s.value(x.tree) }

var errNoWarp = errors.New("the program is not stopped at a warp")

func (s *scope) value(e ast.Expr) (value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.value(e.X)
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident:
		v, err := s.name(e.Name)
		if s.bytes && err == nil && (v.kind() == debuginfo.TypePointer || v.kind() == debuginfo.TypeArray) {
			bits, err := v.number()
			return plain(bits), err
		}
		return v, err
	case *ast.SelectorExpr:
		return s.selected(e)
	case *ast.StarExpr:
		v, err := s.value(e.X)
		if err != nil {
			return v, err
		}
		return s.element(v, 0)
	case *ast.UnaryExpr:
		return s.unary(e)
	case *ast.BinaryExpr:
		return s.binary(e)
	case *ast.IndexExpr:
		return s.index(e)
	case *ast.CallExpr:
		return s.call(e)
	}
	return value{}, errors.New("this is not an expression; write variables, registers, memory and numbers with C operators")
}

// literal is a number or a character.
func literal(e *ast.BasicLit) (value, error) {
	switch e.Kind {
	case token.INT:
		bits, err := strconv.ParseUint(e.Value, 0, 64)
		return plain(bits), err
	case token.FLOAT:
		f, err := strconv.ParseFloat(e.Value, 64)
		return value{typ: doubleType, bits: math.Float64bits(f)}, err
	case token.CHAR:
		c, _, _, err := strconv.UnquoteChar(strings.Trim(e.Value, "'"), '\'')
		return plain(uint64(c)), err
	}
	return value{}, fmt.Errorf("%s is not a number", e.Value)
}

// selected is a coordinate such as tid.x, or a member of a struct.
func (s *scope) selected(e *ast.SelectorExpr) (value, error) {
	if id, ok := e.X.(*ast.Ident); ok {
		name, forced := strings.CutPrefix(id.Name, builtin)
		_, _, _, known := s.local(name)
		if axis, ok := axes[e.Sel.Name]; ok && (forced || !known) {
			if v, ok := s.coordinate(name, axis); ok {
				return v, nil
			}
		}
	}
	v, err := s.value(e.X)
	if err != nil {
		return v, err
	}
	return s.field(v, e.Sel.Name)
}

func (s *scope) unary(e *ast.UnaryExpr) (value, error) {
	v, err := s.value(e.X)
	if err != nil {
		return v, err
	}
	if e.Op == token.AND {
		if v.at != nil {
			if address, ok := addressOf(v.at); ok {
				return value{typ: pointerTo(v.typ), bits: address}, nil
			}
		}
		return v, errors.New("this has no address")
	}
	if !v.scalar() {
		return v, errors.New("only numbers are negated")
	}
	switch isFloat := v.kind() == debuginfo.TypeFloat; {
	case e.Op == token.NOT:
		return truth(!v.true()), nil
	case e.Op == token.SUB && isFloat:
		return value{typ: doubleType, bits: math.Float64bits(-v.float())}, nil
	case e.Op == token.SUB:
		return s.integerResult(v, v, -v.bits), nil
	case e.Op == token.XOR && !isFloat:
		return s.integerResult(v, v, ^v.bits), nil
	case e.Op == token.ADD:
		return v, nil
	}
	return v, fmt.Errorf("operator %s", e.Op)
}

// pointerTo is the type of an address.
func pointerTo(t *debuginfo.Type) *debuginfo.Type {
	return &debuginfo.Type{Kind: debuginfo.TypePointer, Name: t.Name + "*", Bytes: 8, Element: t}
}

// truth is a comparison's result as a value.
func truth(b bool) value {
	if b {
		return value{typ: boolType, bits: 1}
	}
	return value{typ: boolType}
}

// integerResult gives an integer result the wider type of the operands. A plain number takes the other's type if it fits.
func (s *scope) integerResult(a, b value, bits uint64) value {
	t := a.typ
	if t == nil || b.typ != nil && b.typ.Bytes > t.Bytes {
		t = b.typ
	}
	if t == nil || t.Kind == debuginfo.TypeBool || t.Kind == debuginfo.TypePointer || t.Bytes < 4 {
		return plain(bits)
	}
	if fitted := fit(t, bits); a.typ != nil && b.typ != nil || fitted == bits {
		return value{typ: t, bits: fitted}
	}
	return plain(bits)
}

func (s *scope) binary(e *ast.BinaryExpr) (value, error) {
	a, err := s.value(e.X)
	if err != nil {
		return a, err
	}
	if e.Op == token.LAND && !a.true() || e.Op == token.LOR && a.true() {
		return truth(e.Op == token.LOR), nil
	}
	b, err := s.value(e.Y)
	if err != nil {
		return b, err
	}
	if e.Op == token.LAND || e.Op == token.LOR {
		return truth(b.true()), nil
	}
	if a, err = decay(a); err != nil {
		return a, err
	}
	if b, err = decay(b); err != nil {
		return b, err
	}
	if a.kind() == debuginfo.TypeFloat || b.kind() == debuginfo.TypeFloat {
		return floatBinary(e.Op, a, b)
	}
	if v, ok, err := pointerBinary(e.Op, a, b); ok || err != nil {
		return v, err
	}
	return s.integerBinary(e.Op, a, b)
}

// decay turns an array into a pointer, and rejects values that are no numbers.
func decay(v value) (value, error) {
	if v.kind() == debuginfo.TypeArray && v.at != nil {
		if address, ok := addressOf(v.at); ok {
			return value{typ: pointerTo(v.typ.Element), bits: address}, nil
		}
	}
	if !v.scalar() {
		return v, fmt.Errorf("%s is not a number", v.typ.Name)
	}
	return v, nil
}

// floatBinary computes in double precision.
func floatBinary(op token.Token, a, b value) (value, error) {
	x, y := a.float(), b.float()
	result := 0.0
	switch op {
	case token.ADD:
		result = x + y
	case token.SUB:
		result = x - y
	case token.MUL:
		result = x * y
	case token.QUO:
		result = x / y
	case token.EQL:
		return truth(x == y), nil
	case token.NEQ:
		return truth(x != y), nil
	case token.LSS:
		return truth(x < y), nil
	case token.LEQ:
		return truth(x <= y), nil
	case token.GTR:
		return truth(x > y), nil
	case token.GEQ:
		return truth(x >= y), nil
	default:
		return a, fmt.Errorf("operator %s of floating point", op)
	}
	return value{typ: doubleType, bits: math.Float64bits(result)}, nil
}

// pointerBinary moves a pointer by elements, or subtracts two pointers.
func pointerBinary(op token.Token, a, b value) (v value, ok bool, err error) {
	if op == token.ADD && b.kind() == debuginfo.TypePointer {
		a, b = b, a
	}
	if a.kind() != debuginfo.TypePointer || op != token.ADD && op != token.SUB {
		return v, false, nil
	}
	size := a.typ.Element.Bytes
	if size <= 0 {
		return v, false, fmt.Errorf("how large a %s is is not known", a.typ.Element.Name)
	}
	switch both := b.kind() == debuginfo.TypePointer; {
	case both && op == token.SUB:
		return plain(uint64(int64(a.bits-b.bits) / size)), true, nil
	case both:
		return v, false, errors.New("two pointers have no sum")
	case op == token.SUB:
		return value{typ: a.typ, bits: a.bits - b.bits*uint64(size)}, true, nil
	}
	return value{typ: a.typ, bits: a.bits + b.bits*uint64(size)}, true, nil
}

// integerBinary computes with 64-bit integers.
func (s *scope) integerBinary(op token.Token, a, b value) (value, error) {
	x, y := a.bits, b.bits
	withSign := a.typ != nil && signed(a.typ) || b.typ != nil && signed(b.typ)
	less := int64(x) < int64(y)
	if a.typ != nil && b.typ != nil && !withSign {
		less = x < y
	}
	switch op {
	case token.ADD:
		return s.integerResult(a, b, x+y), nil
	case token.SUB:
		return s.integerResult(a, b, x-y), nil
	case token.MUL:
		return s.integerResult(a, b, x*y), nil
	case token.QUO, token.REM:
		switch {
		case y == 0:
			return a, errors.New("division by zero")
		case op == token.QUO && withSign:
			return s.integerResult(a, b, uint64(int64(x)/int64(y))), nil
		case op == token.QUO:
			return s.integerResult(a, b, x/y), nil
		case withSign:
			return s.integerResult(a, b, uint64(int64(x)%int64(y))), nil
		}
		return s.integerResult(a, b, x%y), nil
	case token.AND:
		return s.integerResult(a, b, x&y), nil
	case token.OR:
		return s.integerResult(a, b, x|y), nil
	case token.XOR:
		return s.integerResult(a, b, x^y), nil
	case token.SHL:
		return s.integerResult(a, a, x<<y), nil
	case token.SHR:
		if a.typ != nil && signed(a.typ) {
			return s.integerResult(a, a, uint64(int64(x)>>y)), nil
		}
		return s.integerResult(a, a, x>>y), nil
	case token.EQL:
		return truth(x == y), nil
	case token.NEQ:
		return truth(x != y), nil
	case token.LSS:
		return truth(less), nil
	case token.LEQ:
		return truth(less || x == y), nil
	case token.GTR:
		return truth(!less && x != y), nil
	case token.GEQ:
		return truth(!less), nil
	}
	return a, fmt.Errorf("operator %s", op)
}

// axes are the components of positions and extents.
var axes = map[string]int{"x": 0, "y": 1, "z": 2}

// name is the value of a source variable, a register or a coordinate, or the address of a buffer. With $ in front, source variables are
// skipped.
func (s *scope) name(name string) (value, error) {
	w := s.issue.Warp
	if w == nil {
		return value{}, errNoWarp
	}
	name, forced := strings.CutPrefix(name, builtin)
	var hidden error
	if !forced {
		v, within, f, ok := s.local(name)
		if !ok {
			v, f, ok = s.global(name)
		}
		if ok {
			v, err := s.variable(v, within, f)
			if !errors.Is(err, optimizedOut) {
				return v, err
			}
			hidden = err
		}
	}
	if v, ok, err := s.register(name); ok && hidden == nil {
		return v, err
	}
	if v, ok := s.launched(name); ok && hidden == nil {
		return v, nil
	}
	if x, ok := s.coordinate(name, 0); ok && hidden == nil {
		y, _ := s.coordinate(name, 1)
		z, _ := s.coordinate(name, 2)
		return value{}, fmt.Errorf("%s is (%d,%d,%d): take %[1]s.x, .y or .z", name, x.bits, y.bits, z.bits)
	}
	if symbol := s.symbol(name); symbol != nil && hidden == nil {
		return plain(symbol.Address), nil
	}
	address, err := s.w.run.job.BufferAddress(name)
	switch {
	case hidden != nil && err == nil:
		return value{}, fmt.Errorf("%w ($%s is the buffer's address)", hidden, name)
	case hidden != nil:
		return value{}, hidden
	case err == nil:
		return plain(address), nil
	}
	return value{}, fmt.Errorf("there is no register, variable or buffer %s", name)
}

// register is R5, the pair D4 or the predicate P0.
func (s *scope) register(name string) (v value, ok bool, err error) {
	if len(name) < 2 || s.issue.Warp.State == nil {
		return v, false, nil
	}
	n, failed := strconv.Atoi(name[1:])
	if failed != nil || n < 0 {
		return v, false, nil
	}
	var o isa.Operand
	switch name[0] {
	case 'R':
		o = isa.Reg(isa.Register(n), isa.U32)
	case 'D':
		o = isa.Reg(isa.Register(n), isa.U64)
	case 'P':
		o = isa.Predicate(isa.Register(n), false)
	default:
		return v, false, nil
	}
	bits, have := s.issue.Warp.State.Operand(&o, s.lane)
	if !have || name[0] == 'P' && n >= 7 {
		return v, true, fmt.Errorf("the function has no %s", name)
	}
	return plain(bits), true, nil
}

// coordinate is a position in the block or grid, or an extent.
func (s *scope) coordinate(name string, axis int) (v value, ok bool) {
	w := s.issue.Warp
	if w == nil {
		return v, false
	}
	switch name {
	case "threadIdx", "tid":
		return plain(uint64(w.State.Position(s.lane)[axis])), true
	case "blockIdx", "ctaid":
		return plain(uint64(w.Block.At[axis])), true
	case "blockDim", "ntid":
		return plain(uint64(w.Block.Grid.Threads[axis])), true
	case "gridDim", "nctaid":
		return plain(uint64(w.Block.Grid.Dim[axis])), true
	}
	return v, false
}

// launched is a value of the lane's position: its number, its warp, and so on.
func (s *scope) launched(name string) (v value, ok bool) {
	w := s.issue.Warp
	switch name {
	case "lane":
		return plain(uint64(s.lane)), true
	case "warp":
		return plain(uint64(w.Index)), true
	case "block":
		return plain(w.Block.Number), true
	case "cycle":
		return plain(uint64(s.issue.Cycle)), true
	case "active":
		return plain(uint64(s.issue.Active)), true
	case "smx":
		return plain(uint64(w.Block.SMX)), true
	}
	return v, false
}

// symbol is a variable of the PTX, nil for none.
func (s *scope) symbol(name string) *isa.Symbol {
	for _, symbol := range s.issue.Warp.Block.Grid.Machine.Program.Symbols {
		if symbol.Name == name {
			return symbol
		}
	}
	return nil
}

// spaces are the memories that expressions can name.
var spaces = map[string]isa.Space{"global": isa.SpaceGlobal, "shared": isa.SpaceShared, "local": isa.SpaceLocal}

// index is an element of an array or behind a pointer, or a word of a memory.
func (s *scope) index(e *ast.IndexExpr) (value, error) {
	if space, ok := s.memoryNamed(e.X); ok {
		return s.word(space, e.Index, 4)
	}
	v, err := s.value(e.X)
	if err != nil {
		return v, err
	}
	at, err := s.value(e.Index)
	if err != nil {
		return v, err
	}
	n, err := at.number()
	if err != nil {
		return v, err
	}
	if v.typ == nil {
		if id, ok := e.X.(*ast.Ident); ok && s.symbol(id.Name) != nil {
			space := s.symbol(id.Name).Space
			return v, fmt.Errorf("the type of %s is unknown, as of all extern variables; its words are %[2]s[%[1]s+4*%[3]d]",
				id.Name, space, n)
		}
		return v, errors.New("memories are global, shared and local, as in shared[4*lane]; only variables of the source have elements")
	}
	return s.element(v, int64(n))
}

// memoryNamed recognises global, shared and local as memories, unless a variable has this name.
func (s *scope) memoryNamed(e ast.Expr) (space isa.Space, ok bool) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return space, false
	}
	name, forced := strings.CutPrefix(id.Name, builtin)
	if space, ok = spaces[name]; !ok || forced {
		return space, ok
	}
	if _, _, _, hidden := s.local(name); hidden {
		return space, false
	}
	return space, true
}

// word reads bytes of a memory: global[address], shared[address], local[address]. Pointers in the address count bytes.
func (s *scope) word(space isa.Space, index ast.Expr, bytes int) (value, error) {
	inBytes := *s
	inBytes.bytes = true
	at, err := inBytes.value(index)
	if err != nil {
		return at, err
	}
	address, err := at.number()
	if err != nil {
		return at, err
	}
	var data [8]byte
	if err := s.fetch(storage{space, address}, data[:bytes]); err != nil {
		return at, err
	}
	return plain(binary.LittleEndian.Uint64(data[:])), nil
}

// sizes are functions that read memory with a size: u8(shared[3]).
var sizes = map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8}

func (s *scope) call(e *ast.CallExpr) (value, error) {
	id, ok := e.Fun.(*ast.Ident)
	if !ok || len(e.Args) != 1 || sizes[id.Name] == 0 {
		return value{}, errors.New("functions are u8, u16, u32 and u64 of a memory, as in u8(shared[3])")
	}
	if index, ok := e.Args[0].(*ast.IndexExpr); ok {
		if space, ok := s.memoryNamed(index.X); ok {
			return s.word(space, index.Index, sizes[id.Name])
		}
	}
	v, err := s.value(e.Args[0])
	if err != nil {
		return v, err
	}
	bits, err := v.number()
	return plain(bits & (^uint64(0) >> (64 - 8*sizes[id.Name]))), err
}

// show formats a value as decimal, hexadecimal and float.
func show(v uint64) string {
	if v>>32 != 0 {
		return fmt.Sprintf("%d (%#x, f64 %g)", v, v, math.Float64frombits(v))
	}
	text := fmt.Sprintf("%d (%#x", v, v)
	if f := math.Float32frombits(uint32(v)); v > 1<<16 && f == f && math.Abs(float64(f)) > 1e-20 && math.Abs(float64(f)) < 1e20 {
		text += fmt.Sprintf(", f32 %g", f)
	}
	return text + ")"
}
