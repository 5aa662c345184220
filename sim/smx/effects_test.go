package smx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
)

// faults are the faults that a listener has received.
type faults []exec.Fault

// Fault implements FaultListener.
func (f *faults) Fault(_ observe.Access, fault *exec.Fault, _ string) { *f = append(*f, *fault) }

// With a listener, lanes whose accesses cannot be carried out are left out, each is reported once, and the others go on.
func TestFaultyLanesAreLeftOut(t *testing.T) {
	text := kernelText(`
	.shared .align 4 .b8 tile[64];
	mov.u32 %r1, tile;
	mad.lo.u32 %r2, %tid, 4, %r1;
	st.shared.u32 [%r2], %tid;            // lanes 0 to 15 have a place
	mul.wide.u32 %d1, %tid, 256;
	add.u64 %d1, %d1, %out;
	st.global.u32 [%d1], %tid;            // so do they in a buffer of 4 KB
	and.b32 %r3, %tid, 1;
	cvt.u64.u32 %d2, %r3;
	add.u64 %d2, %d2, %mine;
	ld.global.u32 %r4, [%d2];             // odd lanes lie across words
	st.global.u32 [%mine+3072], %r4;
	st.global.u32 [%mine+2048], 7;        // all can
`)
	for name, run := range map[string]func(*bench) *bench{"timed": (*bench).timed, "functional": (*bench).functional} {
		t.Run(name, func(t *testing.T) {
			var heard faults
			b := newBench(t, text, setup{threads: 32, observer: observe.Silent{}})
			b.ReportFaults(&heard)
			require.Nil(t, run(b).Fault)
			count := map[isa.Space]int{}
			misaligned := 0
			for i := range heard {
				if heard[i].Misaligned {
					misaligned++
					assert.Equal(t, 1, heard[i].Lane%2)
					continue
				}
				count[heard[i].Space]++
				assert.GreaterOrEqual(t, heard[i].Lane, 16)
			}
			assert.Equal(t, 16, misaligned)
			assert.Equal(t, map[isa.Space]int{isa.SpaceShared: 16, isa.SpaceGlobal: 16}, count)
			words := b.words(1024)
			for lane := range uint32(32) {
				assert.EqualValues(t, 7, words[512+lane])
				if lane > 0 && lane < 16 && lane != 8 && lane != 12 { // whose words the last stores take
					assert.Equal(t, lane, words[64*lane])
				}
			}
		})
	}
}
