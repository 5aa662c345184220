package debuginfo

import (
	"encoding/binary"
	"math/big"
	"strconv"
)

// Location is the place of a variable while a function runs.
type Location struct {
	Register string // a PTX register; "" when the variable is in memory
	Symbol   string // a PTX variable or parameter; "" if the variable is in a register, or its place is unknown
	Offset   int64  // bytes past Symbol
}

// String returns the location in PTX syntax, "" if it is unknown.
func (l Location) String() string {
	switch {
	case l.Register != "":
		return l.Register
	case l.Symbol == "":
		return ""
	case l.Offset == 0:
		return "[" + l.Symbol + "]"
	case l.Offset < 0:
		return "[" + l.Symbol + strconv.FormatInt(l.Offset, 10) + "]"
	}
	return "[" + l.Symbol + "+" + strconv.FormatInt(l.Offset, 10) + "]"
}

// The DWARF operations that PTX compilers use in locations.
const (
	operationAddress      = 0x03
	operationPlusConstant = 0x23
	operationRegister     = 0x90 // DW_OP_regx
)

// location decodes a DWARF location expression. An expression with other operations gives the zero Location.
func (m *Image) location(expression []byte, addressSize int) Location {
	var out Location
	for len(expression) > 0 {
		operation := expression[0]
		expression = expression[1:]
		if operation != operationPlusConstant && out != (Location{}) {
			return Location{} // it has several parts
		}
		switch operation {
		case operationAddress:
			if len(expression) < addressSize || addressSize < 8 && len(m.symbols) > symbolsIn32Bits {
				return Location{}
			}
			symbol, offset := m.Symbol(address(expression[:addressSize]))
			out.Symbol, out.Offset = symbol, int64(offset)
			expression = expression[addressSize:]
		case operationRegister:
			var n int
			if out.Register, n = registerName(expression); n == 0 {
				return Location{}
			}
			expression = expression[n:]
		case operationPlusConstant:
			constant, n := binary.Uvarint(expression)
			if n <= 0 || out.Symbol == "" {
				return Location{}
			}
			out.Offset += int64(constant)
			expression = expression[n:]
		default:
			return Location{}
		}
	}
	return out
}

// unsigned reads an unsigned LEB128 of at most 64 bits, and returns its length in bytes: 0 if it does not end.
func unsigned(bytes []byte) (value uint64, length int) {
	value, length = binary.Uvarint(bytes)
	return value, max(length, 0)
}

func littleEndian(value uint64) []byte { return binary.LittleEndian.AppendUint64(nil, value) }

func address(bytes []byte) uint64 {
	var padded [8]byte
	copy(padded[:], bytes)
	return binary.LittleEndian.Uint64(padded[:])
}

// registerName decodes the number by which PTX compilers name a register: the characters of its name, the first in the highest byte, as an
// unsigned LEB128 of any length. It returns the number of bytes read, 0 if the number does not end.
func registerName(leb128 []byte) (string, int) {
	code := new(big.Int)
	for i, b := range leb128 {
		part := big.NewInt(int64(b & 0x7f))
		code.Or(code, part.Lsh(part, uint(7*i)))
		if b < 0x80 {
			return string(code.Bytes()), i + 1
		}
	}
	return "", 0
}
