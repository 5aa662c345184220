package texture

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded is one case of testdata/textures: what was set up, and what a GPU answered.
type recorded struct {
	Set            string    `json:"set"`
	Geometry       string    `json:"geometry"`
	Size           [4]int    `json:"size"` // width, height, depth, layers or cubes
	Format         string    `json:"format"`
	Channels       int       `json:"channels"`
	Address        [3]string `json:"address"`
	Filter         string    `json:"filter"`
	Normalized     bool      `json:"normalized"`
	NormalizedRead bool      `json:"normalized_read"`
	Resource       string    `json:"resource"` // "" is an array
	Instruction    string    `json:"instruction"`
	Words          int       `json:"words"` // operands of a lane
	Kept           int       `json:"kept"`  // results of a lane
	Count          int       `json:"count"` // lanes
	Refused        string    `json:"refused"`
	Bytes          [3]int    `json:"bytes"` // of texels, operands, results

	texels            []byte
	operands, results []uint32
}

// each reads the cases of a file.
func each(t testing.TB, name string, visit func(c *recorded)) {
	f, err := os.Open(filepath.Join("..", "..", "testdata", "textures", name))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	r := bufio.NewReader(z)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		var c recorded
		require.NoError(t, json.Unmarshal(line, &c))
		parts := [3][]byte{}
		for i, n := range c.Bytes {
			parts[i] = make([]byte, n)
			_, err = io.ReadFull(r, parts[i])
			require.NoError(t, err)
		}
		c.texels, c.operands, c.results = parts[0], words(parts[1]), words(parts[2])
		visit(&c)
	}
}

func words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

// image is what the case is about.
func (c *recorded) image(t testing.TB) (Image, Sampling) {
	g, ok := ParseGeometry(c.Geometry)
	require.True(t, ok)
	f, ok := ParseFormat(c.Format)
	require.True(t, ok)
	i := Image{Geometry: g, Width: c.Size[0], Height: c.Size[1], Depth: c.Size[2], Layers: c.Size[3], Format: f, Channels: c.Channels, NormalizedRead: c.NormalizedRead}
	if g.IsCube() {
		i.Layers *= 6
	}
	s := Sampling{Linear: c.Filter == "linear", Normalized: c.Normalized}
	for d, word := range c.Address {
		for _, m := range []AddressMode{Clamp, Wrap, Mirror, Border} {
			if m.String() == word {
				s.Address[d] = m
			}
		}
	}
	require.EqualValues(t, len(c.texels), i.Bytes())
	return i, s
}

// fetch is the four registers of a lane.
func fetch(i *Image, s *Sampling, texels []byte, c *[4]uint32, integers bool, gather int) [4]uint32 {
	var sample Sample
	sample.Locate(i, s, c, integers, gather >= 0)
	var list [8][]byte
	for n := range sample.Count {
		if p := &sample.At[n]; !p.Outside {
			at := i.Texel(p.X, p.Y, p.Z, p.Layer)
			list[n] = texels[at : at+uint64(i.TexelBytes())]
		}
	}
	if gather >= 0 {
		return sample.Gathered(i, &list, gather)
	}
	return sample.Result(i, &list)
}

// unequal is how many fetches of a file are known to differ, all of the largest texels that a three-dimensional filter weighs at once against
// the smallest (docs/textures.md).
var unequal = map[string]int{"blends": 4}

// Every fetch that a GPU was asked gives the bits that it answered.
func TestRecordedFetches(t *testing.T) {
	for _, name := range []string{"addresses", "positions", "formats", "blends", "cubes", "gathers", "integers", "levels", "weights", "widths", "joins", "mixed"} {
		t.Run(name, func(t *testing.T) {
			wrong, all := 0, 0
			each(t, name+".bin.gz", func(c *recorded) {
				require.Empty(t, c.Refused)
				all += c.Count
				image, sampling := c.image(t)
				gather := -1
				if rest, ok := strings.CutPrefix(c.Instruction, "tld4."); ok {
					gather = strings.IndexByte("rgba", rest[0])
				}
				integers := strings.Contains(c.Instruction, ".s32 {%d0, %d1, %d2, %d3}, [")
				level := integers && strings.HasPrefix(c.Instruction, "tex.level.")
				for lane := range c.Count {
					var at [4]uint32
					operands := c.operands[lane*c.Words : (lane+1)*c.Words]
					copy(at[:], operands)
					if level {
						AtLevel(&image, &at, operands[c.Words-1])
					}
					got := fetch(&image, &sampling, c.texels, &at, integers, gather)
					want := c.results[lane*c.Kept : (lane+1)*c.Kept]
					if !slices.Equal(got[:c.Kept], want) {
						if wrong++; wrong <= unequal[name]+3 {
							t.Logf("%s\n%d x %s, %s, %v, size %v: operands %08x give %08x, recorded %08x", c.Instruction, c.Channels, c.Format, c.Filter, c.Address, c.Size, operands, got, want)
						}
					}
				}
			})
			t.Logf("%d of %d fetches equal", all-wrong, all)
			assert.LessOrEqual(t, wrong, unequal[name])
			assert.Greater(t, all, 1000)
		})
	}
}
