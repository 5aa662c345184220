package exec

// Cell is what a screening of accesses keeps of a word of memory: who has touched it last, as far as that may matter. A screening looks
// for a launch whose accesses need a closer look; it may suspect more than there is, and never less. Time is divided into epochs: what a
// block does between two of its barriers, numbered in the order in which they begin. The zero value is a word that nobody has touched.
//
// From the lowest bit on a cell holds the number of the thread in its block, three marks, and the epoch.
type Cell uint32

// The fields of a cell.
const (
	cellThread  Cell = 1<<10 - 1
	cellSeveral Cell = 1 << 10 // by several threads of the block, or, with othersRead, of several blocks
	cellWritten Cell = 1 << 11 // in this epoch; with cellSeveral, atomically, and so is all that the launch does there
	cellBlock   Cell = 1 << 12 // written by the block, in this launch

	cellWho    = cellThread | cellSeveral
	othersRead = cellSeveral | 1
	atomically = cellSeveral | cellWritten

	// EpochShift is where the epoch begins, MostEpochs how many there may be, the zeroth among them.
	EpochShift = 13
	MostEpochs = 1<<(32-EpochShift) - 1
)

// Scope is a block's place in time: the epoch in which it is now, the first of those that are its own without a gap, and the one with
// which everything begins that is not in its past: its launch, or for its shared memory the block itself. All are at their place in a cell.
type Scope struct {
	Current, First, Launch Cell
	// Shared: it is for shared memory, which other blocks do not touch, and of which nothing was written before the block began.
	Shared bool
}

// Epoch is an epoch at its place in a cell.
func Epoch(number uint32) Cell { return Cell(number << EpochShift) }

// Read returns what a cell is after a thread's read; false where somebody else has written what nothing orders, or nobody has written.
func (s *Scope) Read(c, thread Cell) (Cell, bool) {
	own := s.Current | thread
	switch {
	case c < s.Launch:
		return own, !s.Shared
	case s.another(c):
		return s.Current | othersRead, c&(cellWritten|cellBlock) == 0
	case c&cellWho == othersRead:
		return c, true
	case c&atomically == atomically && !s.Shared:
		return c, false // other blocks may have taken part
	case c < s.Current:
		return own | c&cellBlock, true
	case c&cellWho == thread:
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
	case s.another(c):
		return c, false
	case c < s.Current:
		shared := c&atomically == atomically || c&cellWho == othersRead
		return own, s.Shared || !shared
	}
	return own, c&cellWho == thread
}

// another reports a cell of this launch that another block has touched last.
func (s *Scope) another(c Cell) bool { return c < s.First || c >= s.next() }

// next is the epoch behind the current one, which may be another block's.
func (s *Scope) next() Cell { return s.Current + Epoch(1) }

// written is the cell of a word that a thread has written.
func (s *Scope) written(thread Cell) Cell {
	own := s.Current | cellWritten | thread
	if !s.Shared {
		own |= cellBlock
	}
	return own
}

// Change is Read for an atomic.
func (s *Scope) Change(c Cell) (Cell, bool) {
	changed := s.Current | atomically
	switch {
	case c < s.Launch:
		return changed, !s.Shared
	case s.Shared && c < s.Current:
		return changed, true
	}
	return c, c&(atomically|cellBlock) == atomically
}

// Access is what an access of a kind makes of a cell.
func (s *Scope) Access(kind AccessKind, c, thread Cell) (Cell, bool) {
	switch kind {
	case AccessLoad:
		return s.Read(c, thread)
	case AccessStore:
		return s.Write(c, thread)
	}
	return s.Change(c)
}
