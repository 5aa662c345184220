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

	// Warps of the highest numbers are marks: what follows is the number of a list of records, or of a word that is kept byte by byte.
	listMark  = 1<<warpBits - 1
	splitMark = 1<<warpBits - 2
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

// list is several accesses of one byte that nothing orders: readers, or strong writers. Lists share their beginnings, and equal lists are one.
type list struct {
	before uint32 // the list without the last record, 0 for none
	last   record
}

// lists are the lists of a device.
type lists struct {
	all    []list
	first  uint32 // lists before it are of warps that everything comes after
	longer map[list]uint32
}

func newLists() lists { return lists{all: make([]list, 1), first: 1, longer: map[list]uint32{}} }

// forget makes what lists say be in the past.
func (l *lists) forget() {
	l.first += uint32(len(l.all)) - 1
	l.all = l.all[:1]
	clear(l.longer)
}

// with is a list with one record more.
func (l *lists) with(before uint32, r record) uint32 {
	key := list{before, r}
	if n, ok := l.longer[key]; ok {
		return n
	}
	n := l.first + uint32(len(l.all)) - 1
	l.all = append(l.all, key)
	l.longer[key] = n
	return n
}

// past reports a list that forget has dropped.
func (l *lists) past(number uint32) bool { return number < l.first }

// each calls f for the records of a list, the last first, until f says no.
func (l *lists) each(number uint32, f func(record) bool) {
	for number >= l.first {
		entry := &l.all[number-l.first+1]
		if !f(entry.last) {
			return
		}
		number = entry.before
	}
}

// top is a list's last record.
func (l *lists) top(number uint32) list { return l.all[number-l.first+1] }
