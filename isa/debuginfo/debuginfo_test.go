package debuginfo

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/testkit/executions"
)

func load(t testing.TB, name string) *ptx.File {
	source, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	file, err := ptx.Parse(name, string(source))
	require.NoError(t, err)
	return file
}

// instructions lists the instructions of a module in order.
func instructions(list []ptx.Statement) []*ptx.Instruction {
	var out []*ptx.Instruction
	for _, s := range list {
		switch s := s.(type) {
		case *ptx.Function:
			if s.Body != nil {
				out = append(out, instructions(s.Body.Statements)...)
			}
		case *ptx.Block:
			out = append(out, instructions(s.Statements)...)
		case *ptx.Instruction:
			out = append(out, s)
		}
	}
	return out
}

// TestCallExample reads the example of NVIDIA's PTX interoperability guide 13.0, chapter 6. Its debug sections describe two functions:
//
//   - int foo(int i, int j), declared on line 1, has i and j in the registers %r1 and %r2, into which the code loads them.
//   - void test(int *p) of line 6 has its parameter in parameter space.
func TestCallExample(t *testing.T) {
	file := load(t, "call_example.ptx")
	info, err := Read(file)
	require.NoError(t, err)
	assert.Equal(t, []Unit{{Name: "call1.cu", Producer: "lgenfe: EDG 4.9", Directory: "/home/mmurphy/test"}}, info.Units)
	require.Len(t, info.Functions, 2)
	at := func(text string) int32 { return int32(strings.Index(file.Source, text)) }
	assert.Equal(t, &Function{
		Symbol: "_Z3fooii", Name: "_Z3fooii", Path: "call_example.cu", Line: 1, External: true, Result: "int",
		Begin: at("func_begin0:"), End: at("func_end0:"),
		Parameters: []Variable{
			{Name: "i", Type: "int", Path: "call_example.cu", Line: 1, Class: ClassRegister, Location: Location{Register: "%r1"}},
			{Name: "j", Type: "int", Path: "call_example.cu", Line: 1, Class: ClassRegister, Location: Location{Register: "%r2"}},
		},
	}, info.Functions[0])
	assert.Equal(t, &Function{
		Symbol: "_Z4testPi", Name: "_Z4testPi", Path: "call_example.cu", Line: 6, External: true, Result: "void",
		Begin: at("func_begin1:"), End: at("func_end1:"),
		Parameters: []Variable{
			{Name: "p", Type: "int*", Path: "call_example.cu", Line: 6, Class: ClassParam, Location: Location{Symbol: "_Z4testPi_param_0"}},
		},
	}, info.Functions[1])
	assert.Equal(t, []PublicName{{"_Z3fooii", 69}, {"_Z4testPi", 174}}, info.Public)

	// The PTX symbol lacks a parameter that the function has. The DWARF about its code is right.
	assert.Equal(t, "foo(int)", Demangle("_Z3fooi"))
	assert.Equal(t, "foo(int, int)", info.Describe("_Z3fooi"))
	assert.Equal(t, "test(int*)", info.Describe("_Z4testPi"))
	assert.Equal(t, "other(float)", info.Describe("_Z5otherf"))
	assert.Equal(t, "other(float)", (*Info)(nil).Describe("_Z5otherf"))

	lines := Lines(file)
	got := []int{}
	for _, i := range instructions(file.Statements) {
		place := lines.Of(i)
		require.NotNil(t, place)
		assert.Equal(t, "call_example.cu", place.Path)
		got = append(got, place.Line)
	}
	assert.Equal(t, []int{1, 1, 3, 3, 3, 6, 6, 6, 8, 8, 8, 8, 8, 9}, got)
}

func TestImageOfTheCallExample(t *testing.T) {
	image, err := Assemble(load(t, "call_example.ptx"))
	require.NoError(t, err)
	assert.Equal(t, []string{".debug_abbrev", ".debug_info", ".debug_pubnames"}, image.Names())
	// Each section begins with the length of the rest of it.
	assert.Equal(t, 262+4, len(image.Sections[".debug_info"]))
	assert.Equal(t, 41+4, len(image.Sections[".debug_pubnames"]))
}

// TestLinesOfClang compares with the comments in which clang repeats file, line and column after each .loc.
func TestLinesOfClang(t *testing.T) {
	file := load(t, "clang_O0_debug.ptx")
	table := Lines(file)
	comment := regexp.MustCompile(`\.loc\s.*// (\S+):(\d+):(\d+)`)
	checked := 0
	var want []string
	offset := int32(0)
	for _, line := range strings.SplitAfter(file.Source, "\n") {
		if found := comment.FindStringSubmatch(line); found != nil {
			want = found
		}
		if want != nil && strings.HasPrefix(line, "\t") && strings.HasSuffix(strings.TrimSpace(line), ";") &&
			!strings.HasPrefix(strings.TrimSpace(line), ".") {
			place := table.At(offset + 1)
			require.NotNil(t, place, line)
			assert.Equal(t, "kernels.cu", place.Path)
			assert.Equal(t, []string{want[2], want[3]}, []string{strconv.Itoa(place.Line), strconv.Itoa(place.Column)}, line)
			checked++
		}
		if strings.HasPrefix(line, "}") {
			want = nil
		}
		offset += int32(len(line))
	}
	assert.Greater(t, checked, 200)
}

func TestInlinedCalls(t *testing.T) {
	file := load(t, "inlined.ptx")
	table := Lines(file)
	code := instructions(file.Statements)
	assert.Nil(t, table.Of(code[0]), "before the first .loc")
	assert.Equal(t, &Place{Path: "kernel.cu", Line: 30, Column: 5}, table.Of(code[1]))
	call := table.Of(code[2])
	assert.Equal(t, &Place{Path: "kernel.cu", Line: 31, Column: 9}, call)
	square := table.Of(code[3])
	assert.Equal(t, &Place{Path: "helper.h", Line: 10, Column: 3, Function: "_Z6squarei", InlinedAt: call}, square)
	inner := table.Of(code[4])
	assert.Equal(t, &Place{Path: "helper.h", Line: 4, Column: 7, Function: "_Z3subii", InlinedAt: square}, inner)
	assert.Equal(t, call, inner.Outermost())
	assert.Equal(t, &Place{Path: "helper.h", Line: 99, Column: 1, Function: "_Z3subii",
		InlinedAt: &Place{Path: "kernel.cu", Line: 77, Column: 2}}, table.Of(code[5]))
	assert.Equal(t, 32, table.Of(code[6]).Line)
	assert.Nil(t, table.Of(code[7]), "a function without .loc does not take the line of the one before it")
}

// TestVariablesOfClang checks the declarations of references.cu.
func TestVariablesOfClang(t *testing.T) {
	info, err := Read(load(t, "references.ptx"))
	require.NoError(t, err)
	require.Len(t, info.Functions, 1)
	f := info.Functions[0]
	assert.Equal(t, "visit", f.Name)
	assert.Equal(t, "float", f.Result)
	assert.Equal(t, 8, f.Line)
	names, types := []string{}, []string{}
	for _, v := range f.Parameters {
		names = append(names, v.Name)
		types = append(types, v.Type)
		assert.Equal(t, ClassLocal, v.Class)
		assert.Equal(t, "__local_depot0", v.Location.Symbol)
	}
	assert.Equal(t, []string{"node", "link", "flag", "i", "mode", "scale"}, names)
	assert.Equal(t, []string{"const Node&", "Node* const&", "volatile int*", "Index", "Mode", "float(float, int)*"}, types)
	require.Len(t, f.Variables, 1)
	assert.Equal(t, "Node", f.Variables[0].Type)
	require.Len(t, info.Globals, 1)
	assert.Equal(t, Variable{Name: "counters", Type: "int[4]", Path: "references.cu", Line: 7, Class: ClassGlobal,
		Location: Location{Symbol: "counters"}}, info.Globals[0])
}

func TestLocations(t *testing.T) {
	image := &Image{known: map[string]uint64{}}
	parameter := image.name("p")
	bytes := []byte{byte(parameter + 8), 0, 0, 0x80, 0, 0, 0, 0}
	for _, c := range []struct {
		expression []byte
		want       string
	}{
		// Register names as in the interoperability guide's example: the characters 0x25 0x72 0x31 in base 128.
		{[]byte{144, 177, 228, 149, 1}, "%r1"},
		// A name of nine characters needs more than 64 bits.
		{append([]byte{144}, leb128("%rd123456")...), "%rd123456"},
		{append([]byte{3}, bytes...), "[p+8]"},
		{append(append([]byte{3}, bytes...), 35, 4), "[p+12]"},
		{[]byte{3, 1, 0, 0, 0, 0, 0, 0, 0}, ""},
		{[]byte{144, 177}, ""},
		{[]byte{3, 1}, ""},
		{[]byte{156}, ""},
		{nil, ""},
	} {
		assert.Equal(t, c.want, image.location(c.expression, 8).String())
	}
}

// leb128 writes a name as the unsigned LEB128 of its characters read as one big-endian number.
func leb128(name string) []byte {
	bits := ""
	for _, c := range []byte(name) {
		bits += strings.Repeat("0", 8-len(strconv.FormatInt(int64(c), 2))) + strconv.FormatInt(int64(c), 2)
	}
	out := []byte{}
	for len(bits) > 0 {
		cut := max(0, len(bits)-7)
		value, _ := strconv.ParseUint(bits[cut:], 2, 8)
		bits = bits[:cut]
		if strings.Trim(bits, "0") == "" {
			return append(out, byte(value))
		}
		out = append(out, byte(value)|0x80)
	}
	return out
}

func TestLegacySections(t *testing.T) {
	file, err := ptx.Parse("legacy.ptx", "@@DWARF .section .debug_info, \"\",@progbits\n@@DWARF .byte\t0x95, 0x02\n"+
		"@@DWARF .4byte .debug_abbrev\n"+
		"@@DWARF .4byte 0x742f0108, -1\n@@DWARF here:\n@@DWARF .quad here\n@@DWARF .align 4\n@@DWARF .section .debug_str\n"+
		"@@DWARF .byte 65\n")
	require.NoError(t, err)
	image, err := Assemble(file)
	require.NoError(t, err)
	assert.Equal(t, []byte{0x95, 2, 0, 0, 0, 0, 8, 1, 0x2f, 0x74, 255, 255, 255, 255, 14, 0, 0, 0, 0, 0, 0, 0},
		image.Sections[".debug_info"])
	assert.Equal(t, []byte{65}, image.Sections[".debug_str"])
}

func TestSectionValues(t *testing.T) {
	file, err := ptx.Parse("values.ptx", ".func f { start: ret; }\n.section .debug_info {\n.b16 -2\n"+
		"begin: .b32 end-begin, .debug_abbrev, begin+3\n.b64 start\nend: }\n")
	require.NoError(t, err)
	image, err := Assemble(file)
	require.NoError(t, err)
	assert.Equal(t, []byte{0xfe, 0xff, 20, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0}, image.Sections[".debug_info"])

	file, err = ptx.Parse("values.ptx", ".section .debug_info {\n.b8 1.5\n}\n")
	require.NoError(t, err)
	_, err = Assemble(file)
	assert.ErrorContains(t, err, "values.ptx:2:5: section .debug_info")
}

func TestNoDebugInformation(t *testing.T) {
	file, err := ptx.Parse("none.ptx", ".func f { ret; }")
	require.NoError(t, err)
	_, err = Read(file)
	assert.ErrorIs(t, err, ErrNoDebugInfo)
	assert.Nil(t, Lines(file).At(12))
}

func TestDamagedSectionsAreErrors(t *testing.T) {
	for _, text := range []string{
		".section .debug_info { .b8 1 }",
		".section .debug_info { .b32 9999\n.b16 2\n.b32 0\n.b8 8 }",
		".section .debug_info { .b32 8\n.b16 2\n.b32 0\n.b8 8, 1 }",
	} {
		file, err := ptx.Parse("damaged.ptx", text)
		require.NoError(t, err)
		_, err = Read(file)
		assert.ErrorContains(t, err, "damaged.ptx: reading .debug_info", text)
	}
	for _, data := range [][]byte{{1, 0, 0, 0}, {9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{15, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 65}} {
		_, err := publicNames(data)
		assert.Error(t, err)
	}
}

func TestDemangle(t *testing.T) {
	for symbol, want := range map[string]string{
		"_Z5saxpyifPKfPf":        "saxpy(int, float, float const*, float*)",
		"_ZN3gpu6kernelIfEEvPT_": "void gpu::kernel<float>(float*)",
		"plain":                  "plain",
		"$L__BB0_1":              "$L__BB0_1",
		"":                       "",
	} {
		assert.Equal(t, want, Demangle(symbol), symbol)
	}
}

func TestAddressClassesOfTheGuide(t *testing.T) {
	assert.Equal(t, "register", ClassRegister.String())
	assert.Equal(t, "generic", AddressClass(12).String())
	assert.Equal(t, "", AddressClass(13).String())
	assert.Equal(t, "", AddressClass(-1).String())
}

// FuzzRead checks that no module, however damaged its sections, makes reading panic or run on.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"call_example.ptx", "inlined.ptx", "references.ptx"} {
		f.Add(load(f, name).Source)
	}
	executions.Fuzz(f, func(t *testing.T, text string) {
		file, _ := ptx.Parse("fuzz.ptx", text)
		table := Lines(file)
		for _, i := range instructions(file.Statements) {
			if place := table.Of(i); place != nil {
				_ = place.Outermost()
			}
		}
		if info, err := Read(file); err == nil {
			for _, function := range info.Functions {
				_ = function.Signature()
			}
		}
		if scopes, err := ReadScopes(file); err == nil {
			exercise(scopes, int32(len(text)))
		}
	})
}

// exercise asks scopes for everything.
func exercise(s *Scopes, length int32) {
	lists := [][]*Local{s.Globals}
	for offset := int32(0); offset <= length; offset += 1 + length/64 {
		for _, scope := range s.At(offset) {
			lists = append(lists, scope.Variables)
		}
	}
	for _, list := range lists {
		for _, v := range list {
			_, _ = v.At(length / 2)
			_ = v.Type.Scalar()
			_, _ = v.Type.Field("next")
		}
	}
}

// The declarations of references.cu: types that refer to themselves, and the ranges in which variables are known.
func TestScopesOfClang(t *testing.T) {
	file := load(t, "references.ptx")
	scopes, err := ReadScopes(file)
	require.NoError(t, err)
	require.Len(t, scopes.Functions, 1)
	f := scopes.Functions[0]
	assert.Equal(t, "visit", f.Name)
	assert.Contains(t, file.Source[f.Ranges[0][0]:f.Ranges[0][1]], "st.param.f32")
	assert.Greater(t, f.Body, f.Ranges[0][0], "parameters are put into their places first")
	assert.Less(t, f.Body, f.Ranges[0][1])
	assert.Empty(t, scopes.At(0))
	require.Equal(t, []*Scope{f}, scopes.At(f.Body))
	byName := map[string]*Local{}
	for _, v := range f.Variables {
		byName[v.Name] = v
		at, ok := v.At(f.Body)
		assert.True(t, ok, v.Name)
		assert.Equal(t, "__local_depot0", at.Symbol)
	}
	node := byName["node"].Type
	assert.Equal(t, []any{TypeReference, "const Node&", int64(8)}, []any{node.Kind, node.Name, node.Bytes})
	require.Equal(t, TypeStruct, node.Element.Kind)
	next, ok := node.Element.Field("next")
	require.True(t, ok)
	assert.Equal(t, TypePointer, next.Type.Kind)
	again, ok := next.Type.Element.Field("next")
	require.True(t, ok, "the struct holds a pointer to itself")
	assert.Equal(t, next, again)
	assert.Equal(t, TypeEnum, byName["mode"].Type.Kind)
	assert.Equal(t, TypeUnknown, byName["scale"].Type.Element.Kind, "a function has no bytes")
}

// A location list has its parts, each with its range. A list outside .debug_loc is an error.
func TestLocationLists(t *testing.T) {
	word := func(n byte) []byte { return []byte{n, 0, 0, 0, 0, 0, 0, 0} }
	register := append([]byte{6, 0, 144}, leb128("%r12")...)
	require.Len(t, register, 2+6)
	ones := []byte{255, 255, 255, 255, 255, 255, 255, 255}
	data := slices.Concat(word(1), word(5), register, ones, word(100), word(7), word(9), register, word(0), word(0))
	s := &scopeReader{types: types{reader: &reader{image: &Image{Sections: map[string][]byte{".debug_loc": data}}}}, base: 10}
	places, err := s.list(0, 8)
	require.NoError(t, err)
	at := Location{Register: "%r12"}
	assert.Equal(t, []Placed{{11, 15, at}, {107, 109, at}}, places)
	v := Local{Places: places}
	for offset, want := range map[int32]bool{10: false, 11: true, 14: true, 15: false, 108: true, 109: false} {
		_, ok := v.At(offset)
		assert.Equal(t, want, ok, offset)
	}
	for cut := range len(data) {
		s.image.Sections[".debug_loc"] = data[:cut]
		_, err := s.list(0, 8)
		assert.Error(t, err, cut)
	}
	_, err = s.list(1<<40, 8)
	assert.Error(t, err)
}

// A place is of its own symbol, however far behind the symbol, and not of the next one.
func TestPlacesFarBehindASymbol(t *testing.T) {
	file, err := ptx.Parse("far.ptx", ".section .debug_info {\n.b64 a+5000, b\n}\n")
	require.NoError(t, err)
	image, err := Assemble(file)
	require.NoError(t, err)
	name, offset := image.Symbol(address(image.Sections[".debug_info"][:8]))
	assert.Equal(t, []any{"a", uint64(5000)}, []any{name, offset})
	file, err = ptx.Parse("far.ptx", ".section .debug_info {\n.b64 a+2000000\n}\n")
	require.NoError(t, err)
	_, err = Assemble(file)
	assert.ErrorContains(t, err, "farther than registers are tracked")
}

// Outermost returns the place in the PTX function itself: the end of the chain of inlined calls.
func (p *Place) Outermost() *Place {
	for p.InlinedAt != nil {
		p = p.InlinedAt
	}
	return p
}

// Names lists the sections in alphabetical order.
func (m *Image) Names() []string { return slices.Sorted(maps.Keys(m.Sections)) }
