package runtime

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bare is a cell of WriteQuoted without quotes, such as a unit or a value with its unit.
type Bare string

// WriteQuoted writes comma-separated values as nvprof does: strings in quotes, numbers and units without, float64 with six decimals, nil
// empty. encoding/csv quotes only where necessary, but readers of nvprof's logs expect the quotes.
func WriteQuoted(w io.Writer, rows [][]any) error {
	var b bytes.Buffer
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			switch v := cell.(type) {
			case nil:
			case string:
				b.WriteString(`"` + strings.ReplaceAll(v, `"`, `""`) + `"`)
			case float64:
				b.WriteString(strconv.FormatFloat(v, 'f', 6, 64))
			default:
				fmt.Fprint(&b, v)
			}
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}
