//go:build alltests

// Parquet's library takes long to compile, so make test leaves these tests out.

package study

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Parquet's own library reads back the table.
func TestParquetSaysTheSame(t *testing.T) {
	table := smallTable()
	var file bytes.Buffer
	require.NoError(t, table.Write(&file, "parquet"))
	type row struct {
		Workload string   `parquet:"workload"`
		Block    string   `parquet:"block"`
		Reason   string   `parquet:"reason"`
		Cycles   *float64 `parquet:"cycles,optional"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	whole, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	for key, want := range map[string]string{"unit.cycles": "cycles", "unit.ipc": "ratio", "keplersim.table_schema": "1"} {
		got, ok := whole.Lookup(key)
		assert.True(t, ok, key)
		assert.Equal(t, want, got, key)
	}
	cycles := 1200.0
	assert.Equal(t, []row{{"a", "64", "", &cycles}, {"b", "64", `no "room", at all`, nil}}, rows)
}

// Parquet's own library reads back tables of any size, in the order of the columns.
func TestParquetOfAnySize(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 1, 8, 9, 1000} {
		table := &Table{Inputs: 12}
		for c := range 40 {
			table.Columns = append(table.Columns, fmt.Sprintf("column %02d µ", 39-c))
		}
		for r := range rows {
			row := make([]string, 40)
			for c := range row {
				switch {
				case c < 14:
					row[c] = strings.Repeat("µ", r%7)
				case (r+c)%3 > 0:
					row[c] = fmt.Sprint(float64(r) / float64(c))
				}
			}
			table.Rows = append(table.Rows, row)
		}
		var out bytes.Buffer
		require.NoError(t, table.Write(&out, "parquet"))
		file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		require.NoError(t, err)
		assert.Equal(t, int64(rows), file.NumRows())
		for i, c := range file.Root().Columns() {
			assert.Equal(t, table.Columns[i], c.Name())
			assert.Equal(t, i >= 14, c.Optional())
		}
		reader := parquet.NewReader(file)
		for _, want := range table.Rows {
			got := map[string]any{}
			require.NoError(t, reader.Read(&got))
			for i, name := range table.Columns {
				if v, _ := strconv.ParseFloat(want[i], 64); i >= 14 && want[i] != "" {
					assert.Equal(t, v, got[name])
				} else if i < 14 {
					assert.Equal(t, want[i], fmt.Sprint(got[name]))
				} else {
					assert.Nil(t, got[name])
				}
			}
		}
	}
}
