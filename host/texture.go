package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/texture"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// checkBindings checks before the run that each texture and sampler of the workload is used: by a variable of its name in a module, or by a
// launch's argument.
func (j *Job) checkBindings() error {
	w := j.Workload
	passed := func(sampler bool, name string) (found bool) {
		for _, l := range w.Launches() {
			for _, a := range l.Args {
				a.Each(func(a workload.Argument) {
					found = found || a.Object == name && (a.Kind == workload.ObjectSampler) == sampler
				})
			}
		}
		return found
	}
	check := func(sampler bool, name, what, variable string, at workload.Position) error {
		_, found := j.object(sampler, name)
		if found || passed(sampler, name) {
			return nil
		}
		have := "the modules have none"
		if symbols := j.objects(sampler); len(symbols) > 0 {
			names := make([]string, len(symbols))
			for i, symbol := range symbols {
				names[i] = code.Spellings(symbol)[0]
			}
			slices.Sort(names)
			have = "the modules have " + strings.Join(slices.Compact(names), ", ")
		}
		return fmt.Errorf("%s:%d:%d: nothing uses the %s %s: there is no %s of that name (%s), and no launch has the argument {%s: %s}",
			w.Path, at.Line, at.Column,
			what, name, variable, have, what, name)
	}
	for _, t := range w.Textures {
		if err := check(false, t.Name, "texture", ".texref or .surfref", t.Position); err != nil {
			return err
		}
	}
	for _, s := range w.Samplers {
		if err := check(true, s.Name, "sampler", ".samplerref", s.Position); err != nil {
			return err
		}
	}
	return nil
}

// objects returns the symbols of variables for textures and surfaces, or for samplers, each once.
func (j *Job) objects(sampler bool) []string {
	var symbols []string
	for _, m := range j.modules {
		for _, s := range m.Program().Symbols {
			if s.Opaque() && (s.Type == isa.SamplerRef) == sampler {
				symbols = append(symbols, s.Name)
			}
		}
	}
	slices.Sort(symbols)
	return slices.Compact(symbols)
}

// object finds a symbol by itself or by its C++ name.
func (j *Job) object(sampler bool, name string) (symbol string, ok bool) {
	var like []string
	for _, symbol := range j.objects(sampler) {
		if symbol == name {
			return name, true
		}
		if slices.Contains(code.Spellings(symbol), name) {
			like = append(like, symbol)
		}
	}
	if len(like) != 1 {
		return name, false
	}
	return like[0], true
}

// bind binds the workload's textures and samplers, once the buffers have addresses.
func (j *Job) bind() error {
	j.handles = map[workload.ObjectKind]map[string]uint64{
		workload.ObjectTexture: {}, workload.ObjectSurface: {}, workload.ObjectSampler: {},
	}
	for _, t := range j.Workload.Textures {
		image, err := imageOf(&t)
		if err != nil {
			return err
		}
		if image.Address, err = j.BufferAddress(t.Buffer); err != nil {
			return fmt.Errorf("%s:%d:%d: texture %s: %w", j.Workload.Path, t.Position.Line, t.Position.Column, t.Name, err)
		}
		symbol, _ := j.object(false, t.Name)
		handles, err := j.gpu.BindTexture(symbol, sim.Texture{Image: image, Sampling: samplingOf(&t.Sampling)})
		if err != nil {
			return fmt.Errorf("%s:%d:%d: %w", j.Workload.Path, t.Position.Line, t.Position.Column, err)
		}
		j.handles[workload.ObjectTexture][t.Name], j.handles[workload.ObjectSurface][t.Name] = handles.Texture, handles.Surface
	}
	for _, s := range j.Workload.Samplers {
		symbol, _ := j.object(true, s.Name)
		j.handles[workload.ObjectSampler][s.Name] = j.gpu.BindSampler(symbol, samplingOf(&s.Sampling))
	}
	return nil
}

// imageOf returns a texture's shape, without its address.
func imageOf(t *workload.Texture) (texture.Image, error) {
	image := texture.Image{
		Width: t.Dimensions[0], Height: 1, Depth: 1, Layers: 1, Channels: t.Channels, NormalizedRead: t.NormalizedRead, Rows: t.Rows,
	}
	var ok bool
	if image.Geometry, ok = texture.ParseGeometry(t.Kind); !ok {
		return image, fmt.Errorf("texture %s: there is no kind %s", t.Name, t.Kind)
	}
	if image.Format, ok = texture.ParseFormat(string(t.Format)); !ok {
		return image, fmt.Errorf("texture %s: there is no format %s", t.Name, t.Format)
	}
	rest := t.Dimensions[1:]
	if image.Geometry.IsCube() {
		image.Height, image.Layers = image.Width, 6
	} else if image.Geometry.Dimensions() > 1 {
		image.Height, rest = rest[0], rest[1:]
	}
	if image.Geometry == texture.Plain3D {
		image.Depth, rest = rest[0], rest[1:]
	}
	if image.Geometry.Layered() {
		image.Layers *= rest[0]
	}
	return image, nil
}

// samplingOf returns how a texture is sampled.
func samplingOf(s *workload.Sampling) texture.Sampling {
	modes := map[string]texture.AddressMode{}
	for _, m := range []texture.AddressMode{texture.Clamp, texture.Wrap, texture.Mirror, texture.Border} {
		modes[m.String()] = m
	}
	sampling := texture.Sampling{Linear: s.Filter == "linear", Normalized: s.Normalized}
	for d, word := range s.Address {
		sampling.Address[d] = modes[word]
	}
	return sampling
}

// Handle returns the handle of a texture, surface or sampler, once Run has bound it.
func (j *Job) Handle(kind workload.ObjectKind, name string) (uint64, error) {
	handle, ok := j.handles[kind][name]
	if !ok {
		return 0, fmt.Errorf("there is no %s %q", kind, name)
	}
	return handle, nil
}
