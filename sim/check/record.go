package check

// record is an access as a byte of memory remembers it: which warp made it, with which lane, in which of the warp's clocks, at which site.
// Records of warps that began later are greater, whatever else they say. 0 is no access.
type record uint64

// The fields of a record, from the lowest bit.
const (
	siteBits  = 16
	clockBits = 16
	laneBits  = 6
	warpBits  = 64 - siteBits - clockBits - laneBits

	clockShift = siteBits
	laneShift  = clockShift + clockBits
	warpShift  = laneShift + laneBits

	// severalLanes stands for a lane where more than one made the access.
	severalLanes = 32

	// The highest number of a warp is a mark: what follows is the number of a word that is kept byte by byte.
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

// mark is a record that refers to something else by its number.
func mark(kind uint64, number uint32) record { return record(kind<<warpShift | uint64(number)) }

// number is what a mark refers to.
func (r record) number() uint32 { return uint32(r) }

// ofSeveral is the record without its lane.
func (r record) ofSeveral() record {
	return r&^(record(1<<laneBits-1)<<laneShift) | severalLanes<<laneShift
}
