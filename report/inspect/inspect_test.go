package inspect

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
)

func TestCallsAndLayout(t *testing.T) {
	text, err := os.ReadFile("../../testdata/kernels/call/call_1.ptx")
	require.NoError(t, err)
	file, err := ptx.Parse("call_1.ptx", string(text))
	require.NoError(t, err)
	program, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
	require.NoError(t, err)
	p := New(program, []*ptx.File{file})
	var kernel *Function
	for i := range p.Functions {
		if p.Functions[i].Kernel {
			kernel = &p.Functions[i]
		}
	}
	require.NotNil(t, kernel)
	assert.Equal(t, Parameter{"in_data", "u64", 0, 8, 8}, kernel.Parameters[0])
	assert.Equal(t, 8, kernel.Parameters[1].Offset)
	assert.Subset(t, kernel.Calls, []string{"triple_plus", "scale", "swap_parts"})
	var out bytes.Buffer
	require.NoError(t, p.DOT(&out))
	assert.Contains(t, out.String(), "digraph program")
	out.Reset()
	require.NoError(t, p.JSON(&out))
	var object map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &object))
	assert.Equal(t, "sm_35", object["target"])
	out.Reset()
	require.NoError(t, p.Text(&out))
	assert.Contains(t, out.String(), "kernel call_1")
}

// How each function is called, and which PTX each source line became.
func TestCallees(t *testing.T) {
	how := map[string]string{}
	p := describeFile(t, "../../sim/testdata/calls.ptx")
	for _, f := range p.Functions {
		for _, c := range f.Callees {
			how[f.Name+" to "+c.Name] = c.How
		}
	}
	assert.Equal(t, "call", how["fib to fib"])
	assert.Equal(t, "call", how["is_odd to is_even"])
	assert.Equal(t, "indirect", how["table to "])
	p = describeFile(t, "../../sim/testdata/system.ptx")
	found := false
	for _, f := range p.Functions {
		for _, c := range f.Callees {
			found = found || c == Callee{"malloc", "malloc", "system"}
		}
	}
	assert.True(t, found, "system.ptx calls malloc")
}

func TestEmulatedAndSourceMap(t *testing.T) {
	file, err := ptx.Parse("new.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"a.cu\"\n.entry k {\n.reg .b32 %r<3>;\n"+
		".loc 1 7 1\nmov.u32 %r1, 1;\nactivemask.b32 %r2;\n.loc 1 9 1\nnanosleep.u32 %r1;\n.loc 1 7 3\nadd.u32 %r1, %r1, %r2;\nexit;\n}\n")
	require.NoError(t, err)
	program, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
	require.NoError(t, err)
	p := New(program, []*ptx.File{file})
	var out bytes.Buffer
	require.NoError(t, p.Text(&out))
	for _, part := range []string{
		"emulated: activemask.b32 (new.ptx:9) is not a Kepler instruction: PTX 6.2",
		"emulated: nanosleep.u32 (new.ptx:11) is not a Kepler instruction: sm_70, PTX 6.3",
		"a.cu:7: PTX 8-9, 13-14, 4 instructions", "a.cu:9: PTX 11, 1 instruction\n",
	} {
		assert.Contains(t, out.String(), part)
	}
}

// docs/inspect.md names every member of the JSON.
func TestDocumentationNamesEveryMember(t *testing.T) {
	text, err := os.ReadFile("../../docs/inspect.md")
	require.NoError(t, err)
	seen := map[reflect.Type]bool{}
	members := 0
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
				members++
				assert.Contains(t, string(text), "`"+name+"`", of.Name())
			}
			walk(of.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[Program]())
	assert.Greater(t, members, 30)
}

// Empty lists are lists in JSON, never null.
func TestEmptyListsAreLists(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, describeFile(t, "../../sim/testdata/inlined.ptx").JSON(&out))
	assert.NotContains(t, out.String(), "null")
}

// --kernel describes one kernel with the functions that it calls, and nothing else.
func TestOnlyOneKernel(t *testing.T) {
	names := func(p *Program) (list []string) {
		for _, f := range p.Functions {
			list = append(list, f.Name)
		}
		return list
	}
	p := describeFile(t, "../../sim/testdata/calls.ptx")
	all := len(p.Functions)
	p.Only("parity")
	assert.ElementsMatch(t, []string{"is_even", "is_odd", "parity"}, names(p))
	p = describeFile(t, "../../sim/testdata/calls.ptx")
	p.Only("overflow")
	assert.ElementsMatch(t, []string{"endless", "overflow"}, names(p))
	assert.Greater(t, all, 5)
}

func TestVariables(t *testing.T) {
	file, err := ptx.Parse("v.ptx", ".version 4.2\n.target sm_35\n.address_size 64\n.const .align 4 .f32 taps[9];\n"+
		".global .u32 count = 7;\n.extern .global .u64 other;\n.extern .shared .align 4 .b8 heap[];\n.entry k {\n"+
		".shared .align 8 .b8 tile[64];\n.reg .b32 %r<3>;\nmov.u32 %r1, tile;\nld.shared.u32 %r2, [%r1];\nexit;\n}\n.entry l { exit; }\n")
	require.NoError(t, err)
	program, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
	require.NoError(t, err)
	p := New(program, []*ptx.File{file})
	assert.Equal(t, []Variable{
		{Name: "taps", Demangled: "taps", Space: "const", Type: "f32", Bytes: 36, Align: 4},
		{Name: "count", Demangled: "count", Space: "global", Type: "u32", Bytes: 4, Align: 4, Initialised: true},
		{Name: "other", Demangled: "other", Space: "global", Type: "u64", Bytes: 8, Align: 8, Extern: true},
		{Name: "heap", Demangled: "heap", Space: "shared", Type: "b8", Align: 4, Dynamic: true},
		{Name: "tile", Demangled: "tile", Function: "k", Space: "shared", Type: "b8", Bytes: 64, Align: 8},
	}, p.Variables)
	p.Only("l")
	assert.Len(t, p.Variables, 4)
	var out bytes.Buffer
	require.NoError(t, p.Text(&out))
	assert.Contains(t, out.String(), "  .shared  heap                     b8    as many bytes as the launch gives, aligned to 4\n")
	assert.Contains(t, out.String(), "  .global  count                    u32   4 bytes, aligned to 4, initialised\n")
}
