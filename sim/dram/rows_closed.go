package dram

import "github.com/keplersim/keplersim/configs"

// closedRows closes a row after an access, unless a waiting request needs it.
type closedRows struct{}

func init() {
	RegisterRowPolicy("closed", "a row closes after an access unless a waiting request needs it",
		func(*configs.DRAM) RowPolicy { return closedRows{} })
}

// Close implements RowPolicy.
func (closedRows) Close(_ *Channel, bank, row uint32, waiting *Queue) bool {
	for _, k := range waiting.keys {
		if k.bank() == uint8(bank) && k.row == row {
			return false
		}
	}
	return true
}
