package smx

import (
	"iter"
	"math/bits"

	"github.com/keplersim/keplersim/sim/scheduler"
)

// lastSlot is the number of a scheduler's last warp slot: what a slot is masked with where the compiler shall see that it is one.
const lastSlot = scheduler.Slots - 1

// bit is a set with one slot.
func bit(slot int) uint64 { return 1 << (slot & lastSlot) }

// slotsOf are the members of a set of slots.
func slotsOf(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set) & lastSlot) {
				return
			}
		}
	}
}
