package memory

import "github.com/keplersim/keplersim/configs"

// turning deals groups of consecutive chunks to the slices, one chunk each. A hash of the group's number rotates the order, so that no
// power-of-two stride stays on one slice.
type turning struct{ slices divisor }

func init() {
	RegisterMapping("turning", "neighbouring pieces go to all slices in turn, from a hashed start",
		func(cfg *configs.Config) (Mapping, error) { return &turning{newDivisor(cfg.L2.Slices)}, nil })
}

// Slice implements Mapping.
func (t *turning) Slice(chunk uint64) (slice int, local uint64) {
	group, at := t.slices.divide(chunk)
	rotation := (group ^ group>>3 ^ group>>7 ^ group>>12) * 0x9e37_79b1 >> 8 & 0xffff
	_, s := t.slices.divide(at + rotation)
	return int(s), group
}
