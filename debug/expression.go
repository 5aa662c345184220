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
	"github.com/keplersim/keplersim/sim/observe"
)

// Expression is what a condition or a print command evaluates in a lane: numbers, operators as in Go, registers R0, P0, and what stands in
// names, calls and memories.
type Expression struct {
	text string
	tree ast.Expr
}

// ParseExpression reads an expression.
func ParseExpression(text string) (*Expression, error) {
	tree, err := parser.ParseExpr(strings.ReplaceAll(text, ".", "_"))
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
}

// Value is the expression's value in a lane, as 64 bits.
func (x *Expression) Value(s *scope) (uint64, error) { return s.value(x.tree) }

var errNoWarp = errors.New("the program does not stand at a warp")

func (s *scope) value(e ast.Expr) (uint64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.value(e.X)
	case *ast.BasicLit:
		if e.Kind != token.INT {
			return 0, fmt.Errorf("%s is no whole number", e.Value)
		}
		return strconv.ParseUint(e.Value, 0, 64)
	case *ast.Ident:
		return s.name(e.Name)
	case *ast.UnaryExpr:
		v, err := s.value(e.X)
		switch e.Op {
		case token.SUB:
			return -v, err
		case token.XOR:
			return ^v, err
		case token.NOT:
			return truth(v == 0), err
		}
		return 0, fmt.Errorf("operator %s", e.Op)
	case *ast.BinaryExpr:
		return s.binary(e)
	case *ast.IndexExpr:
		return s.load(e.X, e.Index, 4)
	case *ast.CallExpr:
		return s.call(e)
	}
	return 0, errors.New("this is no expression of registers, memory and numbers")
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (s *scope) binary(e *ast.BinaryExpr) (uint64, error) {
	a, err := s.value(e.X)
	if err != nil {
		return 0, err
	}
	b, err := s.value(e.Y)
	if err != nil {
		return 0, err
	}
	switch e.Op {
	case token.ADD:
		return a + b, nil
	case token.SUB:
		return a - b, nil
	case token.MUL:
		return a * b, nil
	case token.QUO, token.REM:
		if b == 0 {
			return 0, errors.New("division by zero")
		}
		if e.Op == token.QUO {
			return a / b, nil
		}
		return a % b, nil
	case token.AND:
		return a & b, nil
	case token.LAND:
		return truth(a != 0 && b != 0), nil
	case token.OR:
		return a | b, nil
	case token.LOR:
		return truth(a != 0 || b != 0), nil
	case token.XOR:
		return a ^ b, nil
	case token.SHL:
		return a << b, nil
	case token.SHR:
		return a >> b, nil
	case token.EQL:
		return truth(a == b), nil
	case token.NEQ:
		return truth(a != b), nil
	case token.LSS:
		return truth(int64(a) < int64(b)), nil
	case token.LEQ:
		return truth(int64(a) <= int64(b)), nil
	case token.GTR:
		return truth(int64(a) > int64(b)), nil
	case token.GEQ:
		return truth(int64(a) >= int64(b)), nil
	}
	return 0, fmt.Errorf("operator %s", e.Op)
}

// axes are the coordinates of places and extents.
var axes = map[string]int{"x": 0, "y": 1, "z": 2}

// name is the value of a register, of a place in the grid, or the address of a variable.
func (s *scope) name(name string) (uint64, error) {
	w := s.issue.Warp
	if w == nil {
		return 0, errNoWarp
	}
	if len(name) > 1 && w.State != nil {
		if n, err := strconv.Atoi(name[1:]); err == nil {
			switch name[0] {
			case 'R':
				o := isa.Reg(isa.Register(n), isa.U32)
				v, ok := w.State.Operand(&o, s.lane)
				return v, missing(ok, name)
			case 'D': // a pair
				o := isa.Reg(isa.Register(n), isa.U64)
				v, ok := w.State.Operand(&o, s.lane)
				return v, missing(ok, name)
			case 'P':
				o := isa.Predicate(isa.Register(n), false)
				v, ok := w.State.Operand(&o, s.lane)
				return v, missing(ok && n < 7, name)
			}
		}
	}
	if base, axis, ok := strings.Cut(name, "_"); ok {
		if n, ok := axes[axis]; ok {
			switch base {
			case "threadIdx", "tid":
				return uint64(w.State.Position(s.lane)[n]), nil
			case "blockIdx", "ctaid":
				return uint64(w.Block.At[n]), nil
			case "blockDim", "ntid":
				return uint64(w.Block.Grid.Threads[n]), nil
			case "gridDim", "nctaid":
				return uint64(w.Block.Grid.Dim[n]), nil
			}
		}
	}
	switch name {
	case "lane":
		return uint64(s.lane), nil
	case "warp":
		return uint64(w.Index), nil
	case "block":
		return w.Block.Number, nil
	case "cycle":
		return uint64(s.issue.Cycle), nil
	case "active":
		return uint64(s.issue.Active), nil
	case "smx":
		return uint64(w.Block.SMX), nil
	}
	for _, symbol := range w.Block.Grid.Machine.Program.Symbols {
		if symbol.Name == name {
			return symbol.Address, nil
		}
	}
	if address, err := s.w.run.job.BufferAddress(name); err == nil {
		return address, nil
	}
	return 0, fmt.Errorf("there is no register, variable or buffer %s", name)
}

func missing(ok bool, name string) error {
	if !ok {
		return fmt.Errorf("the function has no %s", name)
	}
	return nil
}

// spaces are the memories that expressions name.
var spaces = map[string]isa.Space{"global": isa.SpaceGlobal, "shared": isa.SpaceShared, "local": isa.SpaceLocal}

// load reads bytes of a memory: global[address], shared[address], local[address].
func (s *scope) load(memory, index ast.Expr, bytes int) (uint64, error) {
	id, ok := memory.(*ast.Ident)
	if !ok || spaces[id.Name] == isa.SpaceNone {
		return 0, errors.New("memories are global, shared and local, as in shared[4*lane]")
	}
	address, err := s.value(index)
	if err != nil {
		return 0, err
	}
	var data [8]byte
	if !s.w.memory(spaces[id.Name], s.lane, address, data[:bytes]) {
		return 0, fmt.Errorf("%s memory has no %d bytes at %#x", id.Name, bytes, address)
	}
	return binary.LittleEndian.Uint64(data[:]), nil
}

// sizes are the functions that read memory in a size: u8(shared[3]).
var sizes = map[string]int{"u8": 1, "u16": 2, "u32": 4, "u64": 8}

func (s *scope) call(e *ast.CallExpr) (uint64, error) {
	id, ok := e.Fun.(*ast.Ident)
	if !ok || len(e.Args) != 1 || sizes[id.Name] == 0 {
		return 0, errors.New("functions are u8, u16, u32 and u64 of a memory, as in u8(shared[3])")
	}
	if index, ok := e.Args[0].(*ast.IndexExpr); ok {
		return s.load(index.X, index.Index, sizes[id.Name])
	}
	v, err := s.value(e.Args[0])
	return v & (^uint64(0) >> (64 - 8*sizes[id.Name])), err
}

// show is a value for people: decimal, hexadecimal, and as a float.
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
