package exec

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/texture"
)

// Object is a texture, sampler or surface, which kernels name by a variable or a handle.
type Object struct {
	Name     string
	Type     isa.Type         // TexRef, SamplerRef or SurfRef
	Image    *texture.Image   // of a texture or surface; nil if nothing is bound
	Sampling texture.Sampling // of a texture or sampler
	Bound    bool
	Variable bool // a module declares it; else it has only a handle
}

// Objects are a device's textures, samplers and surfaces, by handle. They are constant while a kernel runs.
type Objects struct {
	list []*Object
}

// handleTag is in the high word of each handle, so that other numbers are recognised. The lowest bits of that word are the type; the low
// word is the object's number plus one.
const handleTag = 0x7e0

// Add adds an object and returns its handle.
func (o *Objects) Add(object *Object) uint64 {
	o.list = append(o.list, object)
	return (handleTag|uint64(object.Type-isa.TexRef))<<32 | uint64(len(o.list))
}

// Find returns the object of a handle, nil for other numbers.
func (o *Objects) Find(handle uint64) *Object {
	n := handle&0xffffffff - 1
	if o == nil || n >= uint64(len(o.list)) || handle>>32 != handleTag|uint64(o.list[n].Type-isa.TexRef) {
		return nil
	}
	return o.list[n]
}

// use is an instruction's use of its object.
type use struct {
	op       string
	geometry texture.Geometry
	surface  bool
	query    bool
	floats   bool // a texture read with results of type .f32
	gather   bool
}

// takes returns the type of object that the use needs, and its name for people.
func (u *use) takes() (t isa.Type, name string) {
	if u.surface {
		return isa.SurfRef, "surface"
	}
	return isa.TexRef, "texture"
}

// check says why an object does not fit a use, "" if it does.
func (u *use) check(o *Object) string {
	wanted, kind := u.takes()
	what := fmt.Sprintf("%s `%s`", kind, o.Name)
	switch {
	case u.query && o.Type == isa.SamplerRef && !u.surface && o.Bound:
		return ""
	case u.query && o.Type == isa.SamplerRef && !u.surface:
		return unboundSampler(o.Name)
	case o.Type != wanted:
		return fmt.Sprintf("%s takes the handle of a %s, and `%s` is a .%s: pass {%s: %s} as the argument", u.op, kind, o.Name, o.Type,
			kind,
			o.Name)
	case !o.Bound:
		return fmt.Sprintf("%s is not bound: %s", what, bindingExample(o.Name, u.geometry))
	case u.query:
		return ""
	case !u.fits(o.Image.Geometry):
		return fmt.Sprintf("%s.%s of %s, which is of kind %s: bind it with kind: %s", u.op, u.geometry, what, o.Image.Geometry, u.geometry)
	case u.surface:
		return ""
	case u.floats && !o.Image.Floats():
		return fmt.Sprintf("%s with results of type .f32 of %s, whose texels are %s integers: read them with .u32 or .s32, or bind the "+
			"texture with normalized_read", u.op, what, o.Image.Format)
	}
	return ""
}

// fits reports whether an instruction of the use's geometry can read an image.
func (u *use) fits(image texture.Geometry) bool {
	if u.geometry == image {
		return true
	}
	// Surface instructions have no cubes: faces are layers.
	return u.surface && u.geometry == texture.Array2D && (image == texture.Cube || image == texture.CubeArray)
}

// bindingExample returns how a workload file binds a texture or surface.
func bindingExample(name string, g texture.Geometry) string {
	dimensions := map[texture.Geometry]string{texture.Plain1D: "WIDTH", texture.Plain2D: "WIDTH, HEIGHT",
		texture.Plain3D: "WIDTH, HEIGHT, DEPTH", texture.Array1D: "WIDTH, LAYERS",
		texture.Array2D: "WIDTH, HEIGHT, LAYERS", texture.Cube: "SIDE", texture.CubeArray: "SIDE, CUBES"}[g]
	return fmt.Sprintf("write in the workload file\n    textures:\n      %s: {buffer: BUFFER, kind: %s, dimensions: [%s], format: f32, "+
		"channels: 1}", name, g, dimensions)
}

// unboundSampler says that a sampler is not bound, and how a workload file binds it.
func unboundSampler(name string) string {
	return fmt.Sprintf("sampler `%s` is not bound: write in the workload file\n    samplers:\n      %s: {filter: linear, address: clamp, "+
		"normalized: true}", name, name)
}
