package ptx

import (
	"errors"
	"fmt"
)

// Constant is the value of an integer constant expression. PTX computes these in 64 bits; a value is .s64 unless
// a U suffix, its size or a .u64 cast makes it .u64.
type Constant struct {
	Bits     uint64
	Unsigned bool
}

// Address is a constant expression that may name one symbol: the symbol's address plus Addend.
type Address struct {
	Symbol  string // "" for a plain number
	Generic bool   // the address is taken as generic(symbol)
	Addend  Constant
}

// ErrNotConstant is wrapped by the errors of Constant and Address about expressions without an integer value before the program runs.
var ErrNotConstant = errors.New("not an integer constant")

// warpSizeValue is WARP_SZ: 32 lanes on every architecture so far.
const warpSizeValue = 32

// Constant returns the value of an expression that names no symbol.
func (e *Expression) Constant() (Constant, error) {
	a, err := e.Address()
	if err == nil && a.Symbol != "" {
		err = fmt.Errorf("%w: `%s` is a name, whose value is not known here", ErrNotConstant, a.Symbol)
	}
	return a.Addend, err
}

// Address returns the value of an expression with at most one symbol, plus or minus constants. A register counts as a symbol: [%r1+8] is
// the symbol %r1 and the addend 8.
func (e *Expression) Address() (Address, error) {
	switch e.Kind {
	case ExpressionInteger:
		return Address{Addend: Constant{e.Bits, e.Unsigned || int64(e.Bits) < 0}}, nil
	case ExpressionName:
		if e.Text == warpSize {
			return Address{Addend: Constant{Bits: warpSizeValue}}, nil
		}
		return Address{Symbol: e.Text}, nil
	case ExpressionUnary:
		return e.unaryValue()
	case ExpressionCast:
		c, err := e.X.Constant()
		return Address{Addend: Constant{c.Bits, e.Text == "u64"}}, err
	case ExpressionTernary:
		return e.ternaryValue()
	case ExpressionBinary:
		return e.binaryValue()
	case ExpressionCall:
		if e.Text == "generic" && len(e.Arguments) == 1 {
			a, err := e.Arguments[0].Address()
			if err == nil && (a.Generic || a.Symbol == "") {
				err = fmt.Errorf("%w: generic() takes a symbol", ErrNotConstant)
			}
			a.Generic = true
			return a, err
		}
	}
	return Address{}, fmt.Errorf("%w: `%s`", ErrNotConstant, e)
}

func (e *Expression) unaryValue() (Address, error) {
	c, err := e.X.Constant()
	switch e.Operator {
	case OperatorSubtract:
		c.Bits = -c.Bits
	case OperatorComplement:
		c.Bits = ^c.Bits
	case OperatorNot:
		c = truth(c.Bits == 0)
	}
	return Address{Addend: c}, err
}

func (e *Expression) ternaryValue() (Address, error) {
	condition, err := e.X.Constant()
	if err != nil {
		return Address{}, err
	}
	y, err := e.Y.Constant()
	if err != nil {
		return Address{}, err
	}
	z, err := e.Z.Constant()
	chosen := z
	if condition.Bits != 0 {
		chosen = y
	}
	chosen.Unsigned = y.Unsigned || z.Unsigned
	return Address{Addend: chosen}, err
}

func (e *Expression) binaryValue() (Address, error) {
	x, err := e.X.Address()
	if err != nil {
		return Address{}, err
	}
	y, err := e.Y.Address()
	if err != nil {
		return Address{}, err
	}
	out := Address{Symbol: x.Symbol, Generic: x.Generic}
	if y.Symbol != "" {
		if x.Symbol != "" || e.Operator != OperatorAdd {
			return Address{}, fmt.Errorf("%w: `%s`: only constants can be added to a name or subtracted from it", ErrNotConstant, e)
		}
		out.Symbol, out.Generic = y.Symbol, y.Generic
	}
	if out.Symbol != "" && e.Operator != OperatorAdd && e.Operator != OperatorSubtract {
		return Address{}, fmt.Errorf("%w: `%s`: only constants can be added to a name or subtracted from it", ErrNotConstant, e)
	}
	out.Addend, err = operate(e.Operator, x.Addend, y.Addend)
	return out, err
}

func truth(b bool) Constant {
	if b {
		return Constant{Bits: 1}
	}
	return Constant{}
}

// operate applies a binary operator. As in C, a comparison or division is unsigned if either side is. A shift has the left side's type; a
// count beyond 63 leaves zero (or copies of the sign).
func operate(operator Operator, x, y Constant) (Constant, error) {
	unsigned := x.Unsigned || y.Unsigned
	less := int64(x.Bits) < int64(y.Bits)
	if unsigned {
		less = x.Bits < y.Bits
	}
	equal := x.Bits == y.Bits
	switch operator {
	case OperatorAdd:
		return Constant{x.Bits + y.Bits, unsigned}, nil
	case OperatorSubtract:
		return Constant{x.Bits - y.Bits, unsigned}, nil
	case OperatorMultiply:
		return Constant{x.Bits * y.Bits, unsigned}, nil
	case OperatorDivide, OperatorRemainder:
		return divide(operator, x.Bits, y.Bits, unsigned)
	case OperatorShiftLeft:
		return Constant{x.Bits << y.Bits, x.Unsigned}, nil
	case OperatorShiftRight:
		if x.Unsigned {
			return Constant{x.Bits >> y.Bits, true}, nil
		}
		return Constant{uint64(int64(x.Bits) >> y.Bits), false}, nil
	case OperatorAnd:
		return Constant{x.Bits & y.Bits, unsigned}, nil
	case OperatorOr:
		return Constant{x.Bits | y.Bits, unsigned}, nil
	case OperatorExclusiveOr:
		return Constant{x.Bits ^ y.Bits, unsigned}, nil
	case OperatorLess:
		return truth(less), nil
	case OperatorLessEqual:
		return truth(less || equal), nil
	case OperatorGreater:
		return truth(!less && !equal), nil
	case OperatorGreaterEqual:
		return truth(!less), nil
	case OperatorEqual:
		return truth(equal), nil
	case OperatorNotEqual:
		return truth(!equal), nil
	case OperatorLogicalAnd:
		return truth(x.Bits != 0 && y.Bits != 0), nil
	}
	return truth(x.Bits != 0 || y.Bits != 0), nil
}

func divide(operator Operator, x, y uint64, unsigned bool) (Constant, error) {
	if y == 0 {
		return Constant{}, fmt.Errorf("%w: division by zero", ErrNotConstant)
	}
	if unsigned {
		if operator == OperatorDivide {
			return Constant{x / y, true}, nil
		}
		return Constant{x % y, true}, nil
	}
	if operator == OperatorDivide {
		return Constant{uint64(int64(x) / int64(y)), false}, nil
	}
	return Constant{uint64(int64(x) % int64(y)), false}, nil
}
