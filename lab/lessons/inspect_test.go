package lessons_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/lessons"
)

// tested is a correct lesson in PTX: each thread stores a number.
const tested = head + "```ptx cell=a\n" + storing + "WHAT; st.global.u32 [%d1], %r1; ret; }\n```\n" +
	"```yaml workload=a\nname: a\nmodule: kernel.ptx\nbuffers:\n  out: {type: u32, count: 1}\nsteps:\n" +
	"  - launch: {kernel: k, grid: [1], block: [32], args: [out]}\nexpect:\n  out: {init: {fill: 7}}\n```\n" +
	"```yaml exercise=e\ncell: a\ntask: t\nhints: [h]\n```\n" +
	"```ptx answer=e\n" + storing + "mov.u32 %r1, 7; st.global.u32 [%d1], %r1; ret; }\n```\n" +
	"```ptx wrong=e\n" + storing + "mov.u32 %r1, 8; st.global.u32 [%d1], %r1; ret; }\n```\n" +
	"```scene=divergence cell=a\nlook: at it\nhandle: h\nvalues: [\"1\", \"32\"]\nchange: \"block: [32]\"\n```\n"

const storing = ".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b64 %d1;\n.reg .b32 %r1;\n" +
	"ld.param.u64 %d1, [p];\n"

// Running a lesson finds mistakes that parsing does not, each with its line.
func TestInspect(t *testing.T) {
	good := strings.Replace(strings.Replace(tested, "WHAT", "mov.u32 %r1, 1", 1), "minutes: 5", "minutes: 5\ntoday: nothing", 1)
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"kernel: k", "kernel: other", "0: the workload launches other, and "},
		{"mov.u32 %r1, 1;", "mov.u32 %r1, 7;", "27: exercise e is solved as it stands"},
		{"mov.u32 %r1, 7;", "mov.u32 %r1, 6;", "32: the model answer of e is refused: result: "},
		{"mov.u32 %r1, 8;", "mov.u32 %r1, 7;", "42: the wrong answer of e passes"},
		{"hints: [h]\n", "", "27: exercise e has no hints"},
		{"\nexpect:\n  out: {init: {fill: 7}}", "", "the workload of cell a expects nothing"},
		{"values: [\"1\"", "values: [\"2000\"", ": it does not run: "},
		{"today: nothing\n", "", "0: the lesson does not say what differs on today's GPUs"},
	} {
		l, err := lessons.Parse("l.md", []byte(strings.Replace(good, c.from, c.to, 1)))
		require.NoError(t, err, c.to)
		findings, err := l.Inspect(context.Background(), engine.Limits{})
		require.NoError(t, err)
		var all []string
		for _, f := range findings {
			all = append(all, strings.TrimSpace(strings.Join([]string{strconv.Itoa(f.Line), f.Text}, ": ")))
		}
		if c.want == "" {
			assert.Empty(t, all)
		} else {
			assert.Contains(t, strings.Join(all, "\n"), c.want)
		}
	}
}

// Mistakes in scenes are reported with their lines.
func TestMistakesOfScenes(t *testing.T) {
	for scene, want := range map[string]string{
		"```scene=maze cell=a\nlook: x\n```\n":                                                     "scene maze: there is no such scene",
		"```scene=banks cell=b\nlook: x\n```\n":                                                    `scene banks is of cell "b"`,
		"```scene=banks cell=a\nhandle: x\n```\n":                                                  "does not say what to look at",
		"```scene=banks cell=a\nlook: x\nhandle: h\nvalues: [\"1\"]\nset: smx.count\n```\n":        "at least two values",
		"```scene=banks cell=a\nlook: x\nhandle: h\nvalues: [\"1\", \"2\"]\nset: smx.size\n```\n":  `sets "smx.size"`,
		"```scene=banks cell=a\nlook: x\nhandle: h\nvalues: [\"1\", \"2\"]\nchange: grid 1\n```\n": `changes "grid 1", which neither`,
		"```scene=banks cell=a\nlook: x\nhandle: h\nvalues: [\"1\", \"2\"]\nchange: a\n```\n":      `changes "a", which has no number`,
		"```scene=banks cell=a\nlook: x\ncolour: red\n```\n":                                       "l.md:13: unknown field",
	} {
		_, err := lessons.Parse("l.md", []byte(head+cell+scene))
		assert.ErrorContains(t, err, want)
	}
}
