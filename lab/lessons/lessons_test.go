package lessons_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab/lessons"
	"github.com/keplersim/keplersim/testkit/executions"
)

const head = "---\ntitle: A\nminutes: 5\n---\n"

const cell = "```ptx cell=a\n.version 4.2\n```\n```yaml workload=a\nname: a\n```\n"

func TestLessonIsRead(t *testing.T) {
	l, err := lessons.Parse("01-a-lesson.md", []byte(head+"Text with `code` and <script>alert(1)</script>.\n\n"+cell+
		"```question\nWhy *so*?\n---\nBecause.\n```\n"+
		"```yaml exercise=e\ncell: a\ntask: Do **it**.\nraces: true\nbounds: [{metric: cycles, below: 10}]\nhints: [one]\n```\n"+
		"```ptx answer=e\nx\n```\n```ptx wrong=e\ny\n```\n```text\n<b>\n```\n"))
	require.NoError(t, err)
	assert.Equal(t, "a-lesson", l.Slug)
	assert.Equal(t, "A", l.Title)
	assert.NotContains(t, l.HTML, "<script>", "a lesson brings no scripts")
	assert.Contains(t, l.HTML, `<section class="cell" data-cell="a">`)
	assert.Contains(t, l.HTML, `<section class="exercise" data-exercise="e">`)
	assert.Contains(t, l.HTML, "<summary>Why <em>so</em>?</summary><p>Because.</p>")
	assert.Contains(t, l.HTML, "&lt;b&gt;")
	assert.NotContains(t, l.HTML, ".version", "a cell's text goes to the editor")
	e, err := l.Exercise("")
	require.NoError(t, err)
	assert.Equal(t, "<p>Do <strong>it</strong>.</p>\n", e.Task)
	assert.True(t, e.Races)
	assert.Equal(t, []string{"<p>one</p>\n"}, e.Hints)
	assert.Equal(t, "x", e.Answer.Text)
	assert.Equal(t, "y", e.Wrong.Text)
	assert.InDelta(t, 10, *e.Bounds[0].Below, 0)
	_, err = l.Exercise("f")
	require.ErrorContains(t, err, `no exercise "f"; it has e`)
}

// Mistakes in lessons are reported with their places.
func TestMistakesOfLessons(t *testing.T) {
	exercise := "```yaml exercise=e\ncell: a\ntask: t\n```\n```ptx answer=e\nx\n```\n"
	for _, c := range []struct{ text, want string }{
		{"# A\n", "l.md:1: a lesson begins with a line of ---"},
		{"---\ntitle: A\n---\n", "minutes above 0"},
		{"---\ntitle: A\nminutes: 5\nauthor: x\n---\n", `l.md:4: unknown field "author"`},
		{"---\ntitle: A\nminutes: ten\n---\n", `l.md:3: "ten" is not a number`},
		{head + "```ptx cell=a\nx\n```\n", "cell a needs both"},
		{head + "text\n\n```ptx cell\nx\n```\n", "l.md:8: a block's first line"},
		{head + "```yaml cell=a\nx\n```\n", "l.md:6: a block cell=a"},
		{head + cell + "```yaml exercise=e\ncell: b\ntask: t\n```\n", `l.md:12: exercise e is on cell "b"`},
		{head + cell + "```yaml exercise=e\ncell: a\ntask: t\n```\n", "no model answer"},
		{head + cell + "```ptx answer=e\nx\n```\n", "exercise e has an answer and no task"},
		{head + cell + "```yaml exercise=e\ncell: a\ntask: t\nbounds: [{metric: speed, below: 1}]\n```\n```ptx answer=e\nx\n```\n",
			`no metric is called "speed"`},
		{head + cell + "```yaml exercise=e\ncell: a\ntask: t\nbounds: [{metric: cycles}]\n```\n```ptx answer=e\nx\n```\n",
			"neither below nor above"},
		{head + cell + "```yaml exercise=e\ncell: a\ntask: t\nhint: x\n```\n```ptx answer=e\nx\n```\n", `l.md:14: unknown field "hint"`},
		{head + "```question\nWhy?\n```\n", "parted by a line of ---"},
	} {
		_, err := lessons.Parse("l.md", []byte(c.text))
		assert.ErrorContains(t, err, c.want, c.text)
	}
	_, err := lessons.Parse("l.md", []byte(head+cell+exercise))
	assert.NoError(t, err)
}

// A workload that launches a kernel missing from its cell or a model answer is refused when the lesson is read.
func TestLaunchesOfKernelsThatAreNotThere(t *testing.T) {
	const lesson = head + "```ptx cell=a\n.visible .entry _Z3addPf() {}\n```\n```yaml workload=a\nname: a\nmodule: kernel.ptx\nsteps:\n" +
		"  - launch: {kernel: KERNEL, grid: [1], block: [1]}\n```\n```yaml exercise=e\ncell: a\ntask: t\n```\n" +
		"```cuda answer=e\n__global__ void ANSWER(float *x) {}\n```\n"
	for names, want := range map[[2]string]string{
		{"add", "add"}: "", {"sub", "add"}: "01-a.md: the workload launches sub, and ",
		{"add", "sub"}: "01-a.md: the workload launches add, and answer=e has no such kernel: it has sub",
	} {
		text := strings.NewReplacer("KERNEL", names[0], "ANSWER", names[1]).Replace(lesson)
		_, err := lessons.ReadAll(fstest.MapFS{"01-a.md": {Data: []byte(text)}})
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head + cell))
	f.Add([]byte(head + "```question\na\n---\nb\n```\n"))
	executions.Fuzz(f, func(t *testing.T, text []byte) {
		if l, err := lessons.Parse("l.md", text); err == nil && l.Title == "" {
			t.Error("a lesson without a title")
		}
	})
}
