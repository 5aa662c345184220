package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

// Every warp instruction and every stalled cycle of a launch counts for one line and one function, in timed and functional runs. That holds
// with calls, inlined calls, and launches that end in a fault.
func TestSourceAccountsForEverything(t *testing.T) {
	for name, o := range modes {
		d := loadDevice(t, "calls.ptx", o)
		for _, k := range d.module.Kernels() { // some end in faults, and the next runs
			t.Run(name+"/"+k.Name, func(t *testing.T) {
				d.t = t
				l, err := d.launch(k.Name, 3, 64, []uint64{d.allocate("out", 1<<16)}[:len(k.Parameters)]...)
				if l == nil {
					require.NoError(t, err)
				}
				var lines, functions stats.OperationCount
				for i := range l.Source {
					lines.Add(&l.Source[i].OperationCount)
					var kinds stats.AccessCount
					for k := range l.Source[i].Accesses {
						kinds.Add(&l.Source[i].Accesses[k].AccessCount)
					}
					assert.Equal(t, l.Source[i].Memory, kinds, "each access is of one kind")
				}
				for i := range l.Functions {
					functions.Add(&l.Functions[i].OperationCount)
				}
				assert.Equal(t, lines, functions)
				assert.Equal(t, l.Total.InstExecuted, lines.Executed)
				assert.Equal(t, l.Total.NotPredicatedOff, lines.Lanes)
				assert.Equal(t, l.Total.Stalls, lines.Stalls)
				assert.Equal(t, k.Name, l.Functions[0].Symbol)
				assert.True(t, l.Functions[0].Kernel)
			})
		}
	}
}

// Lane k computes fib(k) in the same tree of calls as lane 10, as far as it goes: the warp enters 2·F(11) - 1 times.
func TestCallsAreCounted(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		l, err := d.launch("fibonacci", 1, 11, d.allocate("out", 44))
		require.NoError(t, err)
		require.Len(t, l.Functions, 2)
		assert.Equal(t, "fib", l.Functions[1].Symbol)
		assert.Equal(t, uint64(2*89-1), l.Functions[1].Calls)
		assert.Zero(t, l.Functions[1].Inlined)
		for _, s := range l.Source {
			if s.Function == 1 {
				assert.Less(t, s.Line, 34, "fib ends at line 33 of calls.ptx")
			}
		}
	})
}

// inlined.ptx calls functions that decoding inlines, one in the other. The store in the inner one is outside every allocation.
func TestInlinedCallsAreNamed(t *testing.T) {
	eachMode(t, "inlined.ptx", func(t *testing.T, d device) {
		l, err := d.launch("k", 1, 32, d.allocate("out", 4))
		require.ErrorContains(t, err, "inner() inlined at inlined.ptx:19")
		require.Len(t, l.Functions, 3)
		for i, want := range []struct {
			name    string
			inlined int
		}{{"k", 0}, {"outer()", 1}, {"inner()", 1}} {
			assert.Equal(t, want.name, l.Functions[i].Name)
			assert.Equal(t, want.inlined, l.Functions[i].Inlined)
		}
		found := false
		for _, s := range l.Source {
			if s.Line == 9 {
				found = true
				assert.Equal(t, "inner()", l.Functions[s.Function].Name)
				assert.Equal(t, []stats.Place{{File: "inlined.ptx", Line: 19}, {File: "inlined.ptx", Line: 28}}, s.InlinedAt)
			}
		}
		assert.True(t, found, "the store of line 9")
	})
}
