package stats

// RowState is the state of a row when a DRAM request found it.
type RowState uint8

// States of rows.
const (
	RowUnasked  RowState = iota // the request did not go to DRAM
	RowHit                      // its row was open
	RowMiss                     // no row of the bank was open
	RowConflict                 // another row had to be closed first
)

// String returns the state in a word; "" for RowUnasked.
func (s RowState) String() string { return [...]string{"", "hit", "miss", "conflict"}[s] }
