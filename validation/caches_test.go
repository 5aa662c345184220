package validation

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

func loadConfig(t *testing.T, name string, overrides ...string) *configs.Config {
	t.Helper()
	c, err := configs.Load(name, overrides)
	require.NoError(t, err)
	return c
}

func TestCacheParametersAreRecoveredFromLatencies(t *testing.T) {
	for _, chip := range []string{"gk104", "gk110", "gk210"} {
		t.Run(chip, func(t *testing.T) {
			if testing.Short() && chip != "gk210" {
				t.Skip("gk210 has all the caches that the others have")
			}
			t.Parallel()
			found, err := recoverCaches(context.Background(), loadConfig(t, chip), Options{}, func(name string) bool {
				return name != "L2" && name != "TLB level 3"
			})
			require.NoError(t, err)
			names := map[string]bool{}
			for _, c := range found {
				assert.Equal(t, c.Configured, c.Found, c.Name)
				names[c.Name] = true
			}
			for _, name := range []string{"L1, local loads, 16 KB", "L1, local loads, 32 KB", "L1, local loads, 48 KB", "constant L1",
				"constant L1.5", "instruction L1", "instruction L1.5", "TLB level 1", "TLB level 2"} {
				assert.True(t, names[name], name)
			}
			assert.Equal(t, chip != "gk104", names["read-only cache, a slice"])
			assert.Equal(t, chip == "gk210", names["L1, global loads with .ca"])
		})
	}
}

// A chase of L2 has a load for each line. GK104's L2 is tested in full, GK110's and GK210's, with 12 slices, at a quarter of the size.
func TestL2ParametersAreRecoveredFromLatencies(t *testing.T) {
	for chip, overrides := range map[string][]string{"gk104": nil, "gk110": {"l2.bytes=384K"}, "gk210": {"l2.bytes=384K"}} {
		t.Run(chip, func(t *testing.T) {
			if testing.Short() && chip != "gk210" {
				t.Skip("half a minute of loads")
			}
			t.Parallel()
			found, err := recoverCaches(context.Background(), loadConfig(t, chip, overrides...), Options{}, func(name string) bool {
				return name == "L2"
			})
			require.NoError(t, err)
			require.Len(t, found, 1)
			assert.Equal(t, found[0].Configured, found[0].Found)
		})
	}
}

// With changed configurations, the test recovers the changed values, which are also written here.
func TestChangedCacheParametersAreRecovered(t *testing.T) {
	cases := []struct {
		cache, chip string
		overrides   []string
		change      func(c *configs.Config)
		want        Geometry
	}{
		{
			cache: "L1, local loads, 16 KB", chip: "gk104", overrides: []string{"l1.policy=lru"},
			change: func(c *configs.Config) {
				c.SharedMemory.CarveOuts[0].L1, c.SharedMemory.CarveOuts[0].L1Sets = 24<<10, 24
			},
			want: Geometry{Capacity: 24 << 10, Line: 128, Sector: 128, Ways: 8, Sets: 24},
		},
		{
			cache: "L1, global loads with .ca", chip: "gk210", overrides: []string{"l1.policy=plru", "l1.latency=50"},
			change: func(c *configs.Config) {
				c.SharedMemory.CarveOuts[1].L1, c.SharedMemory.CarveOuts[1].L1Sets = 24<<10, 24
			},
			want: Geometry{Capacity: 24 << 10, Line: 128, Sector: 128, Ways: 8, Sets: 24},
		},
		{
			cache: "read-only cache, a slice", chip: "gk110",
			overrides: []string{"read_only.bytes=32K", "read_only.line=64", "read_only.sector=64", "read_only.ways=16"},
			want:      Geometry{Capacity: 8 << 10, Line: 64, Sector: 64, Ways: 16, Sets: 8},
		},
		{
			cache: "read-only cache, a slice", chip: "gk210",
			overrides: []string{"read_only.bytes=32K", "read_only.line=128", "read_only.sector=32", "read_only.ways=16"},
			want:      Geometry{Capacity: 8 << 10, Line: 128, Sector: 32, Ways: 16, Sets: 4},
		},
		{
			cache: "read-only cache, a slice", chip: "gk110b",
			overrides: []string{"read_only.bytes=64K", "read_only.line=256", "read_only.sector=64", "read_only.ways=16"},
			want:      Geometry{Capacity: 16 << 10, Line: 256, Sector: 64, Ways: 16, Sets: 4},
		},
		{
			cache: "constant L1", chip: "gk110",
			overrides: []string{"constant_cache.l1.bytes=3K", "constant_cache.l1.ways=3", "constant_cache.l1.line=32"},
			want:      Geometry{Capacity: 3 << 10, Line: 32, Sector: 32, Ways: 3, Sets: 32},
		},
		{
			cache: "constant L1.5", chip: "gk210",
			overrides: []string{"constant_cache.l15.bytes=16K", "constant_cache.l15.ways=8", "constant_cache.l15.line=128"},
			want:      Geometry{Capacity: 16 << 10, Line: 128, Sector: 128, Ways: 8, Sets: 16},
		},
		{
			cache: "instruction L1", chip: "gk110", overrides: []string{"instruction_cache.l1.bytes=12K"},
			want: Geometry{Capacity: 12 << 10},
		},
		{
			cache: "instruction L1.5", chip: "gk104",
			overrides: []string{"instruction_cache.l15.bytes=20K", "instruction_cache.l15.ways=2"},
			want:      Geometry{Capacity: 20 << 10},
		},
		{
			cache: "L2", chip: "gk104", overrides: []string{"l2.bytes=128K"},
			want: Geometry{Capacity: 128 << 10, Line: 128, Sector: 32},
		},
		{
			cache: "TLB level 1", chip: "gk110", change: func(c *configs.Config) {
				c.TLB.Levels[0].Page, c.TLB.Levels[0].Entries, c.TLB.Levels[0].Ways = 64<<10, 32, 4
			},
			want: Geometry{Capacity: 2 << 20, Line: 64 << 10, Ways: 4, Sets: 8},
		},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.cache, " ", "-"), func(t *testing.T) {
			t.Parallel()
			config := loadConfig(t, c.chip, c.overrides...)
			if c.change != nil {
				c.change(config)
			}
			found, err := recoverCaches(context.Background(), config, Options{}, func(name string) bool { return name == c.cache })
			require.NoError(t, err)
			require.Len(t, found, 1)
			assert.Equal(t, c.want, found[0].Found)
		})
	}
}
