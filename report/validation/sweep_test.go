package validation_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	report "github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation"
)

// tables returns a diagram over powers of two with a point that was not measured, and one over names.
func tables() []validation.SweepTable {
	return []validation.SweepTable{
		{
			Title: "by size", X: "bytes", Y: "cycles", Columns: []string{"a", "b"}, Logarithmic: true,
			Rows: []validation.SweepRow{
				{Label: "1K", X: 1024, Values: []float64{30, math.NaN()}}, {Label: "2K", X: 2048, Values: []float64{92.25, 31}},
			},
		},
		{Title: "by name", X: "where", Y: "a clock", Columns: []string{"red"},
			Rows: []validation.SweepRow{{Label: "word", Values: []float64{1}}, {Label: "line", Values: []float64{8}}}},
	}
}

func TestSweepAsText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.WriteSweep(&out, "text", report.Board{Name: "k80"}, tables()))
	assert.Equal(t, `by size, on k80 (cycles)
bytes  a      b   
1K     30         
2K     92.25  31  

by name, on k80 (a clock)
where  red  
word   1    
line   8    

`, out.String())
}

func TestSweepAsData(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.WriteSweep(&out, "csv", report.Board{Name: "k80"}, tables()))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+3+2)
	assert.Equal(t, []string{"k80", "", "by size", "bytes", "2K", "a", "cycles", "92.25"}, lines[2])

	out.Reset()
	require.NoError(t, report.WriteSweep(&out, "json", report.Board{Name: "k80"}, tables()))
	var document struct {
		Board  string
		Tables []struct {
			Rows []struct {
				Label  string
				Values []*float64
			}
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &document))
	assert.Nil(t, document.Tables[0].Rows[0].Values[1])
	assert.Equal(t, 8.0, *document.Tables[1].Rows[1].Values[0])
}

func TestSweepPlotsAFileADiagram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sweep.svg")
	files, err := report.WriteSweepPlot(path, report.Board{Name: "k80"}, tables())
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		assert.Contains(t, string(data), "k80")
	}
	_, err = report.WriteSweepPlot("sweep.bmp", report.Board{Name: "k80"}, tables())
	require.ErrorContains(t, err, ".svg")
}
