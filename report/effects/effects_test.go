package effects

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/study"
)

// table returns a study in which time_us is 100 for a and 400 for b. It is twice as long with block 64 and a third longer with policy lrr.
// ipc is 1,000 divided by it. One row has failed.
func table(t *testing.T) *study.Table {
	t.Helper()
	var b strings.Builder
	b.WriteString("workload,board,block,policy,status,reason,time_us,ipc\n")
	for w, time := range map[string]float64{"a": 100, "b": 400} {
		for block, factor := range map[string]float64{"64": 2, "128": 1} {
			for policy, more := range map[string]float64{"gto": 1, "lrr": 4.0 / 3} {
				v := time * factor * more
				b.WriteString(strings.Join([]string{w, "k40", block, policy, "ok", "", ftoa(v), ftoa(1000 / v)}, ",") + "\n")
			}
		}
	}
	b.WriteString("a,k40,32,gto,failed,no room,,\n")
	read, err := study.ReadTable(strings.NewReader(b.String()))
	require.NoError(t, err)
	return read
}

func ftoa(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Each workload gains from its first row to its best. Rows without a value are counted by reason, beyond the first reasons as a sum.
func TestGainsAreByWorkload(t *testing.T) {
	read, err := study.ReadTable(strings.NewReader("workload,board,block,status,reason,time_us\n" +
		"a,k40,64,ok,,200\nb,k40,64,ok,,70\na,k40,128,ok,,100\nb,k40,128,ok,,140\na,k40,96,failed,one,\na,k40,97,failed,two,\n" +
		"a,k40,98,failed,three,\na,k40,99,failed,four,\na,k40,100,failed,five,\na,k40,101,failed,six,\na,k40,102,failed,seven,\n"))
	require.NoError(t, err)
	a, err := New(read, "time_us", "", false)
	require.NoError(t, err)
	assert.Equal(t, []Gain{{"a", 200, 100}, {"b", 70, 70}}, a.Gains())
	var text strings.Builder
	require.NoError(t, a.Text(&text))
	assert.Contains(t, text.String(), "; 7 more are left out:\n  1 × failed: ")
	assert.Contains(t, text.String(), " for other reasons, in the table's column reason\n")
}

// Factors multiply: each axis has the factors that the table was made with, relative to their geometric mean, and there is no interaction.
func TestEffectsAreThoseThatTheTableWasMadeWith(t *testing.T) {
	a, err := New(table(t), "", "ipc", false)
	require.NoError(t, err)
	assert.Equal(t, "time_us", a.Metric)
	assert.Len(t, a.Points, 8)
	assert.Equal(t, []Reason{{"failed: no room", 1}}, a.Left)
	require.Len(t, a.Axes, 3)
	logs := map[string]float64{"workload": math.Log(4), "block": math.Log(2), "policy": math.Log(4.0 / 3)}
	total := math.Pow(logs["block"], 2) + math.Pow(logs["policy"], 2)
	for i, name := range []string{"block", "policy", "workload"} {
		x := a.Axes[i]
		assert.Equal(t, name, x.Name, "the axis that explains most first")
		share := logs[name] * logs[name] / total
		if name == "workload" {
			share = 0 // differences between workloads explain nothing
		}
		assert.InDelta(t, share, x.Share, 1e-9, name)
		require.Len(t, x.Values, 2, name)
		for _, e := range x.Values {
			want := math.Exp(logs[name] / 2)
			if e.Value == "a" || e.Value == "128" || e.Value == "gto" {
				want = 1 / want
			}
			assert.InDelta(t, want, e.Factor, 1e-9, "%s %s", name, e.Value)
			assert.Equal(t, 4, e.Groups)
		}
	}
	assert.Empty(t, a.Pairs)
	best := map[string]float64{}
	for _, p := range a.Best() {
		best[p.Inputs[0]] = p.Value
		assert.Equal(t, []string{"128", "gto"}, p.Inputs[1:])
	}
	assert.Equal(t, map[string]float64{"a": 100, "b": 400}, best)
	fronts := map[float64]int{} // by the time of the first point
	for _, front := range a.Fronts() {
		fronts[front[0].Value] = len(front)
	}
	assert.Equal(t, map[float64]int{100: 1, 400: 1}, fronts, "what is fastest has the most instructions a cycle here, in each workload")
	var text strings.Builder
	require.NoError(t, a.Text(&text))
	assert.Contains(t, text.String(), "time_us of 8 points; 1 more are left out:\n  1 × failed: no room\n")
	assert.Contains(t, text.String(), "Pareto front of time_us and ipc, for each workload\n")
}

// If one axis has an effect only for one value of another, the two interact.
func TestInteractionsAreFound(t *testing.T) {
	read, err := study.ReadTable(strings.NewReader("workload,board,x,y,status,reason,cycles,ipc\n" +
		"w,b,0,0,ok,,100,1\nw,b,0,1,ok,,100,2\nw,b,1,0,ok,,100,3\nw,b,1,1,ok,,1000,1\n"))
	require.NoError(t, err)
	a, err := New(read, "cycles", "ipc", false)
	require.NoError(t, err)
	require.Len(t, a.Pairs, 1)
	assert.InDelta(t, 1.0/3, a.Pairs[0].Share, 1e-9, "as much as each of the axes")
	assert.InDelta(t, 1.0/3, a.Axes[0].Share, 1e-9)

	most, err := New(read, "ipc", "cycles", true)
	require.NoError(t, err)
	var front []float64
	require.Len(t, most.Fronts(), 1)
	for _, p := range most.Fronts()[0] {
		front = append(front, p.Value, p.Against)
	}
	assert.Equal(t, []float64{3, 100, 1, 1000}, front)

	_, err = New(read, "speed", "", false)
	assert.EqualError(t, err, `the table has no metric "speed"; it has cycles, ipc`)
}

// The page has the text and four drawings, and escapes all values.
func TestThePageIsWhole(t *testing.T) {
	read := table(t)
	for _, row := range read.Rows {
		row[0] = "<b>" + row[0]
	}
	a, err := New(read, "time_us", "ipc", false)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, a.WritePage(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 4, strings.Count(string(text), "<svg "))
	assert.NotContains(t, string(text), "<b>a")
	assert.Contains(t, string(text), "&lt;b&gt;a")
	assert.Contains(t, string(text), "× 1.414")
}
