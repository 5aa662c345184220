package study

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const chosenFrom = `workload,board,block,status,reason,cycles,ipc
fft,k20,128,ok,,100,1.5
fft,k40,128,ok,,90,1.6
fft,k40,"16,16",failed,no room,,
scan,k20,128,ok,,70,0.5
scan,k40,128,wrong,y[3] is 5,60,0.6
`

func TestRowsAreChosenByNumberOrByValues(t *testing.T) {
	table, err := ReadTable(strings.NewReader(chosenFrom))
	require.NoError(t, err)
	for text, want := range map[string][]int{
		"1": {0}, "5": {4}, "board=k20": {0, 3}, "board=k40,block=128": {1, 4}, "block=16,16": {2}, "block=16,16,board=k40": {2},
		"workload=scan,board=k40": {4},
	} {
		rows, err := table.Choose(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, rows, text)
	}
	for text, want := range map[string]string{
		"0": "row 0: the table has rows 1 to 5", "6": "row 6: the table has rows 1 to 5",
		"board=k80":             "no row has board=k80; there are k20, k40",
		"block=128":             "block=128 fits 2 rows of fft: say also board (k20, k40)",
		"board=k40":             `board=k40 fits 2 rows of fft: say also block (128, 16,16)`,
		"ipc=1":                 `"ipc=1" chooses no row: write a number, or values of the columns workload, board, block, as in board=k20`,
		"":                      `"" chooses no row: write a number, or values of the columns workload, board, block, as in board=k20`,
		"board=k20,block=16,16": "no row has board=k20,block=16,16 together",
	} {
		_, err := table.Choose(text)
		assert.EqualError(t, err, want, text)
	}
	axes, metrics := table.Point(1)
	assert.Equal(t, []string{"block=128"}, axes)
	assert.Equal(t, map[string]float64{"cycles": 90, "ipc": 1.6}, metrics)
	status, reason := table.Ended(2)
	assert.Equal(t, Failed, status)
	assert.Equal(t, "no room", reason)
}
