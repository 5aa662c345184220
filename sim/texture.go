package sim

import (
	"errors"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/texture"
)

// Texture is texels in device memory, and how texture instructions read them. Surfaces ignore Sampling.
type Texture struct {
	Image    texture.Image
	Sampling texture.Sampling
}

// Handles are the 64-bit handles of a binding's texture and surface for kernels.
type Handles struct {
	Texture, Surface uint64
}

// BindTexture binds texels as a texture and a surface to all .texref, .surfref and .tex variables with a name, in modules loaded before or
// after, and to the handles that it returns. It replaces an earlier binding. It fails if no Kepler supports the shape or the sampling, or
// if the texels are not in one allocation; of a loose image, only the first must be.
//
//	address, _ := gpu.Allocate("pixels", 640*480*4)
//	handles, err := gpu.BindTexture("image", sim.Texture{
//		Image:    texture.Image{Geometry: texture.Plain2D, Address: address, Width: 640, Height: 480, Format: texture.U8, Channels: 4,
//		NormalizedRead: true},
//		Sampling: texture.Sampling{Linear: true, Normalized: true, Address: [3]texture.AddressMode{texture.Wrap, texture.Clamp}},
//	})
func (g *GPU) BindTexture(name string, t Texture) (Handles, error) {
	image := t.Image
	for _, n := range []*int{&image.Width, &image.Height, &image.Depth, &image.Layers} {
		*n = max(*n, 1)
	}
	size, all := image.TexelBytes(), g.global.Find(image.Address, int(image.Bytes()))
	image.Loose = image.Loose && !all && g.global.Find(image.Address, size)
	switch {
	case image.Channels != 1 && image.Channels != 2 && image.Channels != 4:
		return Handles{}, fmt.Errorf("texture %s: %d channels; the hardware knows 1, 2 and 4", name, image.Channels)
	case image.Geometry.IsCube() && (image.Width != image.Height || image.Layers%6 != 0):
		return Handles{}, fmt.Errorf(
			"texture %s: a cube has six square faces, not %d layers of %d by %d texels", name, image.Layers, image.Width, image.Height,
		)
	case image.NormalizedRead && (image.Format.Float() || image.Format.Bytes() > 2):
		return Handles{}, fmt.Errorf("texture %s: normalized reads are for integers of 8 and 16 bits, not for %s", name, image.Format)
	case t.Sampling.Linear && !image.Floats():
		return Handles{}, fmt.Errorf("texture %s: a linear filter makes floats, and its texels are read as %s", name, image.Format)
	case image.Address%uint64(size) != 0:
		return Handles{}, fmt.Errorf("texture %s: the address %#x is not a multiple of a texel's %d bytes", name, image.Address, size)
	case !all && !image.Loose:
		return Handles{}, fmt.Errorf("texture %s: its %d bytes at %#x are not in one allocation", name, image.Bytes(), image.Address)
	}
	b := g.binding(name)
	b.image, b.sampling[isa.TexRef] = &image, t.Sampling
	b.apply()
	return Handles{Texture: b.handle(g, name, isa.TexRef), Surface: b.handle(g, name, isa.SurfRef)}, nil
}

// BindSampler sets how kernels read textures through .samplerref variables with a name, or through the handle that it returns.
func (g *GPU) BindSampler(name string, s texture.Sampling) uint64 {
	b := g.binding(name)
	b.sampling[isa.SamplerRef] = s
	b.apply()
	return b.handle(g, name, isa.SamplerRef)
}

// binding is the texture and sampling bound to a name, with its objects.
type binding struct {
	image    *texture.Image // nil until a texture is bound
	sampling map[isa.Type]texture.Sampling
	objects  []*exec.Object
	handles  map[isa.Type]uint64 // of objects without a variable
}

// binding returns a name's binding, and makes it if necessary.
func (g *GPU) binding(name string) *binding {
	b := g.bindings[name]
	if b == nil {
		b = &binding{sampling: map[isa.Type]texture.Sampling{}, handles: map[isa.Type]uint64{}}
		g.bindings[name] = b
	}
	return b
}

// apply updates the objects.
func (b *binding) apply() {
	for _, o := range b.objects {
		if s, ok := b.sampling[o.Type]; ok {
			o.Sampling, o.Bound = s, true
		}
		if o.Type != isa.SamplerRef && b.image != nil {
			o.Image, o.Bound = b.image, true
		}
	}
}

// handle returns the handle of a name's object without a variable.
func (b *binding) handle(g *GPU, name string, t isa.Type) uint64 {
	if _, ok := b.handles[t]; !ok {
		b.handles[t] = b.add(g, name, t, false)
	}
	return b.handles[t]
}

// add makes an object for the name.
func (b *binding) add(g *GPU, name string, t isa.Type, variable bool) uint64 {
	o := &exec.Object{Name: name, Type: t, Variable: variable}
	b.objects = append(b.objects, o)
	b.apply()
	return g.objects.Add(o)
}

// declare sets the handle of a module's texture, sampler or surface. A sampler may have its sampling in PTX.
func (g *GPU) declare(symbol *isa.Symbol) error {
	t := symbol.Type
	if t.Kind() != isa.KindOpaque {
		t = isa.TexRef // .tex .u32 of PTX 1.x
	}
	b := g.binding(symbol.Name)
	if _, bound := b.sampling[t]; t == isa.SamplerRef && symbol.Attributes != nil && !bound {
		s, err := sampling(symbol.Attributes)
		if err != nil {
			return fmt.Errorf("sampler %s: %w", symbol.Name, err)
		}
		b.sampling[t] = s
	}
	symbol.Address = b.add(g, symbol.Name, t, true)
	return nil
}

// addressModes has PTX's words. clamp_ogl, which blends with the border half a texel beyond the edge, is not a mode that CUDA can bind.
var addressModes = map[string]texture.AddressMode{
	"": texture.Clamp, "wrap": texture.Wrap, "mirror": texture.Mirror, "clamp_to_edge": texture.Clamp, "clamp_to_border": texture.Border,
}

// sampling parses the attributes of a .samplerref.
func sampling(attributes map[string]string) (texture.Sampling, error) {
	s := texture.Sampling{Linear: attributes["filter_mode"] == "linear", Normalized: attributes["force_unnormalized_coords"] != "1"}
	for d := range s.Address {
		name := fmt.Sprintf("addr_mode_%d", d)
		mode, ok := addressModes[attributes[name]]
		if !ok {
			return s, fmt.Errorf("%s = %s is not simulated; write wrap, mirror, clamp_to_edge or clamp_to_border", name, attributes[name])
		}
		s.Address[d] = mode
	}
	return s, nil
}

// checkObjects returns errors for all textures, samplers and surfaces of a kernel that are unbound, or bound to something else than it
// expects, each once.
func checkObjects(code *exec.Code, l *exec.Launch) error {
	var problems []error
	seen := map[string]bool{}
	for _, queries := range []bool{false, true} {
		for i := range code.Ops {
			p := code.Ops[i].CheckObjects(l, queries)
			if p == nil {
				continue
			}
			if what, _, _ := strings.Cut(p.Problem, ":"); !seen[what] {
				seen[what] = true
				problems = append(problems, p)
			}
		}
	}
	return errors.Join(problems...)
}
