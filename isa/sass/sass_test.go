package sass

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vectors are words as ptxas of CUDA 5 to 11 writes them for sm_35, with their texts by cuobjdump.
var vectors = []struct {
	word uint64
	at   uint64
	text string
}{
	{0x64c03c00089c0006, 0x08, "MOV R1, c[0x0][0x44]"},
	{0x86400000129c006e, 0x10, "S2R R27, SR_CTAID.X"},
	{0x51080000051c6c6e, 0x20, "IMAD R27, R27, c[0x0][0x28], R0"},
	{0x5b681c002a1c6c1e, 0x28, "ISETP.GE.AND P0, PT, R27, c[0x0][0x150], PT"},
	{0x180000000000003c, 0x30, "@P0 EXIT"},
	{0x407ffffffc1c6c09, 0x38, "IADD32I R2, R27, -0x8"},
	{0x60c40c00281c6c12, 0x50, "ISCADD R4.CC, R27, c[0x0][0x140], 0x3"},
	{0xc4800000001c1000, 0, "LD.E R0, [R4]"},
	{0xe4800000001c0800, 0, "ST.E [R2], R0"},
	{0xe5500000001c2802, 0, "F2F.F32.F32 R0, |R0|"},
	{0xe5c00400001ca802, 0, "I2F.F32.S32.RM R0, R0"},
	{0xe5808400001c6802, 0, "F2I.FTZ.S32.F32.FLOOR R0, R0"},
	{0xb5881c04001c0a1d, 0, "FSETP.LT.AND P0, PT, |R2|, 1.175494350822287508e-38, PT"},
	{0xc340025c00000809, 0, "@P0 FMUL R2, R2, 16777216"},
	{0x9403fefc00241011, 0, "@!P1 FFMA R4, R4, 1.84467440737095516160e+19, RZ"},
	{0xb4181fff801c121d, 0, "DSETP.LE.AND P0, PT, |R4|, +INF , PT"},
	{0xc400021a80201011, 0, "@!P0 DMUL R4, R4, 1.80143985094819840000e+16"},
	{0x9b882040001c182a, 0, "DFMA R10, -R6, R8, c[0x2][0x0]"},
	{0xc08c0000009c0bfd, 0, "ISUB RZ.CC, R2, 0x1"},
	{0xdb505c007f9c001e, 0, "ISETP.NE.U32.X.AND P0, PT, R0, RZ, PT"},
	{0x68380000001c0bfe, 0, "RED.E.ADD.F32.FTZ.RN [R2], R0"},
	{0x78b803e7809c0012, 0, "SHFL.BFLY PT, R4, R0, 0x1, 0x1f"},
	{0x600110847f9c0801, 0, "LDG.E.U16 R0, [R2]"},
	{0x85409c08001c0002, 0, "BAR.ARV 0x0, R0"},
	{0x8540dc00001c0002, 0, "BAR.SYNC 0x0"},
	{0xe7c01700031c1012, 0, "SHF.R.S64 R4, R4, R6, R5"},
	{0x84801c07001fc03e, 0, "PSETP.AND.AND P1, PT, !PT, PT, PT"},
	{0x7b800000001c0816, 0, "CCTL.E.IV [R2]"},
	{0x12007ffffc1c003c, 0x2790, "BRA 0x2790"},
	{0x7c900180001c0002, 0, "LDC.U16 R0, c[0x3][R0]"},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		i, err := Decode(v.word)
		if !assert.NoError(t, err, v.text) {
			continue
		}
		assert.Equal(t, v.text, i.Text(v.at))
		assert.Zero(t, i.Rest(), v.text)
		word, err := Encode(v.text, v.at)
		assert.NoError(t, err)
		assert.Equal(t, v.word, word, "%s: 0x%016x", v.text, word)
	}
}

func TestUnknownWords(t *testing.T) {
	_, err := Decode(0xffffffffffffffff)
	require.ErrorIs(t, err, ErrUnknown)
	assert.ErrorContains(t, err, "0xffffffffffffffff")
	_, err = Encode("FROBNICATE R0, R1", 0)
	require.ErrorIs(t, err, ErrUnknown)
	for _, text := range []string{"", "@", "@P9 EXIT", "MOV R0", "MOV R0, R256", "MOV R0, c[0x0][0x1]", "IADD R0, R1, 0x80000",
		"FADD R0, R1, 0.1"} {
		_, err := Encode(text, 0)
		require.Error(t, err, text)
	}
}

// random is a word of an operation with any value in each field that the text says; ok is false where another operation has such words.
func random(r *rand.Rand, o *Operation) (word uint64, ok bool) {
	word = o.match | r.Uint64()&o.known()&^o.mask
	if !o.Guarded {
		word = o.match | r.Uint64()&o.known()&^(o.mask|guard.mask())
	}
	i, err := Decode(word)
	return word, err == nil && i.Operation == o
}

// lossy are operations of which the text leaves out bits that are set: a count of zero for one that is not there, and a predicate that a
// barrier without a reduction does not read; upper bits of a register where a number takes its place;
// which of two operands of a compare-and-swap is RZ where both are.
var lossy = map[string]bool{"BAR": true, "SHFL": true, "ATOM": true}

// Ten thousand random programs: what is decoded from words is printed, and the text gives the same words.
func TestRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	programs, words := 10_000, 0
	if testing.Short() {
		programs = 1_000
	}
	used := map[*Operation]bool{}
	for range programs {
		for n := range 1 + r.IntN(20) {
			o := operations().list[r.IntN(len(operations().list))]
			word, ok := random(r, o)
			if !ok {
				continue
			}
			used[o] = true
			at := uint64(Address(n))
			i, _ := Decode(word)
			text := i.Text(at)
			again, err := Encode(text, at)
			require.NoError(t, err, "%s 0x%016x (%s)", text, word, o.Format)
			if !lossy[o.Name] {
				require.Equal(t, word, again, "%s: 0x%016x, not 0x%016x", text, again, word)
			}
			j, err := Decode(again)
			require.NoError(t, err)
			require.Equal(t, text, j.Text(at))
			words++
		}
	}
	for _, o := range operations().list {
		assert.True(t, used[o] || testing.Short(), "%s (%c)", o.Format, o.Form)
	}
	t.Logf("%d programs, %d operations", programs, words)
}

func TestControlWords(t *testing.T) {
	list, ok := Controls(0x0880b8b0a0a08cac)
	require.True(t, ok)
	assert.Equal(t, [GroupOperations]Control{0x2b, 0x23, 0x28, 0x28, 0x2c, 0x2e, 0x20}, list)
	assert.Equal(t, uint64(0x0880b8b0a0a08cac), ControlWord(list))
	assert.Equal(t, 12, list[0].Cycles())
	assert.Equal(t, 1, list[6].Cycles())
	assert.True(t, Dual.Pairs())
	assert.Equal(t, 16, Control(0).Cycles())
	for cycles := 1; cycles <= 32; cycles++ {
		assert.Equal(t, cycles, Wait(cycles).Cycles())
	}
	_, ok = Controls(0x64c03c00089c0006)
	assert.False(t, ok)
	assert.Equal(t, []int{8, 56, 72}, []int{Address(0), Address(6), Address(7)})
}

func TestListing(t *testing.T) {
	var code, out bytes.Buffer
	for _, word := range []uint64{ControlWord([GroupOperations]Control{Wait(1)}), 0x64c03c00089c0006, 0xffffffffffffffff} {
		require.NoError(t, binary.Write(&code, binary.LittleEndian, word))
	}
	require.NoError(t, Print(&out, code.Bytes()))
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, strings.Repeat(" ", 72)+"/* 0x0800000000000080 */", lines[0])
	assert.Contains(t, lines[1], "/*0008*/                   MOV R1, c[0x0][0x44];")
	assert.Contains(t, lines[2], "UNKNOWN 0xffffffffffffffff")
}

func FuzzWord(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.word, v.at)
	}
	f.Fuzz(func(t *testing.T, word, at uint64) {
		i, err := Decode(word)
		if err != nil {
			return
		}
		text := i.Text(at)
		again, err := Encode(text, at)
		if err != nil {
			t.Skip(fmt.Sprint(text, err)) // such as bits that no operation of this text has
		}
		j, err := Decode(again)
		require.NoError(t, err)
		require.Equal(t, text, j.Text(at))
	})
}

func FuzzText(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.text, v.at)
	}
	f.Fuzz(func(t *testing.T, text string, at uint64) {
		if word, err := Encode(text, at); err == nil {
			_, err := Decode(word)
			require.NoError(t, err)
		}
	})
}
