package sim

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listed are arguments in a list.
type listed struct {
	values  []uint64
	strings map[uint64]string
	taken   []int
	wide    int
}

func (l *listed) addressBytes() int { return l.wide }

func (l *listed) integer(bytes int) uint64 {
	l.taken = append(l.taken, bytes)
	v := l.values[0]
	l.values = l.values[1:]
	return v
}

func (l *listed) text(address uint64, limit int) string {
	s := l.strings[address]
	return s[:min(len(s), limit)]
}

// The recorded texts are from glibc's printf.
func TestFormatsAsC(t *testing.T) {
	data, err := os.ReadFile("testdata/printf.tsv")
	require.NoError(t, err)
	rows := 0
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.Split(line, "\t")
		require.Len(t, row, 4, line)
		bits, err := strconv.ParseUint(row[2], 16, 64)
		require.NoError(t, err)
		a := &listed{values: []uint64{bits}, wide: 8}
		assert.Equal(t, row[3], formatC(row[0], a), "%s of %s %s", row[0], row[1], row[2])
		if len(a.taken) > 0 {
			assert.Equal(t, map[string]int{"i32": 4, "i64": 8, "f64": 8}[row[1]], a.taken[0], row[0])
		}
		rows++
	}
	assert.Greater(t, rows, 1000)
}

func TestFormatsStringsAndStars(t *testing.T) {
	texts := map[uint64]string{16: "kepler", 32: ""}
	for _, c := range []struct {
		format string
		values []uint64
		wide   int
		want   string
		taken  []int
	}{
		{"<%s>", []uint64{16}, 8, "<kepler>", []int{8}},
		{"<%10s|%-10s|%.3s>", []uint64{16, 16, 16}, 4, "<    kepler|kepler    |kep>", []int{4, 4, 4}},
		{"%s", []uint64{0}, 8, "(null)", []int{8}},
		{"<%*d|%-*d|%.*f>", []uint64{6, 42, 6, 42, 2, 0x3ff8000000000000}, 8, "<    42|42    |1.50>", []int{4, 4, 4, 4, 4, 8}},
		{"<%*d>", []uint64{0xfffffffa, 42}, 8, "<42    >", []int{4, 4}}, // a negative width is a minus flag
		{"%ld %lu", []uint64{0xffffffff, 0xffffffff}, 4, "-1 4294967295", []int{4, 4}},
		{"%lld", []uint64{1 << 40}, 4, "1099511627776", []int{8}},
		{"a%nb%%", []uint64{16}, 8, "ab%", []int{8}},
		{"%y %d", []uint64{3}, 8, "%y 3", []int{4}}, // no conversion: written unchanged
		{"50%", nil, 8, "50%", nil},
	} {
		a := &listed{values: c.values, strings: texts, wide: c.wide}
		assert.Equal(t, c.want, formatC(c.format, a), c.format)
		assert.Equal(t, c.taken, a.taken, c.format)
	}
}
