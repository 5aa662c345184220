package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// made returns a point of a work with some parts, as in block=64,tile=2.
func made(program, work, apart string, theirs, ours float64) Point {
	p := Point{Name: program + work + apart, Program: program, Work: work, Theirs: theirs, Ours: ours}
	values := map[string]string{}
	for pair := range strings.SplitSeq(apart, ",") {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	for _, column := range PointParts() {
		p.Parts = append(p.Parts, values[column])
	}
	return p
}

// The error of a ratio combines those of both times: equal errors cancel, opposite ones add up. Only points that do the same work and
// differ in one kind of change are compared. All programs have equal weight.
func TestErrorsOfChanges(t *testing.T) {
	t.Parallel()
	all := errorsOfChanges([]Point{
		made("a", "n=1", "block=64", 100, 120), made("a", "n=1", "block=128", 200, 240), made("a", "n=1", "block=256", 300, 360),
		made("a", "n=2", "block=64", 1, 9), // other work
		made("b", "n=1", "block=64", 100, 150), made("b", "n=1", "block=128", 110, 82.5),
		made("b", "n=1", "block=128,tile=2", 110, 165),
		made("c", "", "board=k40", 10, 11), made("c", "", "board=k20", 20, 20), made("c", "", "board=k20,ecc=on", 25, 20),
	})
	block := all[BlockChange]
	assert.Equal(t, []int{4, 2}, []int{block.Pairs, block.Programs})
	assert.InDelta(t, 0, block.Half, 1e-9)
	assert.InDelta(t, 100, block.NineInTen, 1e-9)
	assert.InDelta(t, (1.0-1)/2, block.Ranks, 1e-9, "all of a's pairs are in order, and b's one is not")
	assert.InDelta(t, (0+10.0)/2, block.Regret, 1e-9, "b's best is 10 % slower on the card than its own")
	assert.InDelta(t, 10, block.Worst, 1e-9)
	assert.Equal(t, 1, all[TileChange].Pairs)
	assert.InDelta(t, 100, all[TileChange].Half, 1e-9)
	assert.Equal(t, 2, all[BoardChange].Pairs, "ECC belongs to a board")
	assert.InDelta(t, 10, all[BoardChange].Half, 1e-9)
	assert.Equal(t, 1, all[ECCChange].Pairs)
	assert.Equal(t, 6, all[VariantChange].Pairs, "several of these changes at once too, and nothing of boards")
	for _, none := range []Change{LayoutChange, RegistersChange, CodeChange, LaunchChange, KeyChange, SeveralChange} {
		assert.NotContains(t, all, none)
	}
}

// A comparison's judgement follows the recorded errors of such changes, whichever run is faster, and the tables in docs/research.md show
// these errors. No published times differ only in a limit on registers.
func TestDifferencesAreJudged(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/research.md")
	require.NoError(t, err)
	for change, least := range map[Change]int{
		BlockChange: 50, TileChange: 20, LayoutChange: 30, CodeChange: 10, VariantChange: 300, BoardChange: 50, ECCChange: 8,
	} {
		e, ok := ErrorOfChange(change)
		require.True(t, ok, change)
		assert.Greater(t, e.Pairs, least, change)
		assert.Greater(t, e.NineInTen, e.Half, change)
		assert.Contains(t, change.Judge(1+0.9*e.Half/100), "Within the model's error: with "+string(change)+" (")
		assert.Contains(t, change.Judge(1/(1+1.1*e.Half/100)), "Likely, not sure")
		assert.Contains(t, change.Judge(1+1.1*e.NineInTen/100), "Safe: ")
		row := fmt.Sprintf("| %s | %d of %d | %.0f %% | %.0f %% | %.2f | %.1f %% | %.0f %% |\n", change, e.Pairs, e.Programs, e.Half,
			e.NineInTen, e.Ranks, e.Regret, e.Worst)
		assert.True(t, strings.Contains(string(page), row), "points.csv has changed: write this row to docs/research.md: %s", row)
	}
	for _, change := range []Change{RegistersChange, LaunchChange, KeyChange, SeveralChange} {
		assert.Equal(t, "Not validated: there is no pair of published times with "+string(change)+".", change.Judge(3))
	}
	for column, want := range map[string]Change{
		"board": BoardChange, "l2.bytes=512K": KeyChange, "dram.ecc=true": ECCChange, "block": BlockChange, "define.TILE": TileChange,
		"define.unroll_inner": CodeChange, "define.N": VariantChange, "dlcm": LaunchChange, "maxrregcount=32": RegistersChange,
	} {
		assert.Equal(t, want, ChangeOf(column), column)
	}
}

// The difference of two launches is one kind of change, a variant, or one that was never compared.
func TestChangesOfLaunches(t *testing.T) {
	t.Parallel()
	row := func(board string, set ...string) *SavedLaunch {
		return &SavedLaunch{jsonLaunch: jsonLaunch{Config: board, Overrides: set}}
	}
	launch := func(grid, block int) *SavedLaunch {
		return &SavedLaunch{jsonLaunch: jsonLaunch{Config: "k40", Grid: [3]int{grid, 1, 1}, Block: [3]int{block, 1, 1}}}
	}
	for _, test := range []struct {
		a, b *SavedLaunch
		want Change
	}{
		{row("k40", "block=64"), row("k40", "block=128"), BlockChange},
		{row("k40", "block=64", "define.TILE=2"), row("k40", "block=128", "define.TILE=4"), VariantChange},
		{row("k40", "maxrregcount=32"), row("k40"), RegistersChange},
		{row("k40"), row("k20"), BoardChange},
		{row("k40", "block=64"), row("k20", "block=128"), SeveralChange},
		{row("k40", "l2.latency=100"), row("k40", "l2.latency=200"), KeyChange},
		{row("k40", "l2.latency=100"), row("k20", "l2.latency=200"), SeveralChange},
		{row("k40"), row("k40", "dram.ecc=true"), ECCChange},
		{row("k40"), row("k40"), VariantChange}, // the code must differ
		{launch(8, 64), launch(4, 128), BlockChange},
		{launch(8, 64), launch(8, 128), VariantChange},
	} {
		assert.Equal(t, test.want, changeOf(test.a, test.b), "%v and %v", test.a.jsonLaunch, test.b.jsonLaunch)
	}
}

// The points agree with the recorded errors if both have a row, and read back as written.
func TestPointsAreTheRecordedErrors(t *testing.T) {
	t.Parallel()
	errors := map[string]float64{}
	for _, r := range errorRows() {
		errors[r.Name] = r.Error
	}
	for _, p := range points() {
		if want, ok := errors[p.Name]; ok {
			assert.InDelta(t, want, 100*(p.Ours/p.Theirs-1), 0.06, p.Name)
			delete(errors, p.Name)
		}
	}
	assert.Empty(t, errors, "each of errors.csv is a point")
	var out bytes.Buffer
	require.NoError(t, WritePoints(&out, points()))
	assert.Equal(t, pointsText, out.String())
	for text, want := range map[string]string{
		"row,program\n": "the first line is not",
		strings.Join(pointColumns(), ",") + "\na,p,w,,,,,,,,0,1\n": "line 2",
	} {
		_, err := ReadPoints(strings.NewReader(text))
		assert.ErrorContains(t, err, want)
	}
}
