package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// withoutEffect matches the keys and sections that do not change the time of a launch.
var withoutEffect = regexp.MustCompile(`^(chip$|dram\.bytes$|clocks\.(base$|supported)|host\.|copies\.|boost\.|power\.)`)

// otherBoard says in which values an embedded configuration is outside of the measured boards of its compute capability. It returns "" for
// a measured board or one between them: a file in configs alone earns no trust.
func otherBoard(rows []ErrorRow, base string) string {
	boards := measuredBoards(rows)
	board, err := configs.Load(base, nil)
	if err != nil || slices.ContainsFunc(boards, func(b *configs.Config) bool { return b.Name == board.Name }) {
		return "" // unknown bases are otherChip's concern
	}
	boards = slices.DeleteFunc(boards, func(b *configs.Config) bool { return b.ComputeCapability != board.ComputeCapability })
	measured := map[string][]string{} // values by key
	for _, b := range boards {
		for key, value := range b.Leaves() {
			measured[key] = append(measured[key], value)
		}
	}
	covered := setByRows(rows)
	var beyond []string
	leaves := board.Leaves()
	for _, key := range slices.Sorted(maps.Keys(leaves)) {
		if !withoutEffect.MatchString(key) && !covered[key] && !among(leaves[key], measured[key]) {
			beyond = append(beyond, key+"="+leaves[key])
		}
	}
	if len(beyond) == 0 {
		return ""
	}
	more := ""
	if n := len(beyond) - 1; n > 0 {
		more = fmt.Sprintf(" and %s", plural(uint64(n), "other value"))
	}
	return fmt.Sprintf("no measured card of capability %s has the %s of %s%s", board.ComputeCapability, beyond[0], base, more)
}

// measuredBoards are the configurations of the rows' cards.
func measuredBoards(rows []ErrorRow) (boards []*configs.Config) {
	seen := map[string]bool{}
	for _, r := range rows {
		name := r.Name[strings.LastIndexByte(r.Name, '@')+1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		if board, err := configs.Load(name, nil); err == nil {
			boards = append(boards, board)
		}
	}
	return boards
}

// among reports whether a value is one of some, or a number between two of them.
func among(value string, some []string) bool {
	if slices.Contains(some, value) {
		return true
	}
	v, err := strconv.ParseFloat(value, 64)
	below, above := false, false
	for _, s := range some {
		if of, bad := strconv.ParseFloat(s, 64); bad == nil && err == nil {
			below, above = below || of <= v, above || of >= v
		}
	}
	return below && above
}

// boards.csv has otherBoard's reason for each embedded configuration; -update writes it anew.
func TestReasonsOfBoardsAreInStep(t *testing.T) {
	var lines [][]string
	for _, base := range configs.EmbeddedNames() {
		if reason := otherBoard(errorRows(), base); reason != "" {
			lines = append(lines, []string{base, reason})
		}
	}
	var b bytes.Buffer
	require.NoError(t, csv.NewWriter(&b).WriteAll(lines))
	if *update {
		require.NoError(t, os.WriteFile("boards.csv", b.Bytes(), 0o644))
		return
	}
	assert.Equal(t, b.String(), boardsText, "go test ./report -update writes boards.csv anew")
}

// An embedded board gets an expected error only if measured boards of its capability surround it.
func TestTrustOfBoards(t *testing.T) {
	reason := func(base string) string {
		require.True(t, configs.Embedded(base), base)
		return otherBoard(errorRows(), base)
	}
	for _, base := range []string{"k20", "k20c", "k20x", "k40", "k40m", "k80", "titan", "gtx680", "gtx690", "gtx780ti", "gk20a", "gk104",
		"gk110", "gk110b"} {
		assert.Empty(t, reason(base))
	}
	for base, want := range map[string]string{
		"gtx780": "smx.count=12", "gtx670": "smx.count=7", "gtx770": "clocks.memory=3505", "gk210": "smx.count=15",
		"k10":      "clocks.memory=2500",
		"gtx660ti": "dram.alternate_groups=true",
	} {
		assert.Contains(t, reason(base), want, base)
	}
	l := roofed()
	l.Chip.Config, l.Chip.Base, l.Chip.Name, l.Chip.Overrides = "gtx780", "gtx780", "GK110", nil
	got, ok := TrustOf(l)
	require.True(t, ok)
	assert.False(t, got.Validated)
	assert.Contains(t, got.Text, "not validated: no measured card of capability 3.5 has the smx.count=12 of gtx780; expect ")

	// A card is trusted once it is measured.
	rows := append(slices.Clone(errorRows()), ErrorRow{Name: "stream@gtx780", Program: "stream", Chip: "GK110", Kind: MemoryBound,
		Error: 3})
	assert.Empty(t, otherBoard(rows, "gtx780"))
}
