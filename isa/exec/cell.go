package exec

// Cell is the shadow of one memory word in a screening: who touched the word last, as far as that may matter. A screening finds launches
// with suspicious accesses, for a closer look: false alarms are possible, misses are not. Time is divided into epochs: the execution of one
// block between two of its barriers, numbered by their start. The zero value is an untouched word.
//
// From the lowest bit on, a cell holds the thread's number in its block, three marks, and the epoch.
type Cell uint32

// The fields of a cell.
const (
	cellThread  Cell = 1<<10 - 1
	cellSeveral Cell = 1 << 10 // several threads of the block touched it or, with othersRead, several blocks
	cellWritten Cell = 1 << 11 // written in this epoch; with cellSeveral, atomically, and only atomically in this launch
	cellBlock   Cell = 1 << 12 // the block wrote it in this launch

	cellToucher = cellThread | cellSeveral
	othersRead  = cellSeveral | 1
	cellAtomic  = cellSeveral | cellWritten

	// EpochShift is the lowest bit of the epoch. MostEpochs is the number of epochs, with the zeroth.
	EpochShift = 13
	MostEpochs = 1<<(32-EpochShift) - 1
)

// Scope is a block's position in time. All epochs from First to Current are the block's own; Current is the present one. Launch is the
// first epoch of the launch or, for shared memory, of the block; older ones are in the past. All are shifted as in a cell.
type Scope struct {
	Current, First, Launch Cell
	// Shared: the scope is for shared memory. Other blocks do not touch it, and it is uninitialised when the block begins.
	Shared bool
}

// Epoch returns an epoch, shifted as in a cell.
func Epoch(number uint32) Cell { return Cell(number << EpochShift) }

// Read returns a cell after a thread's read. It returns false for a suspicion: an unordered write of another thread, or an uninitialised
// word.
func (s *Scope) Read(c, thread Cell) (Cell, bool) {
	own := s.Current | thread
	switch {
	case c < s.Launch:
		return own, !s.Shared
	case s.touchedByOtherBlock(c):
		return s.Current | othersRead, c&(cellWritten|cellBlock) == 0
	case c&cellToucher == othersRead:
		return c, true
	case c&cellAtomic == cellAtomic && !s.Shared:
		return c, false // other blocks may have written it too
	case c < s.Current:
		return own | c&cellBlock, true
	case c&cellToucher == thread:
		return c, true
	}
	return s.Current | cellSeveral | c&cellBlock, c&cellWritten == 0
}

// Write is Read for a write.
func (s *Scope) Write(c, thread Cell) (Cell, bool) {
	own := s.written(thread)
	switch {
	case c < s.Launch:
		return own, true
	case s.touchedByOtherBlock(c):
		return c, false
	case c < s.Current:
		shared := c&cellAtomic == cellAtomic || c&cellToucher == othersRead
		return own, s.Shared || !shared
	}
	return own, c&cellToucher == thread
}

// touchedByOtherBlock reports that another block touched the word last, in this launch.
func (s *Scope) touchedByOtherBlock(c Cell) bool { return c < s.First || c >= s.next() }

// next is the epoch after the current one; it may be another block's.
func (s *Scope) next() Cell { return s.Current + Epoch(1) }

// written returns the cell of a word after a thread's write.
func (s *Scope) written(thread Cell) Cell {
	own := s.Current | cellWritten | thread
	if !s.Shared {
		own |= cellBlock
	}
	return own
}

// Change is Read for an atomic.
func (s *Scope) Change(c Cell) (Cell, bool) {
	changed := s.Current | cellAtomic
	switch {
	case c < s.Launch:
		return changed, !s.Shared
	case s.Shared && c < s.Current:
		return changed, true
	}
	return c, c&(cellAtomic|cellBlock) == cellAtomic
}

// Access returns a cell after an access of the given kind; false for a suspicion.
func (s *Scope) Access(kind AccessKind, c, thread Cell) (Cell, bool) {
	switch kind {
	case AccessLoad:
		return s.Read(c, thread)
	case AccessStore:
		return s.Write(c, thread)
	}
	return s.Change(c)
}
