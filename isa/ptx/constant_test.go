package ptx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// immediate parses one operand as the initial value of a variable.
func immediate(t *testing.T, text string) *Expression {
	t.Helper()
	file, err := Parse("constant.ptx", ".global .u64 v = "+text+";")
	require.NoError(t, err, text)
	return file.Statements[0].(*Variable).Declarators[0].Initializer.Value
}

// The expected values are those of C on 64-bit integers.
func TestConstantExpressions(t *testing.T) {
	for text, want := range map[string]int64{
		"1+2*3": 7, "(1+2)*3": 9, "10-4-3": 3, "100/7/2": 7, "7%4": 3, "-7 / 2": -3, "-7 % 2": -1,
		"1<<4|3": 19, "(1<<4)|3": 19, "1|2^3&4": 3, "6&3==3": 0, "~0x10": -17, "!5": 0, "!0": 1, "!!7": 1, "- -5": 5,
		"-8>>1": -4, "-8U>>1": 0x7ffffffffffffffc, "(.u64)-8 >> 60": 15, "(.s64)0xfffffffffffffff8 >> 1": -4,
		"-1 < 0": 1, "-1 < 0U": 0, "(.u64)-1 > 1": 1, "3>=3 && 2!=2": 0, "0 || 4": 1, "1 == 1 ? 5 : 6": 5,
		"0 ? 1 : 0 ? 2 : 3": 3, "WARP_SZ*2-1": 63, "0x1F": 31, "0b101": 5, "017": 15, "0": 0, "0777U": 511,
		"9007199254740993": 9007199254740993, "18446744073709551615": -1, "0xFFFFFFFFFFFFFFFFU": -1, "1<<64": 0,
		"123 + 123": 246, "+5": 5, "(.s64)1 + 1": 2, "7 %3": 1, "3|(4)": 7, "4 != 3 == 1": 1, "2 < 3 < 4": 1,
	} {
		got, err := immediate(t, text).Constant()
		require.NoError(t, err, text)
		assert.Equal(t, want, int64(got.Bits), text)
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]Address{
		"sym":                {Symbol: "sym"},
		"sym+4":              {Symbol: "sym", Addend: Constant{Bits: 4}},
		"8+sym-2*2":          {Symbol: "sym", Addend: Constant{Bits: 4}},
		"generic(sym)+4":     {Symbol: "sym", Generic: true, Addend: Constant{Bits: 4}},
		"generic(sym+4) - 8": {Symbol: "sym", Generic: true, Addend: Constant{Bits: 0xfffffffffffffffc}},
		"%r1+-8":             {Symbol: "%r1", Addend: Constant{Bits: 0xfffffffffffffff8}},
		"(sym)":              {Symbol: "sym"},
		"4096":               {Addend: Constant{Bits: 4096}},
	} {
		got, err := immediate(t, text).Address()
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestExpressionsWithoutAValue(t *testing.T) {
	for _, text := range []string{
		"a+b", "a*2", "-a", "1-a", "1/0", "1%0", "1.5", "0f3F800000", "generic(5)", "generic(generic(a))",
		"0xff(a)", "mask(a, 1)", "a ? 1 : 2", "(.u64)a",
	} {
		_, err := immediate(t, text).Address()
		assert.ErrorIs(t, err, ErrNotConstant, text)
	}
	_, err := immediate(t, "sym+4").Constant()
	assert.ErrorIs(t, err, ErrNotConstant)
}
