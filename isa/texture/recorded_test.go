package texture_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/texture"
	"github.com/keplersim/keplersim/testkit/texturerecords"
)

// unequal is the number of fetches of a file that are known to differ. In all of them a three-dimensional filter weighs the largest texels
// against the smallest (docs/textures.md).
var unequal = map[string]int{"blends": 4}

// Every recorded fetch gives the bits that the GPU gave.
func TestRecordedFetches(t *testing.T) {
	for _, name := range []string{"addresses", "positions", "formats", "blends", "cubes", "gathers", "integers", "levels", "weights",
		"widths", "joins", "mixed"} {
		t.Run(name, func(t *testing.T) {
			wrong, all := 0, 0
			err := texturerecords.Read(name, func(c *texturerecords.Case) error {
				require.Empty(t, c.Refused)
				all += c.Count
				image, sampling, err := c.Image()
				require.NoError(t, err)
				require.EqualValues(t, len(c.Texels), image.Bytes())
				words, results := texturerecords.Words(c.Operands), texturerecords.Words(c.Answers)
				gather := -1
				if rest, ok := strings.CutPrefix(c.Instruction, "tld4."); ok {
					gather = strings.IndexByte("rgba", rest[0])
				}
				integers := strings.Contains(c.Instruction, ".s32 {%d0, %d1, %d2, %d3}, [")
				level := integers && strings.HasPrefix(c.Instruction, "tex.level.")
				for lane := range c.Count {
					var at [4]uint32
					operands := words[lane*c.Words : (lane+1)*c.Words]
					copy(at[:], operands)
					if level {
						texture.AtLevel(&image, &at, operands[c.Words-1])
					}
					got := texture.Fetch(&image, &sampling, c.Texels, &at, integers, gather)
					want := results[lane*c.Kept : (lane+1)*c.Kept]
					if !slices.Equal(got[:c.Kept], want) {
						if wrong++; wrong <= unequal[name]+3 {
							t.Logf("%s\n%d x %s, %s, %v, size %v: operands %08x give %08x, recorded %08x", c.Instruction, c.Channels,
								c.Format, c.Filter, c.Address, c.Size, operands, got, want)
						}
					}
				}
				return nil
			})
			require.NoError(t, err)
			t.Logf("%d of %d fetches equal", all-wrong, all)
			assert.LessOrEqual(t, wrong, unequal[name])
			assert.Greater(t, all, 1000)
		})
	}
}
