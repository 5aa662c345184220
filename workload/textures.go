package workload

// Texture binds a buffer to a texture or surface reference of the module, or makes a handle to pass as an argument.
type Texture struct {
	Name       string // the .texref, .surfref or, for an argument, any name
	Buffer     string
	Kind       string    // one of textureKinds
	Dimensions []int     // texels: width, then height, depth or layers as the kind has them
	Format     Type      // of one channel
	Channels   int       // 1, 2 or 4
	Filter     string    // "point" or "linear"
	Address    [3]string // for each coordinate, one of addressModes
	// Normalized coordinates run from 0 to 1; otherwise they count texels.
	Normalized bool
	// NormalizedRead makes 8- and 16-bit integers read as floats from 0 to 1, or -1 to 1.
	NormalizedRead bool
	Position       Position
}

// textureKinds are the geometries of the PTX tex instruction, with the number of dimensions that each is given.
var textureKinds = map[string]int{"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3, "cube": 1}

var (
	filterModes  = []string{"point", "linear"}
	addressModes = []string{"clamp", "wrap", "mirror", "border"}
)
