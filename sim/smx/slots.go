package smx

import (
	"iter"
	"math/bits"

	"github.com/keplersim/keplersim/sim/scheduler"
)

// lastSlot is a scheduler's highest slot. Masking with it tells the compiler that an index is in bounds.
const lastSlot = scheduler.Slots - 1

// bit returns the set of one slot.
func bit(slot int) uint64 { return 1 << (slot & lastSlot) }

// slotsOf iterates over a set of slots.
func slotsOf(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set) & lastSlot) {
				return
			}
		}
	}
}
