package smx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaving is a kernel in which the first lane of each warp writes its word of shared memory before a barrier. Before the barrier is a path
// out, LEAVE for %q, which no lane takes. After it all threads read the word that the first lane of their warp wrote.
const leaving = `.version 6.4
.target sm_35
.address_size 64
.extern .func __assertfail(.param .b64 text, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.func give_up(.param .b32 n)
{
	.reg .pred %p;
	.reg .b32 %r<2>;
	ld.param.u32 %r0, [n];
	setp.eq.u32 %p, %r0, 0;
	@%p trap;
	sub.u32 %r1, %r0, 1;
	{
	.param .b32 a;
	st.param.b32 [a], %r1;
	call give_up, (a);
	}
	exit;
}
.visible .entry kernel(.param .u64 out, .param .u32 n)
{
	.reg .pred %p, %q, %again;
	.reg .b32 %r<4>, %tid, %at;
	.reg .b64 %out;
	.shared .align 4 .b8 s[768];
	ld.param.u64 %out, [out];
	ld.param.u32 %r2, [n];
	mov.u32 %tid, %tid.x;
	mad.wide.u32 %out, %tid, 4, %out;
	mov.u32 %at, s;
	mad.lo.u32 %at, %tid, 4, %at;
	st.shared.u32 [%at], 1;
	bar.sync 0;
	and.b32 %r0, %tid, 31;
	setp.ne.u32 %p, %r0, 0;
	setp.ge.u32 %q, %tid, %r2;
AGAIN:
	@%p bra ALL;
	LEAVE
REST:
	st.shared.u32 [%at], 7;
ALL:
	bar.sync 0;
	and.b32 %r0, %tid, 992;
	shl.b32 %r0, %r0, 2;
	mov.u32 %r1, s;
	add.u32 %r0, %r0, %r1;
	ld.shared.u32 %r3, [%r0];
	bar.sync 0;
	st.shared.u32 [%at], 2;
	sub.u32 %r2, %r2, 1;
	setp.gt.u32 %again, %r2, 191;
	@%again bra AGAIN;
	add.u32 %r3, %r3, 1;
	shl.b32 %r3, %r3, 1;
	st.global.u32 [%out], %r3;
	ret;
RARE:
	AWAY
}
`

// Lanes meet before the barrier even if a path between them ends, in each way in which a path can end, in place and far off.
func TestLanesMeetWhereAPathLeaves(t *testing.T) {
	assertion := `{
	.param .b64 text; .param .b64 file; .param .b32 line; .param .b64 function; .param .b64 size;
	st.param.b64 [text], 0; st.param.b64 [file], 0; st.param.b32 [line], 0; st.param.b64 [function], 0; st.param.b64 [size], 0;
	call __assertfail, (text, file, line, function, size);
	}`
	never := `{
	.param .b32 a;
	st.param.b32 [a], %tid;
	call give_up, (a);
	}`
	for name, away := range map[string]string{
		"exit": "exit;", "return": "ret;", "trap": "trap;", "breakpoint": "brkpt; exit;", "assertion": assertion,
		"assertion and exit": assertion + " exit;", "function that never returns": never, "loop without end": "FOREVER: bra FOREVER;",
		"store and exit": "st.shared.u32 [%at], 9; exit;", "barrier and exit": "bar.sync 0; exit;",
	} {
		for place, leave := range map[string]string{
			"in place": "@!%q bra REST;\n" + strings.ReplaceAll(away, "FOREVER", "HERE"), "far off": "@%q bra RARE;",
			"falls through": "@!%q bra REST;\nbra RARE;",
		} {
			t.Run(name+", "+place, func(t *testing.T) {
				text := strings.NewReplacer("LEAVE", leave, "AWAY", away).Replace(leaving)
				bothWays(t, text, setup{threads: 192, parameters: []uint32{193}}, func(t *testing.T, b *bench) {
					require.Nil(t, b.Fault)
					for n, got := range b.words(192) {
						assert.Equal(t, uint32(2*(7+1)), got, "thread %d", n)
					}
				})
			})
		}
	}
}

// Partial barriers are counted: those that only some of a warp's live threads reach.
func TestBarriersOfPartsOfWarpsAreCounted(t *testing.T) {
	for text, want := range map[string]uint64{
		"bar.sync 0;": 0,
		"setp.lt.u32 %p0, %tid, 40;\n@%p0 bar.sync 0;\nbar.sync 0;":                             1,
		"setp.lt.u32 %p0, %tid, 40;\n@%p0 exit;\nbar.sync 0;":                                   0,
		"setp.lt.u32 %p0, %tid, 40;\n@%p0 bra ON;\nbar.sync 0;\nON:\nst.global.u32 [%mine], 1;": 1,
	} {
		bothWays(t, kernelText(text), setup{threads: 70}, func(t *testing.T, b *bench) {
			require.Nil(t, b.Fault)
			assert.Equal(t, want, b.Counters.PartialBarriers, text)
		})
	}
}
