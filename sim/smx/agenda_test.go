package smx

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/scheduler"
)

// scattered makes each lane load two words of a line of its own, and store their sum there and in shared memory.
const scattered = `.version 4.3
.target sm_35
.address_size 64
.visible .entry scattered(.param .u64 words)
{
	.shared .align 4 .u32 sums[512];
	.reg .u32 %r<6>;
	.reg .u64 %d<3>;
	ld.param.u64 %d0, [words];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %d1, %r0, 128;
	add.u64 %d0, %d0, %d1;
	ld.global.u32 %r1, [%d0];
	ld.global.u32 %r2, [%d0+64];
	shl.b32 %r3, %r0, 2;
	mov.u32 %r4, sums;
	add.u32 %r4, %r4, %r3;
	add.u32 %r5, %r1, %r2;
	st.shared.u32 [%r4], %r5;
	st.global.u32 [%d0+32], %r5;
	ret;
}
`

// A warp whose access the full load/store unit has refused is looked at again in the first cycle in which the unit accepts it. The queue's
// head may have left, or responses may have arrived.
func TestRefusedWarpsAreLookedAtAtOnce(t *testing.T) {
	const threads = 512
	for name, limits := range map[string][]string{
		"queue":     {"load_store.queue=2", "load_store.outstanding=4096"},
		"responses": {"load_store.queue=64", "load_store.outstanding=48"},
		"both":      {"load_store.queue=3", "load_store.outstanding=96"},
		"misses":    {"l1.global_loads=always", "l1.miss_registers=8", "load_store.queue=8"},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := configs.Load("k40", limits)
			require.NoError(t, err)
			s, device := alone(t, config, scattered, "scattered", threads, 128*threads)

			passedOver := 0
			for now := engine.Cycle(1); s.Finished == 0 || !s.SMX.Idle(); now++ {
				require.Less(t, now, engine.Cycle(100_000), "the kernel does not end")
				s.Run(now)
				device.Step(now)
				require.Nil(t, s.Fault)
				for i := range s.schedulers {
					sc := &s.schedulers[i]
					if *sc.next <= now || s.dueLooks.found.of(foundFull)>>i&1 != 0 && !s.loadStore.full(now) { // looked at in this cycle
						continue
					}
					for slot := range slotsOf(sc.refusedSlots()) {
						require.False(t, s.loadStore.accepts(sc.warps[slot].op.class, now),
							"cycle %d, scheduler %d, slot %d: the unit accepts a warp that was refused", now, i, slot)
						passedOver++
					}
				}
			}
			require.Greater(t, passedOver, 100, "no warp waited")
		})
	}
}

// lowest picks the warp of the lowest slot.
type lowest struct{}

func (lowest) Pick(ready uint64, _ *[scheduler.Slots]uint64) int { return bits.TrailingZeros64(ready) }

// Warps whose stores a full unit has refused issue before all others, in the order of the refusals.
func TestStoresThatWereTurnedAwayGoInTurn(t *testing.T) {
	s := &SMX{common: common{now: 7}}
	s.connect()
	s.loadStore.storesInOrder, s.loadStore.held = true, 1
	load := &operation{class: isa.ClassGlobal, place: isa.ClassGlobal}
	store := &operation{class: isa.ClassGlobal, place: isa.ClassGlobal, store: true}
	sc := &warpScheduler{policy: lowest{}}
	for slot, op := range []*operation{load, store, store, load} {
		sc.warps[slot] = &warp{op: op, slot: slot}
	}
	sc.join(sc.warps[2], 7)
	s.look(sc) // a store
	s.now = 9
	for _, slot := range []int{0, 1} { // another store, and a load
		sc.join(sc.warps[slot], 9)
	}
	s.look(sc)
	var order []int
	for ready := uint64(0b1111); ready != 0; {
		slot := sc.choose(ready)
		order = append(order, slot)
		ready &^= 1 << slot
	}
	require.Equal(t, []int{2, 1, 0, 3}, order)

	s.loadStore.storesInOrder = false
	sc.refusedStores = 0
	s.look(sc)
	require.Equal(t, 0, sc.choose(0b0111), "the policy's order, where the configuration says so")
}

// Only calls, returns and system calls are checked one by one in every cycle: a warp before its exit or a barrier waits in a class.
func TestOnlyCallsHaveConditionsOfTheirOwn(t *testing.T) {
	b := newBench(t, kernelText("bar.sync 0;"), setup{})
	seen := map[isa.Control]bool{}
	for i := range b.grid.Program.operations {
		op := &b.grid.Program.operations[i]
		seen[op.control] = true
		require.NotEqual(t, noClass, op.place, "operation %d, control %d", i, op.control)
	}
	require.True(t, seen[isa.ControlExit] && seen[isa.ControlBarrier])
	for c := isa.ControlNone; c <= isa.ControlSystem; c++ {
		op := &operation{control: c, class: isa.ClassBranch, drains: drains(c)}
		own := c == isa.ControlCall || c == isa.ControlReturn || c == isa.ControlSystem
		require.Equal(t, own, op.placeOf() == noClass, "control %d", c)
	}
}

// units.mayBlock has exactly the classes that operations of one scheduler may block at another, and only these make it look again.
func TestTouchedHasTheClassesThatWaitForOtherSchedulers(t *testing.T) {
	for _, chip := range []string{"gk104", "k40", "gf110"} {
		config, err := configs.Load(chip, nil)
		require.NoError(t, err)
		u := newUnits(config)
		for class := range isa.ClassCount {
			op := &operation{class: class, classTicks: int64(32 * ticks / max(1, config.Pipelines.Operations[class].ResultsPerClock))}
			u.reset()
			before := u
			for now := range engine.Cycle(40) {
				u.take(op, 0, now, 0)
			}
			touched := uint64(0)
			for other := range isa.ClassCount {
				for scheduler := uint(1); scheduler < uint(config.SMX.Schedulers); scheduler++ {
					if u.busyUntil(other, scheduler) != before.busyUntil(other, scheduler) {
						touched |= 1 << other
					}
				}
			}
			require.Zero(t, touched&^u.mayBlock[class], "%s, class %d", chip, class)
		}
		const memory, arithmetic = isa.ClassGlobal, isa.ClassFP32
		require.Zero(t, u.mayBlock[arithmetic]>>memory&1|u.mayBlock[memory]>>arithmetic&1, "%s: accesses do not wait for arithmetic", chip)
	}
}

// Only the latest wake-up time of a warp counts, also if it was awake in between.
func TestOnlyTheLatestWakeCounts(t *testing.T) {
	var all dueLooks
	var a agenda
	a.reset(&all, 0)
	require.Equal(t, never, all.due[0])
	a.wake(5, 40, 1)
	a.wake(5, 1, 1)
	require.Equal(t, bit(5), a.awake)
	require.EqualValues(t, 1, all.due[0])
	a.wake(5, 60, 2)
	for now := engine.Cycle(3); now < 60; now++ {
		a.rouse(now)
		require.Zero(t, a.awake|a.fresh, "cycle %d", now)
	}
	a.rouse(60)
	require.Equal(t, bit(5), a.awake)
}

// A scheduler's findings are its own, and only schedulers with accesses are among those that have some.
func TestFindingsAreForgotten(t *testing.T) {
	var all dueLooks
	for _, finding := range []findings{foundFull, foundOpen, foundHeld, foundIdle} {
		all.note(finding, 0)
		all.note(finding, 3)
	}
	all.forget(3)
	for _, finding := range []findings{foundFull, foundOpen, foundHeld, foundIdle} {
		require.EqualValues(t, 1, all.found.of(finding))
	}
	all.forget(0)
	require.Zero(t, all.found)

	some := make(schedulers, 4)
	some[1].occupiedPlaces, some[2].occupiedPlaces = 1<<isa.ClassInteger, 1<<isa.ClassTexture
	require.EqualValues(t, 1<<2, some.withAccesses())
}
