package lower_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower"
)

// Twenty independent comparisons, each used once, are not all scheduled first: seven predicates are enough.
func TestSchedulingLeavesPredicates(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .pred %p<20>;\n" +
		".reg .b32 %t, %s, %v<20>;\n.reg .b64 %out;\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %s, 0;\n")
	for n := range 20 {
		fmt.Fprintf(&b, "setp.gt.u32 %%p%d, %%t, %d;\nadd.u32 %%v%d, %%s, %%t;\nselp.u32 %%s, %%v%d, %%t, %%p%d;\n", n, 7*n, n, n, n)
	}
	b.WriteString("st.global.u32 [%out], %s;\nret;\n}\n")
	p := decodeText(t, "predicates.ptx", b.String())
	mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
	require.NoError(t, err)
	comparisons := 0
	for n := range mp.Ops {
		if strings.HasPrefix(mp.Ops[n].Mnemonic, "ISETP") {
			comparisons++
		}
	}
	assert.Equal(t, 20, comparisons, "a predicate was kept in a register")
	assert.Greater(t, mp.Predicates, 2, "nothing was done early")
}

// Loads of spilled values come well before their uses.
func TestSpillCodeOverlaps(t *testing.T) {
	p := workload(t, filepath.Join("..", "..", "workloads", "nbody", "nbody.ptx"))
	mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: 20})
	require.NoError(t, err)
	loads, ahead := 0, 0
	for n := range mp.Ops[:len(mp.Ops)-1] {
		op := &mp.Ops[n]
		if !op.Spill || op.Effect == nil || op.Effect.Op != isa.OpLd {
			continue
		}
		loads++
		uses := false
		for _, r := range mp.Ops[n+1].Reads {
			uses = uses || r.First < op.Writes[0].First+isa.Register(op.Writes[0].Count) &&
				op.Writes[0].First < r.First+isa.Register(r.Count)
		}
		if !uses {
			ahead++
		}
	}
	require.NotZero(t, loads)
	assert.Greater(t, 2*ahead, loads, "%d of %d loads are used by the next operation", loads-ahead, loads)
}

// Loads are spread and no value is spilled, though the program loads a whole window before it multiplies. On a GTX 680 nvcc keeps the sums
// and inputs of a tuned convolution of 7 by 7 in 40 to 56 registers, and none in local memory (KTT's rows of validate registers).
func TestLoadsSpreadWhereRegistersDoNotLast(t *testing.T) {
	for _, c := range []struct{ h, w, registers int }{{4, 1, 40}, {4, 2, 56}, {2, 4, 56}, {1, 4, 56}} {
		p := decodeText(t, "k.ptx", convolution(c.h, c.w, 7))
		mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{ComputeCapability: 30})
		require.NoError(t, err)
		assert.Zero(t, mp.SpillBytes, "%d by %d", c.h, c.w)
		assert.LessOrEqual(t, mp.Registers, c.registers+4, "%d by %d", c.h, c.w)
		require.NoError(t, lower.Verify(p, p.Kernels()[0], lower.Options{ComputeCapability: 30}))
	}
}

// sumsOverLoop adds to n sums in each turn of a loop; each is also a factor of the next.
func sumsOverLoop(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "mov.f32 %%f%d, 0f00000000;\n", 10+i)
	}
	b.WriteString("mov.u32 %r5, 0;\nLOOP:\nld.global.f32 %f1, [%rd3];\n")
	for i := range n {
		fmt.Fprintf(&b, "fma.rn.f32 %%f%d, %%f1, %%f%d, %%f%d;\n", 10+i, 10+(i+1)%n, 10+i)
	}
	b.WriteString("add.s64 %rd3, %rd3, 4;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r1;\n@%p1 bra LOOP;\n")
	for i := range n {
		fmt.Fprintf(&b, "st.global.f32 [%%rd2+%d], %%f%d;\n", 4*i, 10+i)
	}
	return kernelText(b.String())
}

// accessesPerTurn counts the accesses to spilled values in a program's one loop.
func accessesPerTurn(mp *isa.MachineProgram) (loads, stores int) {
	for n := range mp.Ops {
		branch := &mp.Ops[n]
		if branch.Control != isa.ControlBranch || int(branch.Target) > n {
			continue
		}
		for k := int(branch.Target); k < n; k++ {
			if op := &mp.Ops[k]; op.Spill && op.Effect.Op == isa.OpLd {
				loads++
			} else if op.Spill {
				stores++
			}
		}
	}
	return loads, stores
}

// Each register less costs the accesses to one more value in memory, down to the smallest caps, and all registers are used. All values are
// live at once, so for each missing register two values take turns in memory, and each is stored and loaded. Half as much again is allowed.
func TestSpillingHasNoCliff(t *testing.T) {
	const worth = 4
	for _, sums := range []int{24, 40, 60} {
		t.Run(fmt.Sprint(sums), func(t *testing.T) {
			p := decodeText(t, "k.ptx", sumsOverLoop(sums))
			mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
			require.NoError(t, err)
			require.Zero(t, mp.SpillLoads)
			before, outside := 0, 0
			for registers := mp.Registers - 1; registers >= 20; registers-- {
				mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: registers})
				require.NoError(t, err)
				loads, stores := accessesPerTurn(mp)
				assert.LessOrEqual(t, loads+stores, before+worth*3/2, "at %d registers", registers)
				assert.GreaterOrEqual(t, loads+stores, before-1, "at %d registers", registers)
				rest := mp.SpillLoads + mp.SpillStores - loads - stores
				assert.LessOrEqual(t, rest, outside+2*worth, "outside the loop, at %d registers", registers)
				assert.Equal(t, registers, mp.Registers, "registers are left over")
				if before == 0 {
					assert.LessOrEqual(t, loads+stores, worth, "at %d registers", registers)
				}
				before, outside = loads+stores, rest
			}
		})
	}
}

// straight is code without branches: it loads n words of shared memory, combines them at random, and stores all results.
func straight(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "ld.shared.u32 %%r%d, [tile+%d];\n", 10+i, 4*i)
	}
	register := func() int { return 10 + r.IntN(n) }
	for i := range 3 * n {
		fmt.Fprintf(&b, "%s %%r%d, %%r%d, %%r%d;\n", []string{"add.u32", "xor.b32", "min.u32"}[i%3], register(), register(), register())
	}
	for i, from := range r.Perm(n) {
		fmt.Fprintf(&b, "st.shared.u32 [tile+%d], %%r%d;\n", 4*i, 10+from)
	}
	return largeKernel(b.String(), n+20)
}

// leastLoads returns the fewest words that straight code must reload in this order with the given number of registers, by Belady's rule,
// where each word is a value. It also returns the words that the program reloaded.
func leastLoads(mp *isa.MachineProgram, registers int) (least, loaded int) {
	type operation struct{ reads, writes []int }
	var operations []operation
	values := 0
	in, kept := map[isa.Register]int{}, map[int64]int{} // the value in a register, or in a word of local memory
	for n := range mp.Ops {
		op := &mp.Ops[n]
		if op.Spill {
			store := op.Effect.Op == isa.OpSt
			for _, list := range [2][]isa.RegisterRange{op.Reads, op.Writes} {
				for _, words := range list {
					for k := range isa.Register(words.Count) {
						at := int64(op.Effect.Memory.Base.Immediate) + op.Effect.Memory.Offset + 4*int64(k)
						if store {
							kept[at] = in[words.First+k]
						} else {
							in[words.First+k] = kept[at]
							loaded++
						}
					}
				}
			}
			continue
		}
		var o operation
		for _, words := range op.Reads {
			for k := range isa.Register(words.Count) {
				o.reads = append(o.reads, in[words.First+k])
			}
		}
		for _, words := range op.Writes {
			for k := range isa.Register(words.Count) {
				values++
				in[words.First+k] = values
				o.writes = append(o.writes, values)
			}
		}
		operations = append(operations, o)
	}
	uses := make([][]int, values+1)
	for n, o := range operations {
		for _, v := range o.reads {
			uses[v] = append(uses[v], n)
		}
	}
	next := func(v, n int) int {
		for _, at := range uses[v] {
			if at >= n {
				return at
			}
		}
		return len(operations)
	}
	held := map[int]bool{}
	shrink := func(n int, needed []int) {
		for len(held) > registers {
			last := -1
			for v := range held {
				if !slices.Contains(needed, v) && (last < 0 || next(v, n) > next(last, n)) {
					last = v
				}
			}
			delete(held, last)
		}
	}
	for n, o := range operations {
		for _, v := range o.reads {
			if v > 0 && !held[v] {
				held[v] = true
				least++
			}
		}
		shrink(n, o.reads)
		for v := range held {
			if next(v, n+1) == len(operations) {
				delete(held, v)
			}
		}
		for _, v := range o.writes {
			held[v] = true
		}
		shrink(n+1, o.writes)
	}
	return least, loaded
}

// Straight code reloads little more than by Belady's rule, which is optimal for a fixed order of operations. Here that is PTX order, since
// scheduling would change the order after registers are allocated.
func TestSpillsAreNearBeladysBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	least, loaded := 0, 0
	for n := 30; n <= 90; n += 10 {
		for range 2 {
			p := decodeText(t, "k.ptx", straight(r, n))
			for _, registers := range []int{20, 25, 32, 43, 60} {
				mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: registers, NoSchedule: true})
				require.NoError(t, err)
				bound, words := leastLoads(mp, registers-1) // R1 holds no value
				assert.LessOrEqual(t, float64(words), 1.2*float64(bound), "%d values, %d registers", n, registers)
				least, loaded = least+bound, loaded+words
			}
		}
	}
	t.Logf("%d words are loaded, Belady's bound is %d", loaded, least)
	require.NotZero(t, least)
	assert.LessOrEqual(t, float64(loaded), 1.2*float64(least))
}

// fourArrays is an n-body sum over bodies whose components are in four arrays. It reads four bodies at a time, twice per turn. The given
// number of other values is live throughout the loop.
func fourArrays(live int) string {
	var b strings.Builder
	for n := range live {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%rd3+%d];\n", 30+n, 4*n)
	}
	b.WriteString("mov.u64 %rd10, 0;\nadd.s64 %rd4, %rd2, %rd9;\nadd.s64 %rd5, %rd4, %rd9;\nLOOP:\n")
	for n, base := range []int{1, 2, 4, 5} {
		fmt.Fprintf(&b, "add.s64 %%rd%d, %%rd%d, %%rd10;\n", 11+n, base)
	}
	for half := range 2 {
		for n := range 4 {
			fmt.Fprintf(&b, "ld.global.v4.f32 {%%f%d, %%f%d, %%f%d, %%f%d}, [%%rd%d+%d];\n", 4*n, 4*n+1, 4*n+2, 4*n+3, 11+n, 16*half)
		}
		for n := range 4 {
			for part := range 3 {
				fmt.Fprintf(&b, "sub.f32 %%f%d, %%f%d, %%f%d;\n", 4*part+n, 4*part+n, 30+part)
			}
			fmt.Fprintf(&b, "mul.f32 %%f16, %%f%d, %%f%d;\nfma.rn.f32 %%f16, %%f%d, %%f%d, %%f16;\n", 4+n, 4+n, n, n)
			fmt.Fprintf(&b, "fma.rn.f32 %%f16, %%f%d, %%f%d, %%f16;\n"+
				"rsqrt.approx.f32 %%f16, %%f16;\nmul.f32 %%f16, %%f16, %%f%d;\n", 8+n, 8+n, 12+n)
			for part := range 3 {
				fmt.Fprintf(&b, "fma.rn.f32 %%f%d, %%f%d, %%f16, %%f%d;\n", 33+4*part+n, 4*part+n, 33+4*part+n)
			}
		}
	}
	b.WriteString("add.s64 %rd10, %rd10, 32;\nsetp.lt.u64 %p1, %rd10, 1024;\n@%p1 bra LOOP;\n")
	for n := range live {
		fmt.Fprintf(&b, "st.global.f32 [%%rd3+%d], %%f%d;\n", 4*n, 30+n)
	}
	return b.String()
}

// A warp issues loads together and waits for all of them, even if registers are scarce but sufficient. In KTT's n-body sum over four arrays
// a multiprocessor of a GTX 680 executes a load every 4.2 cycles, with 32 warps. Four waits for L2 in turn allow half as many.
func TestLoadsGoTogetherWhereRegistersAreScarce(t *testing.T) {
	for _, live := range []int{18, 20, 21, 22, 23, 24} {
		mp := lowered(t, fourArrays(live), lower.Options{ComputeCapability: 30})
		assert.Zero(t, mp.SpillBytes, live)
		behind, waited := 0, false // loads behind a use of earlier loads' results
		for _, name := range mnemonics(mp) {
			if waited && name == "LD.E.128" {
				behind++
			}
			waited = name == "FADD" || waited && name != "LD.E.128"
		}
		assert.LessOrEqual(t, behind, 2, "%d values", live) // eight loads, of two turns
	}
}
