package memory

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// owned is a core whose requests rotate over several accounts.
type owned struct {
	core
	accounts []int32
	sent     int
}

func (o *owned) next(now engine.Cycle) (Request, bool) {
	r, ok := o.core.next(now)
	if ok && len(o.accounts) > 0 {
		r.Account = o.accounts[o.sent%len(o.accounts)]
		o.sent++
	}
	return r, ok
}

// add adds counters that are sums; maxima over several units are left out.
func add(into, from reflect.Value) {
	for i := range into.NumField() {
		a, b := into.Field(i), from.Field(i)
		switch a.Kind() {
		case reflect.Uint64:
			a.SetUint(a.Uint() + b.Uint())
		case reflect.Array:
			for n := range a.Len() {
				a.Index(n).SetUint(a.Index(n).Uint() + b.Index(n).Uint())
			}
		case reflect.Struct:
			a.Field(0).SetFloat(a.Field(0).Float() + b.Field(0).Float())
			a.Field(1).SetFloat(0)
		}
	}
}

// The same requests in the names of several accounts count the same in sum as in one name, even if two accounts are closed early. The names
// change no time.
func TestAccountsAddUpToTheWhole(t *testing.T) {
	cfg := load(t, "k40c", "l2.bytes=98304")
	run := func(names int) (stats.Memory, engine.Cycle) {
		s := New(cfg, NewGlobal(cfg))
		accounts := make([]int32, names)
		for i := range accounts {
			accounts[i] = s.Open()
		}
		var end engine.Cycle
		var sum stats.Memory
		for round := range uint64(2) {
			cores := noises(t, cfg, 7+round, 600)
			for i := range cores {
				cores[i] = &owned{core: cores[i], accounts: accounts}
			}
			end = driveFrom(t, s, cores, end-end%s.EpochCycles()+s.EpochCycles())
			for len(accounts) > 2 { // their dirty lines are still there
				closed := s.Close(accounts[0])
				require.Positive(t, closed.L2WriteSectors)
				add(reflect.ValueOf(&sum).Elem(), reflect.ValueOf(&closed).Elem())
				accounts = accounts[1:]
			}
		}
		s.WriteBackAll()
		for _, m := range s.OpenAccounts() {
			add(reflect.ValueOf(&sum).Elem(), reflect.ValueOf(&m).Elem())
		}
		return sum, end
	}
	want, end := run(1)
	require.Positive(t, want.L2WriteBackSectors)
	got, sameEnd := run(4)
	require.Equal(t, end, sameEnd)
	require.Equal(t, want, got)
}
