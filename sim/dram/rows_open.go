package dram

import "github.com/keplersim/keplersim/configs"

// openRows leaves a row open until another row of its bank is wanted.
type openRows struct{}

func init() {
	RegisterRowPolicy("open", "a row stays open until its bank needs another",
		func(*configs.DRAM) RowPolicy { return openRows{} })
}

// Close implements RowPolicy.
func (openRows) Close(*Channel, uint32, uint32, *Queue) bool { return false }
