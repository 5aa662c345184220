package configs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The clocks that nvidia-smi lists for a Tesla K40m, and the 25 clocks in a K80's board specification.
func TestClocksAsTheBoardsListThem(t *testing.T) {
	k40, err := Load("k40", nil)
	require.NoError(t, err)
	assert.Equal(t, []int{666, 745, 810, 875}, k40.Clocks.CoreClocks(3004))
	assert.Equal(t, []int{324}, k40.Clocks.CoreClocks(324))
	assert.Nil(t, k40.Clocks.CoreClocks(2600))
	k80, err := Load("k80", nil)
	require.NoError(t, err)
	list := k80.Clocks.CoreClocks(2505)
	assert.Len(t, list, 25)
	assert.Equal(t, []int{562, 875}, []int{list[0], list[24]})
	for i := 1; i < len(list); i++ {
		assert.InDelta(t, 13, list[i]-list[i-1], 1)
	}
}

// Every board can be set to its own memory clock, and lists its base clock, except the K20: NVIDIA's tables say 706 MHz, the board 705.
func TestEveryBoardListsItsClocks(t *testing.T) {
	list, err := List()
	require.NoError(t, err)
	for _, e := range list {
		c := &e.Config.Clocks
		assert.Equal(t, c.Base, c.Core, e.Name)
		core := c.CoreClocks(c.Memory)
		require.NotEmpty(t, core, e.Name)
		if e.Config.Name[:min(3, len(e.Name))] == "k20" && c.Base == 706 {
			assert.Contains(t, core, 705, e.Name)
			continue
		}
		assert.Contains(t, core, c.Base, e.Name)
	}
}

func TestLoadAtOtherClocks(t *testing.T) {
	for _, test := range []struct {
		board, clocks string
		core, memory  int
	}{
		{"k40", "3004,875", 875, 3004}, {"k40", "max", 875, 3004}, {"k40", "base", 745, 3004}, {"k40", "", 745, 3004},
		{"k40", "324,324", 324, 324}, {"k80", "max", 875, 2505}, {"k20", "2600, 758", 758, 2600}, {"titan", "max", 993, 3004},
		{"gk20a", "924,72", 72, 924},
	} {
		c, err := LoadAt(test.board, nil, test.clocks)
		require.NoError(t, err, "%s at %s", test.board, test.clocks)
		assert.Equal(t, [2]int{test.core, test.memory}, [2]int{c.Clocks.Core, c.Clocks.Memory}, "%s at %s", test.board, test.clocks)
	}
	c, err := LoadAt("k40", []string{"clocks.core=666", "smx.count=13"}, "3004,810")
	require.NoError(t, err)
	assert.Equal(t, []string{"smx.count=13", "clocks.core=810"}, c.Overrides())
	for _, wrong := range []string{"875", "875,3004", "3004,876", "3004", "fast", "3004,875,1", ",", "-3004,-875"} {
		_, err := LoadAt("k40", nil, wrong)
		var refused *UnsupportedClocks
		require.ErrorAs(t, err, &refused, wrong)
		assert.Contains(t, err.Error(), "memory 3004 MHz with core 875, 810, 745, 666 MHz", wrong)
	}
}

// At a lower memory clock, timings in nanoseconds take fewer clocks but no less time.
func TestTimingFollowsTheMemoryClock(t *testing.T) {
	fast, err := Load("k40", nil)
	require.NoError(t, err)
	slow, err := LoadAt("k40", nil, "324,324")
	require.NoError(t, err)
	a, b := &fast.DRAM.Timing, &slow.DRAM.Timing
	for _, pair := range [][2]int{
		{a.RCD, b.RCD}, {a.RP, b.RP}, {a.RAS, b.RAS}, {a.RC, b.RC}, {a.CL, b.CL}, {a.FAW, b.FAW}, {a.WR, b.WR}, {a.RFC, b.RFC},
	} {
		before, after := float64(pair[0])/3004, float64(pair[1])/324
		assert.GreaterOrEqual(t, after, before)
		assert.Less(t, after, before+2.0/324+1e-9)
	}
	assert.Equal(t, a.CCDShort, b.CCDShort)
	assert.Equal(t, a.CWL, b.CWL)
}
