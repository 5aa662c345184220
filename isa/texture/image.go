package texture

// Geometry is the shape of a texture or surface, or the shape that an instruction expects.
type Geometry uint8

// Geometries.
const (
	Plain1D Geometry = iota
	Plain2D
	Plain3D
	Array1D
	Array2D
	Cube
	CubeArray
)

// geometries has, by geometry, its PTX name, the number of coordinates without the array index, and whether it has an array index.
var geometries = [...]struct {
	name       string
	dimensions int
	layered    bool
}{
	Plain1D: {"1d", 1, false}, Plain2D: {"2d", 2, false}, Plain3D: {"3d", 3, false}, Array1D: {"a1d", 1, true}, Array2D: {"a2d", 2, true},
	Cube: {"cube", 3, false}, CubeArray: {"acube", 3, true},
}

// String returns the geometry's PTX name.
func (g Geometry) String() string { return geometries[g].name }

// Dimensions returns the number of coordinates without the array index.
func (g Geometry) Dimensions() int { return geometries[g].dimensions }

// Layered reports a geometry with an array index, which is the first coordinate in PTX.
func (g Geometry) Layered() bool { return geometries[g].layered }

// IsCube reports cubes and cube arrays; their coordinates are a direction.
func (g Geometry) IsCube() bool { return g == Cube || g == CubeArray }

// ParseGeometry returns a geometry by its PTX name.
func ParseGeometry(name string) (g Geometry, ok bool) {
	for g := range geometries {
		if geometries[g].name == name {
			return Geometry(g), true
		}
	}
	return 0, false
}

// Format is the type of a channel.
type Format uint8

// Formats.
const (
	U8 Format = iota
	S8
	U16
	S16
	U32
	S32
	F16
	F32
)

var formats = [...]struct {
	name   string
	bytes  int
	signed bool
	float  bool
}{
	U8: {"u8", 1, false, false}, S8: {"s8", 1, true, false}, U16: {"u16", 2, false, false}, S16: {"s16", 2, true, false},
	U32: {"u32", 4, false, false}, S32: {"s32", 4, true, false}, F16: {"f16", 2, true, true}, F32: {"f32", 4, true, true},
}

// String returns the format's PTX type.
func (f Format) String() string { return formats[f].name }

// Bytes returns the size of a channel.
func (f Format) Bytes() int { return formats[f].bytes }

// Signed reports signed integers and floats.
func (f Format) Signed() bool { return formats[f].signed }

// Float reports f16 and f32.
func (f Format) Float() bool { return formats[f].float }

// ParseFormat returns a format by its PTX type.
func ParseFormat(name string) (f Format, ok bool) {
	for f := range formats {
		if formats[f].name == name {
			return Format(f), true
		}
	}
	return 0, false
}

// Image is an array of texels in memory: rows one after another, then slices or layers. The faces of a cube are layers, in the order +x,
// -x, +y, -y, +z, -z.
type Image struct {
	Geometry Geometry
	Address  uint64 // of the first texel, in device memory
	// Width, Height and Depth are in texels, 1 if the geometry lacks the dimension. Layers counts array layers and faces, 1 without.
	Width, Height, Depth, Layers int
	Format                       Format // of a channel
	Channels                     int    // 1, 2 or 4
	// NormalizedRead reads 8- and 16-bit integers as floats from 0 to 1, or -1 to 1.
	NormalizedRead bool
	// Rows says that the texels are in rows on the device too, not in blocks: see InBlocks. It changes no value.
	Rows bool
	// Pitch is the distance between rows in bytes; 0 means no gaps.
	Pitch int
	// Loose says that texels may be past the end of the memory: a read of one faults. Without, all are there.
	Loose bool
}

// TexelBytes returns the size of a texel: 1 to 16.
func (i *Image) TexelBytes() int { return i.Format.Bytes() * i.Channels }

// Bytes returns the size of all texels.
func (i *Image) Bytes() uint64 {
	rows := uint64(i.Height) * uint64(i.Depth) * uint64(i.Layers)
	return (rows-1)*i.rowBytes() + uint64(i.Width)*uint64(i.TexelBytes())
}

// Floats reports an image that is read as floats.
func (i *Image) Floats() bool { return i.Format.Float() || i.NormalizedRead }

// Texel returns the address of a texel within the image.
func (i *Image) Texel(x, y, z, layer int) uint64 {
	row := (uint64(layer)*uint64(i.Depth)+uint64(z))*uint64(i.Height) + uint64(y)
	return i.Address + row*i.rowBytes() + uint64(x)*uint64(i.TexelBytes())
}

// AddressMode is the treatment of a coordinate outside an image.
type AddressMode uint8

// Address modes.
const (
	Clamp AddressMode = iota
	Wrap
	Mirror
	Border
)

// String returns the mode's name in workload files.
func (m AddressMode) String() string { return [...]string{"clamp", "wrap", "mirror", "border"}[m] }

// Sampling says how texels make a result.
type Sampling struct {
	Linear     bool           // else the nearest texel
	Address    [3]AddressMode // by coordinate
	Normalized bool           // coordinates are from 0 to 1; else they count texels
	Outside    [16]byte       // the texel beyond a Border edge
}

// rowBytes returns the distance between rows in bytes.
func (i *Image) rowBytes() uint64 {
	if i.Pitch > 0 {
		return uint64(i.Pitch)
	}
	return uint64(i.Width) * uint64(i.TexelBytes())
}
