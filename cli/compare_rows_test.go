package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const comparedTable = `workload,board,block,status,reason,cycles,time_us,ipc
fft,k20,128,ok,,100,2,1.5
fft,k40,128,ok,,90,1,1.6
scan,k20,128,ok,,70,7,0.5
scan,k40,128,wrong,y[3] is 5,60,6,0.6
`

// Rows of a study are compared workload by workload, with the metrics that the study keeps. A row that is wrong is a failure.
func TestCompareTakesRowsOfAStudy(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("table.csv", []byte(comparedTable), 0o600))
	code, out, errOut := keplersim(t, "compare", "--format", "csv", "table.csv#1", "table.csv#2")
	require.Equal(t, exitRan, code, errOut)
	assert.Equal(t, `kernel,quantity,unit,1,2
fft,chip,,k20,k40
fft,overrides,,block=128,block=128
fft,time,µs,2,1
fft,cycles,cycles,100,90
fft,ipc,ratio,1.5,1.6
`, out)
	code, out, _ = keplersim(t, "compare", "table.csv#board=k20,block=128", "table.csv#board=k40,block=128")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "FAILED: board=k40: scan is wrong: y[3] is 5")
	assert.Regexp(t, `(?m)^ +board=k20 +board=k40$`, out, "what all have alike is left out of the names")
	assert.NotContains(t, out, "times as fast", "a failed run is judged by nothing")

	require.NoError(t, os.WriteFile("other.csv", []byte(comparedTable), 0o600))
	_, out, _ = keplersim(t, "compare", "--format", "csv", "table.csv#1", "other.csv#2")
	assert.Contains(t, out, "kernel,quantity,unit,table#1,other#2\n")

	for argument, want := range map[string]string{
		"table.csv":           "table.csv: say which rows of the table, as in table.csv#1 or table.csv#board=k40",
		"none.csv#1":          "none.csv: there is no such file",
		"table.csv#9":         "table.csv: row 9: the table has rows 1 to 4",
		"table.csv#block=128": "table.csv: block=128 fits 2 rows of fft: say also board (k20, k40)",
	} {
		code, _, errOut := keplersim(t, "compare", "table.csv#1", argument)
		assert.Equal(t, exitBadInput, code, argument)
		assert.Contains(t, errOut, want, argument)
	}
	code, _, errOut = keplersim(t, "compare", "table.csv#1", "table.csv#2", "-o", "table.csv")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "would overwrite the input")
}
