// Package texturerecords reads testdata/textures: texture and surface instructions with their inputs and a GPU's results. Tests of texels
// and tests of kernels compare the simulator with the same records.
package texturerecords

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keplersim/keplersim/isa/texture"
)

// Case is one instruction, run once in each of Count lanes.
type Case struct {
	Geometry       string
	Size           [4]int // width, height, depth, layers or cubes
	Format         string
	Channels       int
	Address        [3]string
	Filter         string
	Normalized     bool
	NormalizedRead bool   `json:"normalized_read"`
	Resource       string // "" is an array
	Instruction    string
	Words          int    // operands a lane
	Results        int    // registers written by the instruction
	Kept           int    // the number of them recorded
	Count          int    // lanes
	Refused        string // why the driver rejected it
	Bytes          [3]int // sizes of Texels, Operands, Answers

	Texels, Operands, Answers []byte `json:"-"`
}

// open opens a file of the repository from any package's folder, where tests run.
func open(path string) (f *os.File, err error) {
	for range deepest {
		if f, err = os.Open(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		path = filepath.Join("..", path)
	}
	return f, err
}

// deepest is the largest depth of a package below the repository's root.
const deepest = 6

// Read calls visit for each case in a file of testdata/textures ("addresses"), until one fails.
func Read(name string, visit func(*Case) error) error {
	f, err := open(filepath.Join("testdata", "textures", name+".bin.gz"))
	if err != nil {
		return fmt.Errorf("texture records: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("texture records %s: %w", name, err)
	}
	r := bufio.NewReader(z)
	for n := 0; ; n++ {
		c, err := next(r)
		if errors.Is(err, io.EOF) && c == nil {
			return nil
		}
		if err == nil {
			err = visit(c)
		}
		if err != nil {
			return fmt.Errorf("texture records %s, case %d: %w", name, n, err)
		}
	}
}

// next reads a case: a line of JSON, then bytes of the sizes given there. At the end it returns nil and io.EOF.
func next(r *bufio.Reader) (*Case, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	c := new(Case)
	if err := json.Unmarshal(line, c); err != nil {
		return c, err
	}
	for i, into := range []*[]byte{&c.Texels, &c.Operands, &c.Answers} {
		*into = make([]byte, c.Bytes[i])
		if _, err := io.ReadFull(r, *into); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Image returns the instruction's object, at address 0, and its sampling.
func (c *Case) Image() (texture.Image, texture.Sampling, error) {
	g, known := texture.ParseGeometry(c.Geometry)
	f, ok := texture.ParseFormat(c.Format)
	if !known || !ok {
		return texture.Image{}, texture.Sampling{}, fmt.Errorf("there is no geometry %q or no format %q", c.Geometry, c.Format)
	}
	image := texture.Image{Geometry: g, Width: c.Size[0], Height: c.Size[1], Depth: c.Size[2], Layers: c.Size[3], Format: f,
		Channels: c.Channels, NormalizedRead: c.NormalizedRead}
	if g.IsCube() {
		image.Layers *= 6
	}
	sampling := texture.Sampling{Linear: c.Filter == "linear", Normalized: c.Normalized}
	for d, word := range c.Address {
		for _, m := range []texture.AddressMode{texture.Clamp, texture.Wrap, texture.Mirror, texture.Border} {
			if m.String() == word {
				sampling.Address[d] = m
			}
		}
	}
	return image, sampling, nil
}

// Words converts bytes to little-endian words.
func Words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}
