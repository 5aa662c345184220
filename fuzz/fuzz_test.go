package fuzz

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
)

// Programs of every kind have the same results in every way.
func TestProgramsDoNotDiffer(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	count := 64
	if testing.Short() {
		count = 8
	}
	seeds := []uint64{100020646} // of 24 registers its pairs found none, though they do of 23
	for seed := range uint64(count) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		d, err := r.Compare(t.Context(), Make(seed))
		require.NoError(t, err)
		if d != nil {
			d = r.Shrink(t.Context(), d)
			require.Failf(t, "differs", "seed %d, %s: %s\n%s", seed, d.Way.Name, d.What, d.Text)
		}
	}
}

// A generated program writes each register before it reads it, and has the properties of its kind.
func TestMake(t *testing.T) {
	seen := ""
	for seed := range uint64(400) {
		p := Make(seed)
		assert.Equal(t, p, Make(seed))
		require.True(t, writesFirst(strings.SplitAfter(p.Text, "\n")), "seed %d:\n%s", seed, p.Text)
		if p.Kind == "wide" {
			seen += p.Text
		}
	}
	for _, part := range []string{"addc.cc.u32", "subc.u32", "madc.", "vadd4.", "vabsdiff2.", ".h1", "f16.f32", ".ftz.sat.f32", "st.local",
		"ld.local.s8", "atom.shared.cas", "atom.global.inc", "call (back), f1"} {
		assert.Contains(t, seen, part)
	}
	for _, text := range []string{"add.u32 %r1, %r1, 1;", "mov.u32 %r2, 1;\n@%p0 mov.u32 %r1, 1;", "st.global.u32 [%d1], 1;"} {
		assert.False(t, writesFirst(strings.Split(text, "\n")), text)
	}
	assert.True(t, writesFirst([]string{"mov.u32 %r1, %tid.x;", "setp.eq.u32 %p0, %r1, 0;", "@%p0 add.u32 %r1, %r1, 1;"}))
}

// Shrinking keeps the lines that show the difference: here, in a faulty way, global loads without further qualifiers read elsewhere.
func TestShrink(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	broken := Way{Name: "split", options: sim.Options{Functional: true, Unoptimised: true}} // it fuses nothing
	for seed := uint64(3); ; seed += 8 {
		require.Less(t, seed, uint64(2000))
		p := Make(seed)
		want, _, err := r.Run(t.Context(), p.Text, Ways[0])
		require.NoError(t, err)
		what, _ := r.differs(t.Context(), p.Text, want, broken)
		if what == "" {
			continue
		}
		small := r.Shrink(t.Context(), &Difference{p, broken, what})
		body := 0
		for _, line := range strings.Split(small.Text, "\n") {
			if strings.HasSuffix(line, ";") && !strings.HasPrefix(strings.TrimSpace(line), ".") {
				body++
			}
		}
		assert.LessOrEqual(t, body, 25, small.Text)
		assert.Contains(t, small.Text, "mul.")
		want, _, err = r.Run(t.Context(), small.Text, Ways[0])
		require.NoError(t, err)
		what, _ = r.differs(t.Context(), small.Text, want, broken)
		assert.Equal(t, small.What, what)
		return
	}
}

// A wrong operation is noticed in whichever way it runs: in the first, the second differs from it. So is a panic.
func TestWrongOperationsAreNoticed(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	p := Program{Text: kernelOf("xor.b32 %r2, %r1, 77;\n\tcvt.u64.u32 %d4, %r2")}
	d, err := r.Compare(t.Context(), p)
	require.NoError(t, err)
	require.Nil(t, d)
	for n, way := range Ways {
		for _, broken := range []bool{false, true} {
			r.change = func(now Way, m *sim.Module) error {
				if now.Name != way.Name {
					return nil
				}
				if broken {
					panic("this way is broken")
				}
				return m.Rewrite("random", func(mp *isa.MachineProgram) error {
					for n := range mp.Ops {
						if i := mp.Ops[n].Effect; i != nil && i.Op == isa.OpXor {
							other := *i
							other.Op, mp.Ops[n].Effect = isa.OpOr, &other
							return nil
						}
					}
					return errors.New("no such operation")
				})
			}
			d, err := r.Compare(t.Context(), p)
			require.NoError(t, err)
			require.NotNil(t, d, way.Name)
			if broken {
				assert.Equal(t, way.Name, d.Way.Name)
				assert.Contains(t, d.What, "panic: this way is broken")
				continue
			}
			assert.Equal(t, Ways[max(n, 1)].Name, d.Way.Name)
			assert.Contains(t, d.What, "thread 0, word ")
		}
	}
}

// A device on which programs have run does as a new one does; what it would do otherwise is noticed, and said.
func TestDevicesAreAsNew(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	count := uint64(32)
	if testing.Short() {
		count = 4
	}
	for seed := range count {
		for _, way := range Ways {
			got, _, err := r.Run(t.Context(), Generate(seed), way)
			alone, failure := NewRunner("gk110")
			require.NoError(t, failure)
			want, _, failure := alone.Run(t.Context(), Generate(seed), way)
			require.Equal(t, failure, err)
			require.Equal(t, want, got, "seed %d, %s", seed, way.Name)
		}
	}
	r.devices["timed"].parameters = r.devices["timed"].parameters[:8:8]
	r.devices["timed"].parameters = append(r.devices["timed"].parameters, r.devices["timed"].parameters...)
	d, err := r.Compare(t.Context(), Make(0))
	require.NoError(t, err)
	require.NotNil(t, d)
	assert.Equal(t, "timed", d.Way.Name)
	assert.Contains(t, d.What, "nothing on a new device")
	d, err = r.Compare(t.Context(), Make(0))
	require.NoError(t, err)
	assert.Nil(t, d)
}

// Checks are asked, too: what reads shared memory that nothing has written stores the same in all ways, and is found.
func TestFindingsAreNoticed(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	d, err := r.Compare(t.Context(), Program{Text: kernelOf("ld.shared.u32 %r2, [%d2+256];\n\tcvt.u64.u32 %d4, %r2")})
	require.NoError(t, err)
	require.NotNil(t, d)
	assert.Equal(t, "checked", d.Way.Name)
}

// What is exported has all that a GPU's run needs.
func TestExport(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "programs")
	require.NoError(t, Export(t.Context(), folder, "gk110", 5, 3, 2))
	list, err := os.ReadFile(filepath.Join(folder, "expected.txt"))
	require.NoError(t, err)
	assert.Regexp(t, `^5 unrounded-open [0-9a-f]{16}\n6 wide [0-9a-f]{16}\n7 plain [0-9a-f]{16}\n$`, string(list))
	for seed := 5; seed < 8; seed++ {
		text, err := os.ReadFile(filepath.Join(folder, "ptx", fmt.Sprintf("%d.ptx", seed)))
		require.NoError(t, err)
		assert.Equal(t, Make(uint64(seed)).Text, string(text))
	}
	for _, name := range []string{"in.bin", "check.cc"} {
		assert.FileExists(t, filepath.Join(folder, name))
	}
}

// Our machine code reads either half of a 64-bit constant in place. A load into a wider register is extended there, too.
func TestWidePartsInMachineCode(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	bodies := []string{"selp.b64 %d4, -1, 2048588, %p0", "selp.b64 %d4, %d5, 8798640660044, %p0"}
	for address, space := range []string{1: "global", 2: "shared", 3: "local"} {
		if space == "" {
			continue
		}
		for _, kind := range []string{"s8", "u8", "s16", "u16", "s32", "u32"} {
			bodies = append(bodies, fmt.Sprintf("ld.%s.%s %%d4, [%%d%d]", space, kind, address))
		}
	}
	for _, body := range bodies {
		written := r.Ran["own cubin"]
		d, err := r.Compare(t.Context(), Program{Text: kernelOf(body)})
		require.NoError(t, err)
		require.Nil(t, d, body)
		require.Greater(t, r.Ran["own cubin"], written, "as machine code, too")
	}
}

// The host's machine code has special cases for powers of two and for integers narrower than a word.
func TestEdgesInMachineCode(t *testing.T) {
	r, err := newRunner("gk110", ofPTX(), Ways[:2])
	require.NoError(t, err)
	bodies := []string{
		"cvt.s16.s32 %h, %r1;\nabs.s16 %h, %h;\ncvt.s64.s16 %d4, %h", "cvt.s16.s32 %h, %r1;\nneg.s16 %h, %h;\ncvt.s64.s16 %d4, %h",
		"abs.s64 %d4, %d0", "abs.s64 %d4, %d2",
	}
	for _, by := range []uint32{1, 1 << 30, 1 << 31, 3 << 30} {
		for _, kind := range []string{"s32", "u32"} {
			bodies = append(bodies, fmt.Sprintf("mul.wide.%s %%d4, %%r1, %d", kind, by),
				fmt.Sprintf("mad.wide.%s %%d4, %%r1, %d, %%d5", kind, by))
		}
	}
	for _, body := range bodies {
		d, err := r.Compare(t.Context(), Program{Text: kernelOf(body)})
		require.NoError(t, err)
		require.Nil(t, d, body)
	}
}

// If sums in a loop differ by a step, each is the one before plus the step, and not plus the register that the step came from.
func TestSumsGoOnByTheirOwnStep(t *testing.T) {
	r, err := NewRunner("gk110")
	require.NoError(t, err)
	for _, step := range []string{"not.b32", "neg.s32", "abs.s32", "brev.b32", "popc.b32", "mov.u32"} {
		body := fmt.Sprintf(`.reg .b32 %%n<12>;
	add.u32 %%n0, %%r1, %%r0;
	%s %%n1, %%r0;
	add.u32 %%n2, %%n0, %%n1;
	mad.lo.u32 %%n3, %%n1, 2, %%n0;
	mad.lo.u32 %%n4, %%n1, 3, %%n0;
	mad.lo.u32 %%n5, %%n1, 4, %%n0;
	and.b32 %%n6, %%r1, 7;
	mov.u32 %%n7, 1;
AGAIN:
	add.u32 %%n8, %%n6, %%n2;
	mad.lo.u32 %%n7, %%n7, 3, %%n8;
	add.u32 %%n8, %%n6, %%n3;
	mad.lo.u32 %%n7, %%n7, 3, %%n8;
	add.u32 %%n8, %%n6, %%n4;
	mad.lo.u32 %%n7, %%n7, 3, %%n8;
	add.u32 %%n8, %%n6, %%n5;
	mad.lo.u32 %%n7, %%n7, 3, %%n8;
	add.u32 %%n6, %%n6, 1;
	setp.lt.u32 %%p1, %%n6, 8;
	@%%p1 bra AGAIN;
	cvt.u64.u32 %%d4, %%n7`, step)
		d, err := r.Compare(t.Context(), Program{Text: kernelOf(body)})
		require.NoError(t, err)
		require.Nil(t, d, step)
	}
}

// kernelOf is a kernel in which each thread reads a word into %r1 and writes %d4, which body sets.
func kernelOf(body string) string {
	return `.version 6.0
.target sm_35
.address_size 64
.visible .entry random(.param .u64 in, .param .u64 out)
{
	.shared .align 8 .b8 ofshared[512];
	.local .align 8 .b8 oflocal[512];
	.reg .b32 %r<9>;
	.reg .b16 %h;
	.reg .b64 %d<9>;
	.reg .pred %p<2>;
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %d0, %r0, 4;
	ld.param.u64 %d1, [in];
	add.u64 %d1, %d1, %d0;
	ld.global.u32 %r1, [%d1];
	mov.u64 %d2, ofshared;
	add.u64 %d2, %d2, %d0;
	st.shared.u32 [%d2], %r1;
	mov.u64 %d3, oflocal;
	add.u64 %d3, %d3, %d0;
	st.local.u32 [%d3], %r1;
	setp.gt.s32 %p0, %r1, 20;
	ld.param.u64 %d5, [out];
	` + body + `;
	add.u64 %d5, %d5, %d0;
	add.u64 %d5, %d5, %d0;
	st.global.u64 [%d5], %d4;
	ret;
}
`
}

// Kernels in C have the same results in every way. Seeds 7, 13, 21 and 24 once differed as our cubins: an extending load left half of a
// register unchanged.
func TestKernelsInC(t *testing.T) {
	need.Clang(t)
	r, err := NewKernelRunner("gk110", false)
	require.NoError(t, err)
	seeds := []uint64{7, 13, 21, 24, 100, 101, 102, 103}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		d, err := r.Compare(t.Context(), r.Make(seed))
		require.NoError(t, err)
		if d != nil {
			d = r.Shrink(t.Context(), d)
			require.Failf(t, "differs", "seed %d, %s: %s\n%s", seed, d.Way.Name, d.What, d.Text)
		}
	}
	require.NotZero(t, r.Ran["own cubin"])
}

// Tallies of different seeds add up in any order, and no seed counts twice.
func TestTalliesAddUp(t *testing.T) {
	count := func(seeds ...uint64) *Tally {
		tally := NewTally("gk110", "PTX")
		for _, seed := range seeds {
			var d *Difference
			if seed%10 == 3 {
				d = &Difference{Program: Make(seed), Way: Ways[2], What: "word"}
			}
			require.NoError(t, tally.Count(Make(seed), d))
		}
		tally.Ran["timed"] = uint64(len(seeds))
		return tally
	}
	total := count(12, 10, 11, 20)
	assert.Equal(t, []Seeds{{10, 12}, {20, 20}}, total.Seeds)
	require.NoError(t, total.Add(count(13, 14, 15, 16, 17, 18, 19, 3)))
	assert.Equal(t, []Seeds{{3, 3}, {10, 20}}, total.Seeds)
	assert.EqualValues(t, 12, total.Programs())
	assert.EqualValues(t, 12, total.Ran["timed"])
	assert.Equal(t, []Differing{{3, "unrounded", "timed", "word"}, {13, "unrounded-open", "timed", "word"}}, total.Differing)
	assert.Equal(t, Kind{3, 1}, total.Kinds["unrounded"], "seeds 3, 11 and 19")
	require.ErrorContains(t, total.Add(count(2, 20)), "seed 20 is counted already")
	require.ErrorContains(t, total.Add(NewTally("gk104", "PTX")), "gk104")
}

// Without clang, the built-in compiler compiles C kernels.
func TestKernelsInCWithoutClang(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r, err := NewKernelRunner("gk110", true)
	require.NoError(t, err)
	d, err := r.Compare(t.Context(), r.Make(7))
	require.NoError(t, err)
	require.Nil(t, d)
	for _, way := range Ways {
		assert.NotZero(t, r.Ran[way.Name], way.Name)
	}
}

// BenchmarkCompare runs programs in all ways.
func BenchmarkCompare(b *testing.B) {
	r, err := NewRunner("gk110")
	require.NoError(b, err)
	for seed := uint64(1); b.Loop(); seed++ {
		d, err := r.Compare(b.Context(), Make(seed))
		require.NoError(b, err)
		require.Nil(b, d)
	}
}

func TestSortsOfDifferences(t *testing.T) {
	for what, want := range map[string]string{
		"thread 0, word 32 (%g0): 0x00000000, and 0x3f800000 by the interpreter": "thread",
		"random.ptx:91: kernel random: the kernel needs more than 24 registers":  "error",
		"panic: index out of range": "panic:", "": "",
	} {
		assert.Equal(t, want, sort(what))
	}
}

// Of two compilers of C, one may compute another NaN; other numbers must be equal.
func TestNaNsOfTwoCompilers(t *testing.T) {
	r := &Runner{launch: &launch{wordName: func(word int) string { return []string{"out[0]", "fout[0]"}[word] }}}
	assert.True(t, r.eitherNaN(1, 0xffc00000, 0x7fc00000))
	assert.False(t, r.eitherNaN(0, 0xffc00000, 0x7fc00000), "integers")
	assert.False(t, r.eitherNaN(1, 0xff800000, 0x7fc00000), "infinity")
}
