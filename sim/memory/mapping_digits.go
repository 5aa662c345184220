package memory

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/configs"
)

// digits writes a chunk's number in digits, with as many values as there are partitions of two slices each. The sum of the digits selects
// the partition. The lowest bit of the second digit selects one of its two slices. The controllers of the previous generation add digits
// like that for four partitions (envytools, hw/memory/g80-vram), and the timing of 256-bit Keplers agrees (docs/rationale.md).
type digits struct {
	width uint     // bits of a digit
	mask  int      // mask of a digit
	bits  []uint64 // for each bit of a digit, that bit of all digits
}

func init() {
	RegisterMapping("digits", "the sum of the address's digits chooses the partition, one bit the slice in it",
		func(cfg *configs.Config) (Mapping, error) {
			n := cfg.L2.Slices
			if n < 4 || n&(n-1) != 0 {
				return nil, fmt.Errorf("l2.mapping digits: %d slices are not a power of two from 4 on", n)
			}
			d := &digits{width: log2(n / 2), mask: n/2 - 1}
			d.bits = make([]uint64, d.width)
			for bit := range uint(64) {
				d.bits[bit%d.width] |= 1 << bit
			}
			return d, nil
		})
}

// Slice implements Mapping.
func (d *digits) Slice(chunk uint64) (slice int, local uint64) {
	partition := 0
	for place, all := range d.bits {
		partition += bits.OnesCount64(chunk&all) << place
	}
	return (partition&d.mask)<<1 | int(chunk>>d.width&1), chunk >> (d.width + 1)
}
