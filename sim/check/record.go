package check

import "github.com/keplersim/keplersim/isa/exec"

// record is a byte's record of an access: the warp, the lane, the warp's clock, and the site. Records of warps that began later are
// greater, whatever their other fields. 0 is no access.
type record uint64

// The fields of a record, from the lowest bit.
const (
	siteBits  = exec.RecordSiteBits
	clockBits = 16
	laneBits  = 6
	warpBits  = 64 - siteBits - clockBits - laneBits

	clockShift = siteBits
	laneShift  = clockShift + clockBits
	warpShift  = laneShift + laneBits

	// severalLanes is the lane of an access by several lanes.
	severalLanes = 32

	// splitMark is a mark instead of a warp: the low bits are the number of a split word.
	splitMark = 1<<warpBits - 1
	lastWarp  = splitMark - 1
)

func newRecord(warp uint32, lane int, clock uint32, site uint16) record {
	return record(warp)<<warpShift | record(lane)<<laneShift | record(clock&(1<<clockBits-1))<<clockShift | record(site)
}

func (r record) warp() uint32  { return uint32(r >> warpShift) }
func (r record) lane() int     { return int(r >> laneShift & (1<<laneBits - 1)) }
func (r record) clock() uint32 { return uint32(r >> clockShift & (1<<clockBits - 1)) }
func (r record) site() uint16  { return uint16(r) }

// mark makes a record that refers to something else by number.
func mark(kind uint64, number uint32) record { return record(kind<<warpShift | uint64(number)) }

// number returns the number in a mark.
func (r record) number() uint32 { return uint32(r) }

// ofSeveral returns the record for several lanes.
func (r record) ofSeveral() record {
	return r&^(record(1<<laneBits-1)<<laneShift) | severalLanes<<laneShift
}
