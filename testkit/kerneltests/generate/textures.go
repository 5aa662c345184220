package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// object is a texture, surface or sampler in a workload file.
type object struct {
	name    string
	buffer  string // of the texels, in a workload file's syntax; "" for a sampler
	binding string // the object's entry in the workload file
}

// section is the object's section in a workload file.
func (o object) section() string {
	if o.buffer == "" {
		return "samplers"
	}
	return "textures"
}

// shapes are the dimensions of textures and surfaces by geometry: 1024 texels each, except for cubes.
var shapes = map[string][]int{
	"1d": {1024}, "2d": {32, 32}, "3d": {16, 8, 8}, "a1d": {64, 16}, "a2d": {16, 8, 8}, "cube": {8}, "acube": {8, 3},
}

// geometryOrder is the order of shapes.
var geometryOrder = []string{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"}

func texels(geometry string) int {
	n := 1
	for _, d := range shapes[geometry] {
		n *= d
	}
	switch geometry {
	case "cube":
		return 6 * n * n
	case "acube":
		return 6 * n * shapes[geometry][0]
	}
	return n
}

// texelFormat is the format of a texture's texels.
type texelFormat struct {
	kind     string
	channels int
	more     string // further keys of the binding
}

// textureObject makes a texture or surface with a geometry.
func textureObject(name, geometry string, f texelFormat) object {
	dimensions := strings.ReplaceAll(strings.Trim(fmt.Sprint(shapes[geometry]), "[]"), " ", ", ")
	seed := 0
	for _, c := range name {
		seed = (31*seed + int(c)) % 997
	}
	initial := fmt.Sprintf("random: {seed: %d}", seed)
	if f.kind[0] == 'f' {
		initial = fmt.Sprintf("random: {seed: %d, min: -100, max: 100}", seed)
	}
	return object{
		name:   name,
		buffer: fmt.Sprintf("{type: %s, count: %d, init: {%s}}", f.kind, texels(geometry)*f.channels, initial),
		binding: fmt.Sprintf("{buffer: texels_%s, kind: %s, dimensions: [%s], format: %s, channels: %d%s}", name, geometry, dimensions,
			f.kind, f.channels, f.more),
	}
}

// textureForm is a parsed texture or surface form.
type textureForm struct {
	form, opcode, geometry string
	mip                    string
	vector                 int
	result, from           string // types
	operation, clamp       string
	formatted              bool
	// Details beyond the form: group and name, the bound format, and whether coordinates run from 0 to 1.
	group, name string
	format      texelFormat
	scaled      bool
}

// parseTexture parses a form. ok is false if it is no texture or surface instruction.
func parseTexture(form string) (f textureForm, ok bool) {
	words := strings.Split(form, ".")
	f = textureForm{form: form, opcode: words[0], vector: 1, clamp: "trap"}
	if !slices.Contains([]string{"tex", "tld4", "txq", "suq", "suld", "sust", "sured"}, f.opcode) {
		return f, false
	}
	for _, w := range words[1:] {
		switch {
		case slices.Contains(geometryOrder, w):
			f.geometry = w
		case w == "v2":
			f.vector = 2
		case w == "v4":
			f.vector = 4
		case w == "base" || w == "level" || w == "grad":
			f.mip = w
		case f.opcode == "tld4" && len(w) == 1:
		case w == "trap" || w == "clamp" || w == "zero":
			f.clamp = w
		case w == "p":
			f.formatted = true
		case isType.MatchString(w) && f.result == "":
			f.result = w
		case isType.MatchString(w):
			f.from = w
		case f.opcode == "sured" && w != "b":
			f.operation = w
		case f.opcode == "txq" || f.opcode == "suq":
		}
	}
	return f, f.opcode != "suld" || !f.formatted
}

// textureFormats are the tests' texel formats by the type of an instruction's result. Point sampling makes every result one texel,
// unchanged by a filter's arithmetic.
var textureFormats = map[string]texelFormat{
	"f32": {"f32", 1, ", address: [border, clamp, border]"},
	"u32": {"u16", 4, ""},
	"s32": {"s8", 2, ", address: border"},
}

// coordinate makes coordinate d of a texture read, as a float or integer: inside the texture and on both sides of it.
func coordinate(register string, d, size int, from string) string {
	integer := fmt.Sprintf("mad.lo.u32 %%r20, %%i, %d, %d;\nshr.u32 %%r20, %%r20, %d;\nrem.u32 %%r20, %%r20, %d;\n"+
		"sub.s32 %%r20, %%r20, %d;\n", 7+4*d, 3*d, d, size+size/2+3, size/4+1)
	if from == "s32" {
		return integer + fmt.Sprintf("mov.b32 %s, %%r20;\n", register)
	}
	return integer + fmt.Sprintf(
		"cvt.rn.f32.s32 %s, %%r20;\nadd.f32 %s, %s, 0f%s;\n", register, register, register, []string{"3EC00000", "3F200000", "3F500000"}[d],
	)
}

// direction makes a component of a direction into a cube. It never points to an edge between faces.
func direction(register string, d int) string {
	return fmt.Sprintf("mad.lo.u32 %%r20, %%i, %d, %d;\nrem.u32 %%r20, %%r20, 23;\ncvt.rn.f32.u32 %s, %%r20;\nadd.f32 %s, %s, 0f%s;\n",
		5+6*d, 3*d, register, register, register,
		[]string{"C1340000", "C1330000", "C1360000"}[d])
}

// coordinates makes the coordinate operand of a texture read.
func coordinates(geometry, from string) (code, operand string) {
	var list []string
	dims := shapes[geometry]
	if geometry[0] == 'a' {
		code += fmt.Sprintf("rem.u32 %%r10, %%i, %d;\n", dims[len(dims)-1]+2)
		list = append(list, "%r10")
	}
	n := map[string]int{"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3}[geometry]
	for d := range n {
		register := fmt.Sprintf("%%f%d", 10+d)
		if from == "s32" {
			register = fmt.Sprintf("%%r%d", 11+d)
		}
		if strings.HasSuffix(geometry, "cube") {
			code += direction(register, d)
		} else {
			code += coordinate(register, d, dims[d], from)
		}
		list = append(list, register)
	}
	if len(list) == 3 { // the fourth is ignored
		list = append(list, list[2])
	}
	return code, "{" + strings.Join(list, ", ") + "}"
}

// handle passes an object to a row in a register.
func (r *row) handle(kind string, o object, register string) string {
	name := kind + "_" + identifier(r.name)
	r.params = append(r.params, parameter{".param .u64 " + name, fmt.Sprintf("{%s: %s}", kind, o.name)})
	r.objects = append(r.objects, o)
	return fmt.Sprintf("ld.param.u64 %s, [%s];\n", register, name)
}

// filters are textures whose reads filter or wrap, by geometry.
var filters = []struct {
	geometry string
	format   texelFormat
}{
	{"1d", texelFormat{"f32", 1, ", filter: linear"}},
	{"1d", texelFormat{"u8", 2, ", filter: linear, normalized_read: true, address: wrap, normalized: true"}},
	{"2d", texelFormat{"f32", 1, ", filter: linear"}},
	{"2d", texelFormat{"f32", 4, ", filter: linear, address: border"}},
	{"2d", texelFormat{"u8", 4, ", filter: linear, normalized_read: true, address: [wrap, mirror], normalized: true"}},
	{"2d", texelFormat{"f16", 2, ", filter: linear, address: [mirror, clamp], normalized: true"}},
	{"2d", texelFormat{"s16", 1, ", normalized_read: true, address: [mirror, wrap], normalized: true"}},
	{"3d", texelFormat{"f32", 1, ", filter: linear, address: [clamp, border, clamp]"}},
	{"3d", texelFormat{"u16", 4, ", filter: linear, normalized_read: true, address: wrap, normalized: true"}},
	{"a1d", texelFormat{"f32", 2, ", filter: linear"}},
	{"a2d", texelFormat{"f32", 1, ", filter: linear, address: mirror, normalized: true"}},
	{"cube", texelFormat{"f32", 1, ", filter: linear"}},
	{"acube", texelFormat{"u8", 4, ", filter: linear, normalized_read: true"}},
}

// filterRows tests reads with filters.
func filterRows() []row {
	var rows []row
	for _, x := range filters {
		f, _ := parseTexture("tex." + x.geometry + ".v4.f32.f32")
		f.group, f.format = "texture-filter", x.format
		name := identifier(fmt.Sprintf("%s %s x%d %s", x.geometry, x.format.kind, x.format.channels, x.format.more))
		f.name, f.scaled = name, strings.Contains(x.format.more, "normalized: true") && !strings.HasSuffix(x.geometry, "cube")
		rows = append(rows, f.textureRow())
	}
	return rows
}

// textureRow tests a form that reads a texture.
func (f textureForm) textureRow() row {
	r := row{group: "texture-" + f.opcode, name: f.form, words: 4, target: kepler}
	if f.mip != "" {
		r.group += "-" + f.mip
	}
	o := textureObject(fmt.Sprintf("%s_%s", f.geometry, f.result), f.geometry, textureFormats[f.result])
	if f.geometry == "1d" && f.from == "s32" { // on a GPU, integer coordinates read linear memory, not an array
		o = textureObject("linear_"+f.result, f.geometry, textureFormats[f.result])
	}
	if f.group != "" {
		r.group, r.name = f.group, f.name
		o = textureObject(f.name, f.geometry, f.format)
	}
	code, operand := coordinates(f.geometry, f.from)
	for d, n := range shapes[f.geometry] {
		if f.scaled && (d == 0 || d < len(shapes[f.geometry])-1 || f.geometry[0] != 'a') {
			code += fmt.Sprintf("mul.f32 %%f%d, %%f%d, 0f%08X;\n", 10+d, 10+d, math.Float32bits(1/float32(n)))
		}
	}
	more := ""
	switch f.mip {
	case "level":
		more = ", 0f3FC00000"
		if f.from == "s32" {
			more = ", 0"
		}
	case "grad":
		n := map[string]int{"1d": 1, "2d": 2, "3d": 4, "a1d": 1, "a2d": 2, "cube": 4, "acube": 4}[f.geometry]
		g := "{" + strings.TrimSuffix(strings.Repeat("%f20, ", n), ", ") + "}"
		code += "mov.f32 %f20, 0f3E000000;\n"
		more = ", " + g + ", " + g
	}
	if cube := strings.HasSuffix(f.geometry, "cube"); cube && f.mip == "grad" || f.opcode == "tld4" && f.geometry != "2d" {
		r.target = kepler43
	}
	kind := "r"
	if f.result == "f32" {
		kind = "f"
	}
	d := make([]string, 4)
	out := ""
	for k := range d {
		d[k] = fmt.Sprintf("%%%s%d", kind, k)
		out += fmt.Sprintf("st.global.%s [%%out+%d], %s;\n", f.result, 4*k, d[k])
	}
	r.body = r.handle("texture", o, "%d1") + code + fmt.Sprintf("%s {%s}, [%%d1, %s]%s;\n", f.form, strings.Join(d, ", "), operand, more) +
		out
	return r
}

// askedObjects are the objects of queries.
var askedObjects = []object{
	textureObject("asked_3d", "3d", texelFormat{"f16", 4, ", filter: linear, address: [wrap, mirror, border], normalized: true"}),
	textureObject("asked_1d", "1d", texelFormat{"s8", 2, ", normalized_read: true"}),
	textureObject("asked_a2d", "a2d", texelFormat{"u32", 1, ", address: border"}),
}

// queryRow queries objects that are named by variables.
func (f textureForm) queryRow() row {
	r := row{group: "texture-" + f.opcode, name: f.form, words: len(askedObjects), target: kepler, alone: true}
	level, kind := "", "texref"
	if f.opcode == "suq" {
		kind = "surfref"
	}
	if f.mip == "level" {
		r.target, level = kepler43, ", 0"
	}
	for n, o := range askedObjects {
		r.objects = append(r.objects, o)
		r.module += fmt.Sprintf(".global .%s %s;\n", kind, o.name)
		r.body += fmt.Sprintf("%s %%r%d, [%s]%s;\nst.global.u32 [%%out+%d], %%r%d;\n", f.form, n, o.name, level, 4*n, n)
	}
	return r
}

// surfaceCoordinates makes the coordinates of a surface access of size bytes: in bytes or, with a unit, in texels of that many bytes.
// Thread i uses its own place, or places inside and outside if the outside does not trap.
func surfaceCoordinates(geometry, clamp string, size, unit, texel int) (code, operand string) {
	dims := shapes[geometry]
	row := dims[0] * texel / size // accesses in a row
	var parts []string
	layered := geometry[0] == 'a'
	code = "mov.u32 %r20, %i;\n"
	for d, n := range dims {
		if d == 0 {
			n = row
		}
		register := fmt.Sprintf("%%r%d", 10+d)
		code += fmt.Sprintf("rem.u32 %s, %%r20, %d;\ndiv.u32 %%r20, %%r20, %d;\n", register, n, n)
		if clamp != "trap" {
			code += fmt.Sprintf("mul.lo.u32 %s, %s, 3;\nshr.u32 %s, %s, 1;\nsub.s32 %s, %s, 2;\n", register, register, register, register,
				register, register)
		}
		if d == 0 && size/unit > 1 {
			code += fmt.Sprintf("mul.lo.s32 %s, %s, %d;\n", register, register, size/unit)
		}
		parts = append(parts, register)
	}
	if layered { // the layer comes first
		last := len(parts) - 1
		parts = append([]string{parts[last]}, parts[:last]...)
	}
	if len(parts) == 3 {
		parts = append(parts, parts[2])
	}
	return code, "{" + strings.Join(parts, ", ") + "}"
}

// access has the registers of a surface form.
func (f textureForm) access() access {
	return access{form: f.form, kind: f.result, vector: f.vector}
}

// surfaceFormat is the format for unformatted accesses to surfaces.
var surfaceFormat = texelFormat{"u32", 1, ""}

// loadRow tests suld.
func (f textureForm) loadRow() row {
	a := f.access()
	r := row{group: "surface-load-" + f.geometry, name: f.form, words: a.words(), target: kepler}
	o := textureObject("surface_"+f.geometry, f.geometry, surfaceFormat)
	code, operand := surfaceCoordinates(f.geometry, f.clamp, a.total(), 1, 4)
	r.body = r.handle("surface", o, "%d9") + code + fmt.Sprintf("%s %s, [%%d9, %s];\n%s", f.form, a.list(), operand, a.writeOut())
	return r
}

// changeRow tests sust and sured on their own surface. Threads that write to the same place write the same value.
func (f textureForm) changeRow(format texelFormat) row {
	a := f.access()
	r := row{
		group: "surface-" + map[string]string{"sust": "store-", "sured": "reduce-"}[f.opcode] + f.geometry, name: f.form, target: kepler,
	}
	size, unit, texel := a.total(), 1, bytesOf(format.kind)*format.channels
	if f.formatted {
		r.group = map[string]string{"sust": "surface-store-formatted", "sured": "surface-reduce-formatted"}[f.opcode]
		r.name = fmt.Sprintf("%s to %s x%d", f.form, format.kind, format.channels)
		size, unit = texel, texel
	}
	o := textureObject("changed_"+identifier(r.name), f.geometry, format)
	code, operand := surfaceCoordinates(f.geometry, f.clamp, size, unit, texel)
	if f.opcode == "sust" && f.clamp != "trap" {
		for n := range f.vector {
			if bytesOf(f.result) == 8 {
				code += fmt.Sprintf("mov.b64 %%d%d, 0x%x;\n", n, 0x1122334455667788+n)
			} else {
				code += fmt.Sprintf("mov.b32 %%r%d, 0x%x;\n", n, 0x41223344+n)
			}
		}
	} else {
		code += strings.ReplaceAll(a.readIn(), "f32", "b32")
	}
	values := a.list()
	if f.opcode == "sured" {
		values = a.register(0)
	}
	r.body = r.handle("surface", o, "%d9") + code + fmt.Sprintf("%s [%%d9, %s], %s;\n", f.form, operand, values)
	r.changed = []string{"texels_" + o.name}
	return r
}

// moreTextures are further forms.
var moreTextures = func() []string {
	forms := strings.Fields(`
		tex.base.2d.v4.f32.f32 tex.base.1d.v4.u32.s32 tex.base.3d.v4.s32.f32 tex.base.a1d.v4.f32.f32 tex.base.a2d.v4.f32.s32 tex.base.cube.v4.f32.f32 tex.base.acube.v4.f32.f32
		tex.cube.v4.u32.f32 tex.level.2d.v4.f32.s32 tex.level.1d.v4.f32.s32 tex.level.3d.v4.u32.s32 tex.level.a1d.v4.f32.s32 tex.level.a2d.v4.f32.s32 tex.grad.cube.v4.f32.f32 tex.grad.acube.v4.f32.f32
		tld4.r.a2d.v4.f32.f32 tld4.r.cube.v4.f32.f32 tld4.r.acube.v4.f32.f32 tld4.g.a2d.v4.u32.f32
		sured.b.add.1d.u32.trap sured.b.min.1d.s32.clamp sured.b.max.2d.u32.zero sured.b.and.2d.b32.trap sured.b.or.3d.b32.clamp sured.b.add.3d.u64.trap sured.b.add.2d.s32.zero
		sured.b.min.1d.u32.zero sured.b.max.3d.s32.trap
		sured.p.add.2d.b32.trap sured.p.max.3d.b32.clamp sured.p.and.1d.b32.zero sured.p.or.2d.b32.zero sured.p.min.2d.b32.trap
		suld.b.2d.ca.b32.trap suld.b.1d.cg.v2.b32.clamp suld.b.3d.cs.b16.zero suld.b.a2d.cv.v4.b32.trap sust.b.2d.wb.b32.trap sust.b.1d.cg.v2.b32.clamp sust.b.3d.cs.b16.zero sust.b.a2d.wt.v4.b32.trap
		sust.b.3d.v2.b64.zero
		sust.p.2d.v4.b32.clamp sust.p.2d.v2.b32.zero sust.p.1d.b32.clamp`)
	for _, q := range strings.Fields("width height depth channel_data_type channel_order normalized_coords array_size " +
		"num_mipmap_levels num_samples force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2") {
		forms = append(forms, "txq."+q+".b32")
	}
	for _, q := range strings.Fields("width height depth") {
		forms = append(forms, "txq.level."+q+".b32")
	}
	for _, q := range strings.Fields("width height depth channel_data_type channel_order array_size memory_layout") {
		forms = append(forms, "suq."+q+".b32")
	}
	return forms
}()

// noAssembler is the reason for PTX queries that a current driver's assembler cannot assemble.
const noAssembler = "not implemented"

// unrecorded are forms that the recording GPU's assembler rejects, with its reason. Package sim tests them against PTX's text.
var unrecorded = map[string]string{
	"suq.array_size.b32": noAssembler, "suq.channel_data_type.b32": noAssembler, "suq.channel_order.b32": noAssembler,
	"suq.memory_layout.b32": noAssembler, "txq.addr_mode_0.b32": noAssembler, "txq.addr_mode_1.b32": noAssembler,
	"txq.addr_mode_2.b32": noAssembler, "txq.array_size.b32": noAssembler, "txq.channel_data_type.b32": noAssembler,
	"txq.channel_order.b32": noAssembler, "txq.filter_mode.b32": noAssembler, "txq.normalized_coords.b32": noAssembler,
	"txq.num_mipmap_levels.b32": noAssembler, "txq.num_samples.b32": noAssembler,
	"txq.force_unnormalized_coords.b32": "asks a sampler, which the CUDA driver cannot bind",
	"sust.p.1d.v4.f32.trap":             "formatted stores are .b32 alone",
	"sust.p.1d.v4.f32.zero":             "formatted stores are .b32 alone",
}

// textureRows returns rows for all texture and surface forms in real programs, and more.
func textureRows(met []string) []row {
	var rows []row
	have := map[string]bool{}
	for _, form := range append(slices.Clone(met), moreTextures...) {
		f, ok := parseTexture(form)
		if _, refused := unrecorded[form]; !ok || refused || have[form] {
			continue
		}
		have[form] = true
		switch f.opcode {
		case "tex", "tld4":
			rows = append(rows, f.textureRow())
		case "txq", "suq":
			rows = append(rows, f.queryRow())
		case "suld":
			rows = append(rows, f.loadRow())
		case "sured":
			format := surfaceFormat
			if f.formatted && f.operation == "max" {
				format = texelFormat{"s32", 1, ""}
			}
			rows = append(rows, f.changeRow(format))
		case "sust":
			if !f.formatted {
				rows = append(rows, f.changeRow(surfaceFormat))
				continue
			}
			formats := []texelFormat{{"u32", 1, ""}, {"f32", 1, ""}, {"u8", 1, ""}, {"f16", 1, ""}}
			switch f.vector {
			case 2:
				formats = []texelFormat{{"s16", 2, ""}, {"f16", 2, ""}}
			case 4:
				formats = []texelFormat{{"u8", 4, ""}, {"f32", 4, ""}, {"s16", 4, ""}}
			}
			for _, format := range formats {
				rows = append(rows, f.changeRow(format))
			}
		}
	}
	return append(rows, filterRows()...)
}
