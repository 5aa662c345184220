package exec

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/texture"
)

// query returns the property of an object that txq or suq reads.
type query func(o *Object) uint32

// queries are all queries, by name. Sizes that a geometry does not have follow a current GPU: 0, or 1 for a texture's height. The last size
// includes layers, cubes of textures, faces of surfaces. Channel types and orders are OpenCL's numbers, as in PTX; filters and address
// modes are those of the CUDA driver interface.
var queries = map[string]query{
	"width": func(o *Object) uint32 { return o.size(func(i *texture.Image) int { return i.Width }) },
	"height": func(o *Object) uint32 {
		return o.size(func(i *texture.Image) int {
			switch {
			case i.Geometry == texture.Array1D:
				return i.Layers
			case i.Geometry == texture.Plain1D && o.Type == isa.SurfRef:
				return 0
			}
			return i.Height
		})
	},
	"depth": func(o *Object) uint32 {
		return o.size(func(i *texture.Image) int {
			cubes := i.Geometry.IsCube() && o.Type != isa.SurfRef
			switch {
			case i.Geometry == texture.Plain3D:
				return i.Depth
			case i.Geometry == texture.CubeArray && cubes:
				return i.Layers / 6
			case i.Geometry == texture.Array1D || i.Geometry.Dimensions() < 3 && !i.Geometry.Layered() || cubes:
				return 0
			}
			return i.Layers
		})
	},
	"array_size": func(o *Object) uint32 {
		return o.size(func(i *texture.Image) int {
			if i.Geometry.IsCube() {
				return i.Layers / 6
			}
			return i.Layers
		})
	},
	"num_mipmap_levels":         func(o *Object) uint32 { return o.size(func(*texture.Image) int { return 1 }) },
	"num_samples":               func(o *Object) uint32 { return o.size(func(*texture.Image) int { return 1 }) },
	"memory_layout":             func(o *Object) uint32 { return o.size(func(*texture.Image) int { return 0 }) },
	"channel_data_type":         func(o *Object) uint32 { return o.size(channelType) },
	"channel_order":             func(o *Object) uint32 { return o.size(func(i *texture.Image) int { return channelOrders[i.Channels] }) },
	"normalized_coords":         func(o *Object) uint32 { return truth(o.Sampling.Normalized) },
	"force_unnormalized_coords": func(o *Object) uint32 { return truth(!o.Sampling.Normalized) },
	"filter_mode":               func(o *Object) uint32 { return truth(o.Sampling.Linear) },
	"addr_mode_0":               func(o *Object) uint32 { return addressNumbers[o.Sampling.Address[0]] },
	"addr_mode_1":               func(o *Object) uint32 { return addressNumbers[o.Sampling.Address[1]] },
	"addr_mode_2":               func(o *Object) uint32 { return addressNumbers[o.Sampling.Address[2]] },
}

// addressNumbers are the driver interface's numbers for address modes.
var addressNumbers = [...]uint32{texture.Wrap: 0, texture.Clamp: 1, texture.Mirror: 2, texture.Border: 3}

// channelOrders are OpenCL's numbers for R, RG and RGBA, by the number of channels.
var channelOrders = map[int]int{1: 0x10b0, 2: 0x10b2, 4: 0x10b5}

// channelType returns OpenCL's number for a channel's type.
func channelType(i *texture.Image) int {
	if i.NormalizedRead {
		return map[texture.Format]int{texture.S8: 0x10d0, texture.S16: 0x10d1, texture.U8: 0x10d2, texture.U16: 0x10d3}[i.Format]
	}
	return map[texture.Format]int{texture.S8: 0x10d7, texture.S16: 0x10d8, texture.S32: 0x10d9, texture.U8: 0x10da, texture.U16: 0x10db,
		texture.U32: 0x10dc, texture.F16: 0x10dd, texture.F32: 0x10de}[i.Format]
}

// size returns a size of the image; 0 for a sampler, which has none.
func (o *Object) size(of func(*texture.Image) int) uint32 {
	if o.Image == nil {
		return 0
	}
	return uint32(of(o.Image))
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// bindIsType binds istypep: whether a value is the handle of a variable of the type. Handles made by the host do not count, as on a current
// GPU.
func bindIsType(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) != 1 || len(i.Dst) != 1 {
		return fmt.Errorf("istypep with %d operands: %w", len(i.Src), ErrUnsupported)
	}
	if err := b.sources(bound, i.Src); err != nil {
		return err
	}
	d, err := writtenPredicate(i.Dst[0])
	if err != nil {
		return err
	}
	t := i.Type
	bound.run = func(b *Bound, w *Warp, active uint32) {
		low, high := w.lanes(b.source[0]), w.lanes(b.source[1])
		var mask uint32
		for n := range low {
			if o := w.Block.Launch.Objects.Find(pack64(low[n], high[n])); o != nil && o.Type == t && o.Variable {
				mask |= 1 << n
			}
		}
		w.setPredicate(d, mask, active)
	}
	return nil
}
