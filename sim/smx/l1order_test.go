package smx

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A thread reads what it wrote last, and a later store of its own does not change what it has read. That holds whichever lines are in L1 or
// on their way to it. Threads of a warp have their words in one line or in many, beside those of other warps.
func TestLoadsThroughL1KeepAThreadsOrder(t *testing.T) {
	const threads, words, operations = 96, 4, 30
	type operation struct {
		store bool
		even  int // the word of even threads
		odd   int
	}
	hits := uint64(0)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		var list []operation
		for range operations {
			o := operation{store: r.IntN(3) == 0, even: r.IntN(words), odd: r.IntN(words)}
			if r.IntN(2) == 0 {
				o.odd = o.even
			}
			list = append(list, o)
		}
		// Word w of thread i lies at spread·i mod threads in row w.
		spread := []int{1, 5, 25, 35}[seed%4]
		var text strings.Builder
		fmt.Fprintf(&text, `
	mul.lo.u32 %%r0, %%tid, %d;
	rem.u32 %%r0, %%r0, %d;
	mad.wide.u32 %%d0, %%r0, 4, %%out;
	and.b32 %%r1, %%tid, 1;
	setp.eq.u32 %%p0, %%r1, 0;
	mov.u32 %%r2, %%tid;
`, spread, threads)
		for i, o := range list {
			at := 1 + i%8
			fmt.Fprintf(&text, "	selp.b64 %%d%d, %d, %d, %%p0;\n", at, o.even*threads*4, o.odd*threads*4)
			fmt.Fprintf(&text, "	add.u64 %%d%d, %%d%d, %%d0;\n", at, at)
			if o.store { // of a number that waits for no load, so that it can overtake one
				fmt.Fprintf(&text, "	add.u32 %%r3, %%tid, %d;\n	st.global.u32 [%%d%d], %%r3;\n", 1000*i, 1+i%8)
			} else {
				fmt.Fprintf(&text, "	ld.global.ca.u32 %%r%d, [%%d%d];\n", 4+i%8, 1+i%8)
			}
			if i%8 == 7 || i == len(list)-1 {
				for k := i &^ 7; k <= i; k++ {
					if !list[k].store {
						fmt.Fprintf(&text, "	mad.lo.u32 %%r2, %%r2, 3, %%r%d;\n", 4+k%8)
					}
				}
			}
		}
		fmt.Fprintf(&text, "	st.global.u32 [%%mine+%d], %%r2;\n", words*threads*4)
		want := make([]uint32, threads)
		for i := range want {
			memory, sum := [words]uint32{}, uint32(i)
			for n, o := range list {
				word := o.even
				if i%2 == 1 {
					word = o.odd
				}
				if o.store {
					memory[word] = uint32(i + 1000*n)
				} else {
					sum = 3*sum + memory[word]
				}
			}
			want[i] = sum
		}
		bothWays(t, kernelText(text.String()), setup{chip: "k40", threads: threads}, func(t *testing.T, b *bench) {
			require.Nil(t, b.Fault)
			require.Equal(t, want, b.words((words + 1) * threads)[words*threads:], "seed %d", seed)
			hits += b.Counters.L1Global.Hits
		})
	}
	assert.Greater(t, hits, uint64(1000), "L1 has served loads")
}
