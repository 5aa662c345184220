package exec

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// Geometry is the shape of a texture or surface, and of what an instruction takes it for.
type Geometry uint8

// Geometries.
const (
	Geometry1D Geometry = iota
	Geometry2D
	Geometry3D
	GeometryArray1D
	GeometryArray2D
	GeometryCube
	GeometryCubeArray
)

// geometryTable has, by geometry, its word in PTX, how many coordinates it has without the array index, and whether there is one.
var geometryTable = [...]struct {
	name       string
	dimensions int
	layered    bool
}{
	Geometry1D: {"1d", 1, false}, Geometry2D: {"2d", 2, false}, Geometry3D: {"3d", 3, false}, GeometryArray1D: {"a1d", 1, true},
	GeometryArray2D: {"a2d", 2, true}, GeometryCube: {"cube", 3, false}, GeometryCubeArray: {"acube", 3, true},
}

// String is the geometry's word in PTX.
func (g Geometry) String() string { return geometryTable[g].name }

// ParseGeometry finds a geometry by its word in PTX; ok is false for a word that is none.
func ParseGeometry(name string) (g Geometry, ok bool) {
	for g := range geometryTable {
		if geometryTable[g].name == name {
			return Geometry(g), true
		}
	}
	return 0, false
}

// Image is texels in device memory: in rows without gaps, rows one after the other, then slices or layers. The faces of a cube
// are layers, in the order +x, -x, +y, -y, +z, -z.
type Image struct {
	Geometry Geometry
	Address  uint64 // of the first texel
	// Width, Height and Depth are in texels, 1 where the geometry has no such dimension; Layers counts array layers and faces, 1 without.
	Width, Height, Depth, Layers int
	Format                       isa.Type // of a channel: u8 s8 u16 s16 u32 s32 f16 f32
	Channels                     int      // 1, 2 or 4
	// NormalizedRead makes 8- and 16-bit integers read as floats from 0 to 1, or -1 to 1.
	NormalizedRead bool
}

// TexelBytes is the size of a texel.
func (i *Image) TexelBytes() int { return i.Format.Bytes() * i.Channels }

// Bytes is the size of all texels.
func (i *Image) Bytes() uint64 {
	return uint64(i.Width) * uint64(i.Height) * uint64(i.Depth) * uint64(i.Layers) * uint64(i.TexelBytes())
}

// Floats reports an image whose texels a texture instruction reads as floats.
func (i *Image) Floats() bool { return i.Format.Float() || i.NormalizedRead }

// Texel is the address of a texel; the coordinates lie within the image.
func (i *Image) Texel(x, y, z, layer int) uint64 {
	row := (uint64(layer)*uint64(i.Depth)+uint64(z))*uint64(i.Height) + uint64(y)
	return i.Address + (row*uint64(i.Width)+uint64(x))*uint64(i.TexelBytes())
}

// AddressMode is what a coordinate outside an image means.
type AddressMode uint8

// Address modes.
const (
	AddressClamp AddressMode = iota
	AddressWrap
	AddressMirror
	AddressBorder
)

// Sampling is how texels make a result.
type Sampling struct {
	Linear     bool           // else the nearest texel
	Address    [3]AddressMode // by coordinate
	Normalized bool           // coordinates run from 0 to 1; else they count texels
}

// Object is a texture, sampler or surface, as kernels name it by a variable or a handle.
type Object struct {
	Name     string
	Type     isa.Type // TexRef, SamplerRef or SurfRef
	Image    *Image   // of a texture or surface; nil: nothing is bound
	Sampling Sampling // of a texture or sampler
	Bound    bool
}

// Objects are a device's textures, samplers and surfaces, by handle. They do not change while a kernel runs.
type Objects struct {
	list []*Object
}

// handleTag is in the upper bits of each handle, so that a number that is none is seen; the type stands in its lowest bits, and
// the object's number plus one in the lower 32 bits of the handle.
const handleTag = 0x7e0

// Add gives an object its handle.
func (o *Objects) Add(object *Object) uint64 {
	o.list = append(o.list, object)
	return (handleTag|uint64(object.Type-isa.TexRef))<<32 | uint64(len(o.list))
}

// Find is the object of a handle, nil for any other number.
func (o *Objects) Find(handle uint64) *Object {
	n := handle&0xffffffff - 1
	if o == nil || n >= uint64(len(o.list)) || handle>>32 != handleTag|uint64(o.list[n].Type-isa.TexRef) {
		return nil
	}
	return o.list[n]
}

// use is what an instruction asks of its object.
type use struct {
	op       string
	geometry Geometry
	surface  bool
	query    bool
	floats   bool // a texture read with results of type .f32
	gather   bool
}

// check says why an object does not serve a use, "" when it does.
func (u *use) check(o *Object) string {
	what := fmt.Sprintf("texture `%s`", o.Name)
	if u.surface {
		what = fmt.Sprintf("surface `%s`", o.Name)
	}
	wrong := o.Type != isa.TexRef
	if u.surface {
		wrong = o.Type != isa.SurfRef
	}
	switch {
	case u.query && o.Type == isa.SamplerRef && !u.surface && o.Bound:
		return ""
	case u.query && o.Type == isa.SamplerRef && !u.surface:
		return fmt.Sprintf("sampler `%s` is not bound: %s", o.Name, BindSampler(o.Name))
	case wrong:
		return fmt.Sprintf("%s takes the handle of a %s, and `%s` is a .%s", u.op, map[bool]string{false: "texture", true: "surface"}[u.surface], o.Name, o.Type)
	case !o.Bound:
		return fmt.Sprintf("%s is not bound: %s", what, BindTexture(o.Name, u.geometry))
	case u.query:
		return ""
	case !u.fits(o.Image.Geometry):
		return fmt.Sprintf("%s.%s of %s, which is of kind %s", u.op, u.geometry, what, o.Image.Geometry)
	case u.surface:
		return ""
	case u.floats && !o.Image.Floats():
		return fmt.Sprintf("%s with results of type .f32 of %s, whose texels are %s integers: read them with .u32 or .s32, or bind the texture with normalized_read", u.op, what, o.Image.Format)
	}
	return ""
}

// fits reports whether an instruction of the use's geometry can read an image.
func (u *use) fits(image Geometry) bool {
	if u.geometry == image {
		return true
	}
	// Surface instructions have no cubes: faces are layers.
	return u.surface && u.geometry == GeometryArray2D && (image == GeometryCube || image == GeometryCubeArray)
}

// BindTexture is how a workload file binds a texture or surface.
func BindTexture(name string, g Geometry) string {
	dimensions := map[Geometry]string{Geometry1D: "WIDTH", Geometry2D: "WIDTH, HEIGHT", Geometry3D: "WIDTH, HEIGHT, DEPTH", GeometryArray1D: "WIDTH, LAYERS",
		GeometryArray2D: "WIDTH, HEIGHT, LAYERS", GeometryCube: "SIDE", GeometryCubeArray: "SIDE, CUBES"}[g]
	return fmt.Sprintf("write in the workload file\n    textures:\n      %s: {buffer: BUFFER, kind: %s, dimensions: [%s], format: f32, channels: 1}", name, g, dimensions)
}

// BindSampler is how a workload file binds a sampler.
func BindSampler(name string) string {
	return fmt.Sprintf("write in the workload file\n    samplers:\n      %s: {filter: linear, address: clamp, normalized: true}", name)
}
