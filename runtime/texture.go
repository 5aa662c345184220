package runtime

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/isa/texture"
	"github.com/keplersim/keplersim/sim"
)

// description is a texture or surface as described by native/cudart_texture.inc.
type description struct {
	Address, Pitch                                                              uint64
	Width, Height, Depth, Layers                                                int32
	Cube, Bits, Format, Channels, NormalizedRead, Linear, Normalized, PitchRows int32
	AddressMode                                                                 [3]int32
	Border                                                                      [4]float32
	_                                                                           int32 // padding
}

// The values of cudaChannelFormatKind.
const (
	channelSigned = iota
	channelUnsigned
	channelFloat
)

// formats are the simulator's formats by CUDA's kind and the bits of a channel.
var formats = map[[2]int32]texture.Format{
	{channelSigned, 8}: texture.S8, {channelSigned, 16}: texture.S16, {channelSigned, 32}: texture.S32,
	{channelUnsigned, 8}: texture.U8, {channelUnsigned, 16}: texture.U16, {channelUnsigned, 32}: texture.U32,
	{channelFloat, 16}: texture.F16, {channelFloat, 32}: texture.F32,
}

// geometry is the texture's shape, from the dimensions that are set.
func (d *description) geometry() texture.Geometry {
	switch {
	case d.Cube != 0 && d.Layers > 6:
		return texture.CubeArray
	case d.Cube != 0:
		return texture.Cube
	case d.Layers > 0 && d.Height > 0:
		return texture.Array2D
	case d.Layers > 0:
		return texture.Array1D
	case d.Depth > 0:
		return texture.Plain3D
	case d.Height > 0:
		return texture.Plain2D
	}
	return texture.Plain1D
}

// texture converts the description to the simulator's form.
func (d *description) texture() (sim.Texture, error) {
	format, ok := formats[[2]int32{d.Format, d.Bits}]
	if !ok {
		return sim.Texture{}, fmt.Errorf("a texture with channels of %d bits and kind %d: no Kepler has it", d.Bits, d.Format)
	}
	t := sim.Texture{
		Image: texture.Image{
			Geometry: d.geometry(), Address: d.Address, Width: int(d.Width), Height: int(d.Height), Depth: int(d.Depth),
			Layers: int(d.Layers), Format: format, Channels: int(d.Channels), NormalizedRead: d.NormalizedRead != 0, Rows: d.PitchRows != 0,
			Pitch: int(d.Pitch), Loose: d.PitchRows != 0,
		},
		Sampling: texture.Sampling{Linear: d.Linear != 0, Normalized: d.Normalized != 0},
	}
	modes := [...]texture.AddressMode{texture.Wrap, texture.Clamp, texture.Mirror, texture.Border}
	for i, m := range d.AddressMode {
		if m < 0 || int(m) >= len(modes) {
			return t, errors.New("this address mode is not one of CUDA's: use wrap, clamp, mirror or border")
		}
		t.Sampling.Address[i] = modes[m]
		if !t.Sampling.Normalized && (modes[m] == texture.Wrap || modes[m] == texture.Mirror) {
			t.Sampling.Address[i] = texture.Clamp // d Guide: wrap and mirror need normalized coordinates
		}
	}
	for k := range int(d.Channels) {
		d.border(d.Border[k], t.Sampling.Outside[k*int(d.Bits)/8:])
	}
	return t, nil
}

// halves converts f32 to f16.
var halves, _ = fp.Find(fp.Key{Op: "cvt", Type: "f16", From: "f32", Rounding: fp.RoundNearest})

// border writes a channel of the border's colour as a texel has it. For integers that are read as such, the program gives their bits.
func (d *description) border(colour float32, into []byte) {
	bits := math.Float32bits(colour)
	switch {
	case d.Format == channelFloat && d.Bits == 16:
		var wide, half isa.Lanes32
		wide[0] = bits
		halves.Unary32(&half, &wide, 1)
		bits = half[0]
	case d.NormalizedRead != 0 && d.Format == channelSigned:
		bits = uint32(int32(math.Round(max(-1, min(1, float64(colour))) * float64(uint64(1)<<(d.Bits-1)-1))))
	case d.NormalizedRead != 0:
		bits = uint32(math.Round(max(0, min(1, float64(colour))) * float64(uint64(1)<<d.Bits-1)))
	}
	for i := range int(d.Bits) / 8 {
		into[i] = byte(bits >> (8 * i))
	}
}

// texture makes a texture or surface object, or binds the references with a name.
func (s *Session) texture(ctx context.Context, d *device, q *request, a *response) {
	var of description
	size := binary.Size(of)
	if len(q.payload) < size {
		a.err = ErrInvalidValue
		return
	}
	if err := binary.Read(bytes.NewReader(q.payload), binary.LittleEndian, &of); err != nil {
		a.err = ErrInvalidValue
		return
	}
	name := string(q.payload[size:])
	if name == "" {
		d.names++
		name = fmt.Sprintf("object %d", d.names)
	}
	d.drain(ctx) // earlier kernels use the earlier binding
	t, err := of.texture()
	if err == nil {
		var handles sim.Handles
		handles, err = d.gpu.BindTexture(name, t)
		a.r[0], a.r[1] = handles.Texture, handles.Surface
	}
	if err != nil {
		s.complain(err)
		a.err = ErrInvalidValue
	}
}

// textureDestroy does nothing: an object's number is never used again.
func (s *Session) textureDestroy(context.Context, *device, *request, *response) {}
