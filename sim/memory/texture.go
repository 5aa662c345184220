package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/texture"
)

// sample carries out a texture access on some of its lanes. The results replace the coordinates in Data.
func (g *Global) sample(a *exec.Access, lanes uint32) {
	var s texture.Sample
	var texels [8][]byte
	size := a.Image.TexelBytes()
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		c := [4]uint32{a.Data[0][lane], a.Data[1][lane], a.Data[2][lane], a.Data[3][lane]}
		s.Locate(a.Image, &a.Sampling, &c, a.Integers, a.Gather >= 0)
		count := s.Count
		if a.Gather < 0 {
			count = s.Needed()
		}
		for n := range count {
			p := &s.At[n]
			switch {
			case !p.Outside:
				texels[n] = g.view(a.Image.Texel(p.X, p.Y, p.Z, p.Layer), size)
			case a.Integers:
				texels[n] = nil
			default:
				texels[n] = a.Sampling.Outside[:size]
			}
		}
		var result [4]uint32
		if a.Gather >= 0 {
			result = s.Gathered(a.Image, &texels, int(a.Gather))
		} else {
			result = s.Result(a.Image, &texels)
		}
		for k, word := range result {
			a.Data[k][lane] = word
		}
	}
}

// PastTexels finds the first lane that reads a texel of a loose image outside its memory.
func PastTexels(g *Global, a *exec.Access) *exec.Fault {
	if !a.Image.Loose {
		return nil
	}
	var s texture.Sample
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		c := [4]uint32{a.Data[0][lane], a.Data[1][lane], a.Data[2][lane], a.Data[3][lane]}
		s.Locate(a.Image, &a.Sampling, &c, a.Integers, a.Gather >= 0)
		for _, p := range s.At[:s.Count] {
			at := a.Image.Texel(p.X, p.Y, p.Z, p.Layer)
			if size := a.Image.TexelBytes(); !p.Outside && !Reaches(g, at, size) {
				return &exec.Fault{Lane: lane, Address: at, Bytes: size, Space: isa.SpaceGlobal}
			}
		}
	}
	return nil
}

// zeros is a texel of a page that nothing has written.
var zeros [16]byte

// view returns the bytes of a texel, at most 16, which are in one page.
func (g *Global) view(address uint64, size int) []byte {
	if peer := g.peerOf(address); peer != nil {
		return peer.view(address, size)
	}
	page := g.content(address)
	if page == nil {
		return zeros[:size]
	}
	at := address & (pageBytes - 1)
	return page[at : at+uint64(size)]
}

// TextureLines appends the lines of the texture cache that an access reads, in the order of the first lane of each. lineBytes is a power of
// two.
func TextureLines(a *exec.Access, lineBytes int, out []Transaction) []Transaction {
	var s texture.Sample
	offset := uint64(lineBytes - 1)
	last, before := 0, 0 // the lines of the latest texels
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		c := [4]uint32{a.Data[0][lane], a.Data[1][lane], a.Data[2][lane], a.Data[3][lane]}
		s.Locate(a.Image, &a.Sampling, &c, a.Integers, a.Gather >= 0)
		for n := range s.Count {
			p := &s.At[n]
			if p.Outside {
				continue
			}
			address := a.Image.TexelInBlocks(p.X, p.Y, p.Z, p.Layer)
			line := address &^ offset
			if last >= len(out) || out[last].Line != line {
				if last, before = before, last; last >= len(out) || out[last].Line != line { // a filter alternates between two rows
					last = 0
					for last < len(out) && out[last].Line != line {
						last++
					}
					if last == len(out) {
						out = append(out, Transaction{Line: line})
					}
				}
			}
			out[last].Sectors |= uint8(1) << ((address & offset) / SectorBytes)
			out[last].Lanes |= 1 << lane
		}
	}
	return out
}
