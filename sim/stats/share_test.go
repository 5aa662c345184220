package stats

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSlimKeepsWhatReportsTell(t *testing.T) {
	l := &Launch{
		SMXs: []SMX{{ActiveCycles: 7, InstExecuted: 70, BlocksLaunched: 2}, {ActiveCycles: 5, InstExecuted: 50, BlocksLaunched: 1}},
	}
	l.Sum()
	shares := []Share{{7, 70, 2}, {5, 50, 1}}
	for range 3 {
		assert.Equal(t, shares, l.Shares())
		least, most := l.ActiveRange()
		assert.Equal(t, [2]uint64{5, 7}, [2]uint64{least, most})
		assert.EqualValues(t, 120, l.Total.InstExecuted)
		l.Slim()
		assert.Nil(t, l.SMXs)
	}
}
