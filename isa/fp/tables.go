package fp

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/columns"
)

//go:embed sfu.txt
var coefficientsText string

// coefficients are the SFU's coefficients of each function, by segment.
var coefficients = func() map[string][]quadratic {
	tables, name := map[string][]quadratic{}, ""
	for line := range columns.Lines(coefficientsText) {
		if function, heading := strings.CutSuffix(line, ":"); heading {
			name = function
			continue
		}
		var c [3]int32
		for i, word := range strings.Fields(line) {
			n, err := strconv.ParseInt(word, 10, 32)
			if err != nil {
				panic(err) // the table is ours
			}
			c[i] = int32(n)
		}
		tables[name] = append(tables[name], quadratic{c[0], c[1], c[2]})
	}
	return tables
}()
