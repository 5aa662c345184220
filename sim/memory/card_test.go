package memory

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// As on a card, kernels reach the pages of 2 MiB with allocations, and no others, and what they write there stays. Copies of the host must
// be within allocations. The first access outside is reported once.
func TestPagesOfACard(t *testing.T) {
	c, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	strict, lenient := NewGlobal(c), NewGlobal(c)
	var told []string
	UseCard(lenient, func(what string) { told = append(told, what) })
	for _, g := range []*Global{strict, lenient} {
		for _, bytes := range []uint64{1000, 3 << 20, 64} {
			_, err := g.Allocate("buffer", bytes)
			require.NoError(t, err)
		}
	}
	list := lenient.Allocations()
	for i, a := range strict.Allocations() {
		require.Equal(t, a.Address+cardPage, list[i].Address, "the driver's page goes ahead")
	}
	last := list[2]
	end := roundUp(last.Address+last.Bytes, cardPage)
	for _, at := range []struct {
		address uint64
		bytes   int
		strict  bool
		card    bool
	}{
		{list[0].Address, 1000, true, true},
		{list[0].Address + 996, 8, false, true},     // half behind the first
		{list[1].Address - 4, 4, false, true},       // between two
		{list[1].Address, 3 << 20, true, true},      // all of one
		{last.Address + last.Bytes, 4, false, true}, // behind the last
		{end - 4, 4, false, true},
		{end - 4, 8, false, false}, // over the end of the page
		{end, 4, false, false},
		{list[0].Address - 512, 4, false, true}, // ahead of the first
		{list[0].Address - cardPage, 4, false, true},
		{list[0].Address - cardPage - 4, 4, false, false},
		{cardPage + 4, 4, false, false},
	} {
		assert.Equal(t, at.strict, Reaches(strict, at.address-cardPage, at.bytes), "strict, %#x", at.address)
		assert.Equal(t, at.strict, lenient.Find(at.address, at.bytes), "copies, %#x", at.address)
		assert.Equal(t, at.card, Reaches(lenient, at.address, at.bytes), "as a card, %#x", at.address)
	}
	require.Len(t, told, 1)
	assert.Contains(t, told[0], fmt.Sprintf("access at %#x goes on", list[0].Address+1000), "the first byte outside")
	lenient.page(end - 4)[pageBytes-4] = 7
	assert.Equal(t, byte(7), lenient.page(end - 4)[pageBytes-4])

	h, err := lenient.NewHeap(8 << 20)
	require.NoError(t, err)
	block := h.Malloc(64, "a test")
	require.NoError(t, h.Free(block, "a test"))
	assert.False(t, lenient.Find(block, 4), "freed")
	assert.True(t, Reaches(lenient, block, 4), "the heap's pages stay, as on a card")
}
