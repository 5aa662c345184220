package runtime

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

func launchOf(kernel string, instructions uint64, us float64) *stats.Launch {
	l := &stats.Launch{Kernel: kernel, TimeUS: us}
	l.Total.InstExecuted = instructions
	return l
}

func TestDetailChoosesLaunches(t *testing.T) {
	for _, c := range []struct {
		time   []string
		detail string
		kernel string
		want   string // of ten launches, t for a timed one
	}{
		{nil, "full", "k", "tttttttttt"},
		{nil, "none", "k", ".........."},
		{[]string{"first:3"}, "", "k", "ttt......."},
		{[]string{"first:2", "every:4"}, "", "k", "tt..t...t."},
		{[]string{"kernel=blur*"}, "full", "_Z4blurPf", "tttttttttt"},
		{[]string{"kernel=blur"}, "full", "_Z5sharpPf", ".........."},
	} {
		d, err := ParseDetail(c.time, c.detail)
		require.NoError(t, err)
		got := ""
		for range 10 {
			if d.wants(c.kernel) {
				got += "t"
			} else {
				got += "."
			}
		}
		assert.Equal(t, c.want, got, "%v %s", c.time, c.detail)
	}
	for _, wrong := range []string{"first", "every:0", "often:3", "kernel="} {
		_, err := ParseDetail([]string{wrong}, "")
		assert.ErrorContains(t, err, "--time "+wrong)
	}
	_, err := ParseDetail(nil, "some")
	assert.Error(t, err)
}

// After the budget is spent, the first launch of another kernel is still timed. The other launches' times are estimated.
func TestDetailKeepsToItsBudget(t *testing.T) {
	d := &Detail{Budget: 1000}
	assert.True(t, d.wants("a"))
	d.learn(launchOf("a", 600, 6))
	assert.True(t, d.wants("a"))
	d.learn(launchOf("a", 600, 12))
	assert.False(t, d.wants("a"))
	assert.True(t, d.wants("b"))
	assert.InDelta(t, 18./1200*100, d.estimate(launchOf("a", 100, 0)), 1e-9)
	assert.Zero(t, d.estimate(launchOf("c", 100, 0)))
}

func TestDetailSaysWhatIsEstimated(t *testing.T) {
	d := &Detail{Timed: 7}
	for range 3 {
		l := launchOf("a", 600, 6)
		l.Chip.CoreMHz, l.Estimate = 1000, &stats.Estimate{Half: 500, Confidence: 0.95}
		d.note(l)
	}
	d.note(launchOf("b", 600, 6))
	assert.Equal(t, "3 of 7 launches are estimated from blocks or launches that were timed (--sample, --budget): ± 1.5 µs in all, "+
		"in 95 of 100 cases",
		d.String())
}
