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

// vector is a word at an address of its code, with its text by cuobjdump.
type vector struct {
	word uint64
	at   uint64
	text string
}

// vectors are words as ptxas of CUDA 5 to 11 writes them for sm_35.
var vectors = []vector{
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

// older are words as ptxas of CUDA 6 to 9 writes them for sm_30, from public listings.
var older = []vector{
	{0x2800400110005de4, 0x08, "MOV R1, c[0x0][0x44]"},
	{0x2c00000094001c04, 0x10, "S2R R0, SR_CTAID.X"},
	{0x2c0000008400dc04, 0x18, "S2R R3, SR_TID.X"},
	{0x20064000a0001ca3, 0x20, "IMAD R0, R0, c[0x0][0x28], R3"},
	{0x1b0e40054001dc23, 0x28, "ISETP.GE.AND P0, PT, R0, c[0x0][0x150], PT"},
	{0x80000000000001e7, 0x30, "@P0 EXIT"},
	{0x4001400500009c43, 0x38, "ISCADD R2.CC, R0, c[0x0][0x140], 0x2"},
	{0x1800000010015de2, 0x48, "MOV32I R5, 0x4"},
	{0x208a80051000dce3, 0x58, "IMAD.HI.X R3, R0, R5, c[0x0][0x144]"},
	{0x8400000000209c85, 0x60, "LD.E R2, [R2]"},
	{0x9400000000409c85, 0x90, "ST.E [R4], R2"},
	{0x4003fffe600001e7, 0x98, "@P0 BRA 0x38"},
	{0x4003ffffe0001de7, 0xa8, "BRA 0xa8"},
	{0x4000000000001de4, 0xb0, "NOP"},
	{0x60000002c0001c07, 0x28, "SSY 0xe0"},
	{0x2008800540209c43, 0x38, "IMAD.U32.U32.HI R2, R2, R4, c[0x0][0x150]"},
	{0x5800c00004219c23, 0x50, "SHR R6, R2, 0x1"},
	{0x40000000000001f4, 0x60, "@P0 NOP.S"},
	{0x280000000001dde4, 0x68, "MOV R7, R0"},
	{0x8400000000209ca5, 0x90, "LD.E.64 R2, [R2]"},
	{0x2000c00008619ca3, 0xe0, "IMAD R6, R6, 0x2, R0"},
	{0x4800000018019c03, 0x130, "IADD R6, R0, R6"},
	{0x8400000000411cc5, 0xa0, "LD.E.128 R4, [R4]"},
	{0x0bfffffffc001c02, 0x38, "IADD32I R0, R0, -0x1"},
	{0x40000001000021e7, 0x20, "@!P0 BRA 0x68"},
	{0x94000000002fdc85, 0x58, "ST.E [R2], RZ"},
	{0x1c00000010a15c04, 0x560, "I2I.U32.U16 R5, R4"},
	{0x6800400010111c43, 0x38, "LOP.OR R4, R1, c[0x0][0x4]"},
}

func TestVectors(t *testing.T) {
	check := func(e *Encoding, bits, at uint64, text string) {
		i, err := e.Decode(bits)
		if !assert.NoError(t, err, text) {
			return
		}
		assert.Equal(t, text, i.Text(at))
		assert.Zero(t, i.UnshownBits(), text)
		word, err := e.Encode(text, at)
		assert.NoError(t, err)
		assert.Equal(t, bits, word, "%s: 0x%016x", text, word)
	}
	for _, v := range vectors {
		check(SM35, v.word, v.at, v.text)
	}
	for _, v := range older {
		check(SM30, v.word, v.at, v.text)
	}
	assert.Equal(t, SM35, Of(37))
	assert.Equal(t, SM30, Of(30))
	assert.Nil(t, Of(20))
}

func TestUnknownWords(t *testing.T) {
	for _, e := range Encodings() {
		_, err := e.Decode(0xffffffffffffffff)
		require.ErrorIs(t, err, ErrUnknown)
		require.ErrorContains(t, err, "0xffffffffffffffff: no known operation of sm_3")
		_, err = e.Encode("FROBNICATE R0, R1", 0)
		require.ErrorIs(t, err, ErrUnknown)
		for _, text := range []string{"", "@", "@P9 EXIT", "MOV R0", "MOV R0, R256", "MOV R0, c[0x0][0x1]", "IADD R0, R1, 0x80000",
			"FADD R0, R1, 0.1"} {
			_, err := e.Encode(text, 0)
			require.Error(t, err, text)
		}
	}
	_, err := SM30.Encode("MOV R63, R0", 0)
	require.Error(t, err, "sm_30 has 63 registers")
	_, err = SM30.Encode("SHF.L R0, R1, R2, R3", 0)
	require.ErrorIs(t, err, ErrUnknown)
}

// random is a word of an operation with random values in all fields that the text shows. ok is false if the word is another operation's.
func random(r *rand.Rand, o *Operation) (word uint64, ok bool) {
	word = o.match | r.Uint64()&o.known()&^o.mask
	if !o.Guarded {
		word = o.match | o.encoding.unguarded | r.Uint64()&o.known()&^(o.mask|o.encoding.guard.mask())
	}
	i, err := o.encoding.Decode(word)
	return word, err == nil && i.Operation == o
}

// lossy has the operations with bits that are set and not in the text:
//
//   - a count of zero for one that is not there, and a predicate that a barrier without a reduction does not read
//   - upper bits of a register where a number takes its place
//   - which of two operands of a compare-and-swap is RZ if both are
//   - a condition that always holds, which two numbers encode
var lossy = map[string]bool{"BAR": true, "TEXDEPBAR": true, "SHFL": true, "ATOM": true}

// Ten thousand random programs: decoded words are printed, and the text assembles to the same words.
func TestRandomPrograms(t *testing.T) {
	for _, e := range Encodings() {
		t.Run(fmt.Sprint("sm_", e.Chips[0]), func(t *testing.T) { randomPrograms(t, e) })
	}
}

func randomPrograms(t *testing.T, e *Encoding) {
	r := rand.New(rand.NewPCG(1, 2))
	programs, words := 10_000, 0
	if testing.Short() {
		programs = 1_000
	}
	used, list := map[*Operation]bool{}, e.operations().list
	for range programs {
		for n := range 1 + r.IntN(20) {
			o := list[r.IntN(len(list))]
			word, ok := random(r, o)
			if !ok {
				continue
			}
			used[o] = true
			at := uint64(Address(n))
			i, _ := e.Decode(word)
			text := i.Text(at)
			again, err := e.Encode(text, at)
			require.NoError(t, err, "%s 0x%016x (%s)", text, word, o.Format)
			if !lossy[firstWord(o.Name)] {
				require.Equal(t, word, again, "%s: 0x%016x, not 0x%016x", text, again, word)
			}
			j, err := e.Decode(again)
			require.NoError(t, err)
			require.Equal(t, text, j.Text(at))
			words++
		}
	}
	for _, o := range list {
		assert.True(t, used[o] || testing.Short(), "%s (%c)", o.Format, o.Form)
	}
	t.Logf("%d programs, %d operations", programs, words)
}

func TestControlWords(t *testing.T) {
	list, ok := SM35.Controls(0x0880b8b0a0a08cac)
	require.True(t, ok)
	assert.Equal(t, [GroupOperations]Control{0x2b, 0x23, 0x28, 0x28, 0x2c, 0x2e, 0x20}, list)
	assert.Equal(t, uint64(0x0880b8b0a0a08cac), SM35.ControlWord(list))
	assert.Equal(t, 12, list[0].Cycles())
	assert.Equal(t, 1, list[6].Cycles())
	assert.True(t, Dual.Pairs())
	assert.Equal(t, 16, Control(0).Cycles())
	for cycles := 1; cycles <= 32; cycles++ {
		assert.Equal(t, cycles, Wait(cycles).Cycles())
	}
	_, ok = SM35.Controls(0x64c03c00089c0006)
	assert.False(t, ok)
	list, ok = SM30.Controls(0x2202f2f2c2820277)
	require.True(t, ok)
	assert.Equal(t, [GroupOperations]Control{0x27, 0x20, 0x28, 0x2c, 0x2f, 0x2f, 0x20}, list)
	assert.Equal(t, uint64(0x2202f2f2c2820277), SM30.ControlWord(list))
	assert.Equal(t, []int{8, 56, 72}, []int{Address(0), Address(6), Address(7)})
}

func TestListing(t *testing.T) {
	var code, out bytes.Buffer
	for _, word := range []uint64{SM35.ControlWord([GroupOperations]Control{Wait(1)}), 0x64c03c00089c0006, 0xffffffffffffffff} {
		require.NoError(t, binary.Write(&code, binary.LittleEndian, word))
	}
	require.NoError(t, SM35.Print(&out, code.Bytes()))
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, strings.Repeat(" ", 72)+"/* 0x0800000000000080 */", lines[0])
	assert.Contains(t, lines[1], "/*0008*/                   MOV R1, c[0x0][0x44];")
	assert.Contains(t, lines[2], "UNKNOWN 0xffffffffffffffff")
}

func FuzzWord(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.word, v.at, true)
	}
	for _, v := range older {
		f.Add(v.word, v.at, false)
	}
	f.Fuzz(func(t *testing.T, word, at uint64, newer bool) {
		e := encoding(newer)
		i, err := e.Decode(word)
		if err != nil {
			return
		}
		text := i.Text(at)
		again, err := e.Encode(text, at)
		if err != nil {
			t.Skip(fmt.Sprint(text, err)) // such as bits that no operation of this text has
		}
		j, err := e.Decode(again)
		require.NoError(t, err)
		require.Equal(t, text, j.Text(at))
	})
}

func encoding(newer bool) *Encoding {
	if newer {
		return SM35
	}
	return SM30
}

func FuzzText(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.text, v.at, true)
	}
	for _, v := range older {
		f.Add(v.text, v.at, false)
	}
	f.Fuzz(func(t *testing.T, text string, at uint64, newer bool) {
		if word, err := encoding(newer).Encode(text, at); err == nil {
			_, err := encoding(newer).Decode(word)
			require.NoError(t, err)
		}
	})
}
