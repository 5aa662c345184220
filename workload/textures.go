package workload

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// Texture binds a buffer to the textures and surfaces of its name in the modules. An argument can pass its handle.
type Texture struct {
	Name       string // of a .texref, .surfref or .tex variable; for an argument, any name
	Buffer     string
	Kind       string // one of textureKinds
	Dimensions []int  // texels: width, then height, depth or layers, depending on the kind
	Format     Type   // of one channel
	Channels   int    // 1, 2 or 4
	Sampling
	// NormalizedRead makes 8- and 16-bit integers read as floats from 0 to 1, or -1 to 1.
	NormalizedRead bool
	// Rows means that the texels are in rows on the device, as in memory allocated with a pitch.
	Rows     bool
	Position Position
}

// Sampler binds sampling to a .samplerref of its name, in modules that name textures and samplers separately.
type Sampler struct {
	Name string
	Sampling
	Position Position
}

// Sampling says how texels are combined to a result.
type Sampling struct {
	Filter  string    // "point" or "linear"
	Address [3]string // one of addressModes for each coordinate
	// Normalized coordinates run from 0 to 1; otherwise they count texels.
	Normalized bool
}

// defaultSampling is used for missing keys.
var defaultSampling = Sampling{Filter: "point", Address: [3]string{"clamp", "clamp", "clamp"}}

// textureKind is a geometry of the PTX tex instruction: its number of dimensions, and a Kepler's limit for each (CUDA C Programming Guide,
// table 14).
type textureKind struct {
	dimensions int
	most       [3]int
}

var textureKinds = map[string]textureKind{
	"1d": {1, [3]int{1 << 27}}, "2d": {2, [3]int{65536, 65536}}, "3d": {3, [3]int{4096, 4096, 4096}}, "a1d": {2, [3]int{16384, 2048}},
	"a2d": {3, [3]int{16384, 16384, 2048}}, "cube": {1, [3]int{16384}}, "acube": {2, [3]int{16384, 341}},
}

var (
	filterModes  = []string{"point", "linear"}
	addressModes = []string{"clamp", "wrap", "mirror", "border"}
	layouts      = []string{"blocks", "rows"}
)

// textures reads the bindings of textures and surfaces.
func (r *reader) textures(w *Workload, n ast.Node) {
	if r.isNothing(n) {
		return
	}
	pairs, _ := r.pairs(n, "textures")
	for _, pair := range pairs {
		t := Texture{Name: r.key(pair), Kind: "2d", Format: "f32", Channels: 1, Sampling: defaultSampling, Position: position(pair)}
		what := "texture " + t.Name
		keys := fields{
			"buffer": func(n ast.Node) { t.Buffer = r.bufferName(w, n, what) },
			"kind":   func(n ast.Node) { t.Kind = r.word(n, "kind of "+what, sortedKeys(textureKinds)) },
			"dimensions": func(n ast.Node) {
				r.list(n, "dimensions of "+what, func(_ int, v ast.Node) {
					t.Dimensions = append(t.Dimensions, int(r.whole(v, "a dimension of "+what, 1, 1<<27)))
				})
			},
			"format": func(n ast.Node) {
				formats := slices.DeleteFunc(slices.Clone(typeNames), func(s string) bool { return Type(s).Size() == 8 || s[0] == 'b' })
				t.Format = Type(r.word(n, "format of "+what, formats))
			},
			"channels":        func(n ast.Node) { t.Channels = int(r.whole(n, "channels of "+what, 1, 4)) },
			"layout":          func(n ast.Node) { t.Rows = r.word(n, "layout of "+what, layouts) == "rows" },
			"normalized_read": func(n ast.Node) { t.NormalizedRead = r.boolean(n, "normalized_read of "+what) },
		}
		r.sampling(keys, &t.Sampling, what)
		seen := r.mapping(pair.Value, what, keys)
		if !seen["buffer"] || !seen["dimensions"] {
			r.fail(t.Position, "%s needs buffer and dimensions", what)
		} else {
			r.checkTexture(w, t, what)
		}
		w.Textures = append(w.Textures, t)
	}
}

// samplers reads the bindings of samplers.
func (r *reader) samplers(w *Workload, n ast.Node) {
	if r.isNothing(n) {
		return
	}
	pairs, _ := r.pairs(n, "samplers")
	for _, pair := range pairs {
		s := Sampler{Name: r.key(pair), Sampling: defaultSampling, Position: position(pair)}
		what := "sampler " + s.Name
		keys := fields{}
		r.sampling(keys, &s.Sampling, what)
		r.mapping(pair.Value, what, keys)
		r.checkSampling(s.Sampling, s.Position, what)
		w.Samplers = append(w.Samplers, s)
	}
}

// sampling adds the keys for sampling.
func (r *reader) sampling(keys fields, s *Sampling, what string) {
	keys["filter"] = func(n ast.Node) { s.Filter = r.word(n, "filter of "+what, filterModes) }
	keys["address"] = func(n ast.Node) { s.Address = r.addressModes(n, what) }
	keys["normalized"] = func(n ast.Node) { s.Normalized = r.boolean(n, "normalized of "+what) }
}

// checkSampling rejects combinations that the driver rejects or changes.
func (r *reader) checkSampling(s Sampling, at Position, what string) {
	for _, mode := range s.Address {
		if (mode == "wrap" || mode == "mirror") && !s.Normalized {
			r.fail(at, "%s: address %s needs normalized: true; with coordinates in texels a Kepler can clamp or read the border", what,
				mode)
			return
		}
	}
}

// checkTexture checks the dimensions against the kind and the buffer, and the format.
func (r *reader) checkTexture(w *Workload, t Texture, what string) {
	kind, ok := textureKinds[t.Kind]
	if ok && len(t.Dimensions) != kind.dimensions {
		r.fail(t.Position, "%s of kind %s needs %d dimensions, but has %d", what, t.Kind, kind.dimensions, len(t.Dimensions))
		return
	}
	for i, d := range t.Dimensions {
		if ok && d > kind.most[i] {
			r.fail(t.Position, "%s: dimension %d is %d; a Kepler's textures of kind %s have at most %d", what, i+1, d, t.Kind, kind.most[i])
		}
	}
	if t.Channels == 3 {
		r.fail(t.Position, "%s has 3 channels; the hardware knows 1, 2 and 4", what)
	}
	if t.Kind != "cube" && t.Kind != "acube" {
		r.checkSampling(t.Sampling, t.Position, what)
	}
	b, ok := w.Buffer(t.Buffer)
	if !ok || t.Format == "" {
		return
	}
	switch {
	case t.NormalizedRead && (t.Format.IsFloat() || t.Format.Size() > 2):
		r.fail(t.Position, "%s: normalized_read is for integers of 8 and 16 bits, not for %s", what, t.Format)
	case t.Filter == "linear" && !t.Format.IsFloat() && !t.NormalizedRead:
		r.fail(t.Position, "%s: filter linear makes floats: it needs format f32 or f16, or normalized_read: true with integers of 8 or "+
			"16 bits", what)
	}
	// As floats, because the product of the largest dimensions exceeds 64 bits.
	need := float64(t.Channels * t.Format.Size())
	if t.Kind == "cube" || t.Kind == "acube" {
		need *= 6 * float64(t.Dimensions[0])
	}
	for _, d := range t.Dimensions {
		need *= float64(d)
	}
	if need > float64(b.Bytes()) {
		r.fail(t.Position, "%s needs %.0f bytes, but buffer %s has %d", what, need, b.Name, b.Bytes())
	}
}

// addressModes reads one mode for all coordinates, or a list with one for each.
func (r *reader) addressModes(n ast.Node, what string) [3]string {
	what = "address of " + what
	if _, isList := r.resolve(n).(*ast.SequenceNode); !isList {
		mode := r.word(n, what, addressModes)
		return [3]string{mode, mode, mode}
	}
	modes := [3]string{"clamp", "clamp", "clamp"}
	r.list(n, what, func(i int, v ast.Node) {
		if i >= len(modes) {
			r.fail(position(v), "%s has more than 3 modes", what)
			return
		}
		modes[i] = r.word(v, what, addressModes)
	})
	return modes
}
