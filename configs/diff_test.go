package configs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	load := func(name string, overrides ...string) *Config {
		c, err := Load(name, overrides)
		require.NoError(t, err)
		return c
	}
	same, keys := Diff(load("gk110"), load("gk110"))
	assert.Empty(t, same)
	assert.Greater(t, keys, len(Keys()), "elements of lists are keys of their own")

	changed, _ := Diff(
		load("k40"), load("k40", "smx.warps=128", "l2.bytes=768K", "smx.max_block_dim=[8, 8, 8]", "dram.ecc=false", "description=mine"),
	)
	assert.Equal(t, []Difference{
		{"smx.warps", "warps per SMX", "64", "128"},
		{"smx.max_block_dim", "threads", "[1024, 1024, 64]", "[8, 8, 8]"},
		{"l2.bytes", "bytes", "1536K", "768K"},
		{"dram.ecc", "", "true", "false"},
	}, changed)

	// Keys that only the longer list has appear in their place.
	longer, shorter := load("gk110"), load("gk110")
	shorter.TLB.Levels = shorter.TLB.Levels[:1]
	longer.TLB.Levels = append([]TLBLevel{},
		append(longer.TLB.Levels[:1:1], TLBLevel{Page: 4096, Entries: 1 << 20, Ways: 4, Scope: "chip"})...)
	for _, c := range []struct {
		a, b  *Config
		place func(*Difference) *string
	}{{longer, shorter, func(d *Difference) *string { return &d.A }}, {shorter, longer, func(d *Difference) *string { return &d.B }}} {
		found, _ := Diff(c.a, c.b)
		require.Len(t, found, 5)
		assert.Equal(t, "tlb.levels[1].page", found[0].Key)
		assert.Equal(t, "4K", *c.place(&found[0]))
	}
}
