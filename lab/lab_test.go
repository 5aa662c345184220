package lab_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/access"
	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/lessons"
	"github.com/keplersim/keplersim/testkit/need"
)

// The lessons have no mistakes and lack nothing: model answers pass, wrong answers and starting texts do not, cells and scenes run.
func TestLessonsPassInspection(t *testing.T) {
	all, err := lab.Lessons()
	require.NoError(t, err)
	for _, l := range all {
		t.Run(l.Slug, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, l.Exercises)
			for _, c := range l.Codes() {
				require.NotEmpty(t, c.PTX, "not compiled: make lab-lessons")
			}
			findings, err := l.Inspect(context.Background(), engine.Limits{})
			require.NoError(t, err)
			assert.Empty(t, findings)
		})
	}
}

// The compiled CUDA C of the lessons is up to date.
func TestCompiledLessonsAreInStep(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every kernel of the lessons")
	}
	all, err := lab.Lessons()
	require.NoError(t, err)
	need.Clang(t)
	for _, l := range all {
		for _, c := range l.Codes() {
			ptx, err := engine.Compile(context.Background(), c.Text)
			require.NoError(t, err, l.Slug)
			assert.Equal(t, ptx, c.PTX, "%s, %s: make lab-lessons", l.Slug, lessons.CompiledName(c))
		}
	}
}

func handler(t *testing.T) *access.Port {
	t.Helper()
	all, err := lab.Lessons()
	require.NoError(t, err)
	h, err := lab.Handler(all, "test")
	require.NoError(t, err)
	port, err := access.Listen("127.0.0.1:0", t.Output())
	require.NoError(t, err)
	ended := make(chan error, 1)
	ctx, end := context.WithCancel(context.Background())
	go func() { ended <- port.Serve(ctx, h) }()
	t.Cleanup(func() {
		end()
		assert.NoError(t, <-ended)
	})
	return port
}

// ask sends a page's request and returns the answer.
func ask(t *testing.T, port *access.Port, path, body string) (int, []byte) {
	t.Helper()
	q, err := http.NewRequest(http.MethodPost, port.Address(path), strings.NewReader(body))
	require.NoError(t, err)
	q.Header.Set("Origin", strings.TrimSuffix(port.Address(""), "/"))
	q.Header.Set("Authorization", "Bearer "+port.Token)
	answer, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, text
}

// The server serves only its own files, and only to its own machine and pages.
func TestServerKeepsToItself(t *testing.T) {
	s := handler(t)
	get := func(path string) (int, http.Header) {
		q, err := http.NewRequest(http.MethodGet, s.Address(""), nil)
		require.NoError(t, err)
		q.URL.Opaque = "//" + q.URL.Host + path // unchanged, not cleaned
		q.Header.Set("Authorization", "Bearer "+s.Token)
		r, err := http.DefaultClient.Do(q)
		require.NoError(t, err)
		defer r.Body.Close()
		return r.StatusCode, r.Header
	}
	code, header := get("/")
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
	for _, path := range []string{"/lab.js", "/style.css", "/content.json", "/editor.js"} {
		code, _ := get(path)
		assert.Equal(t, http.StatusOK, code, path)
	}
	for _, path := range []string{"/../go.mod", "/..%2f..%2fgo.mod", "/web/lab.js", "/%2e%2e/lab.go", "/lessons/text/03-coalescing.md",
		"//etc/passwd"} {
		code, _ := get(path)
		assert.NotEqual(t, http.StatusOK, code, path)
	}
	for body, want := range map[string]int{
		"{": http.StatusBadRequest, `{"run": "` + strings.Repeat("x", 5<<20) + `"}`: http.StatusRequestEntityTooLarge,
		`{"run": "x.ptx"}`: http.StatusOK,
	} {
		code, _ := ask(t, s, "engine/run", body)
		assert.Equal(t, want, code)
	}
}

// A page's run is answered with the report, and its mistakes with their places.
func TestServerRuns(t *testing.T) {
	s := handler(t)
	all, err := lab.Lessons()
	require.NoError(t, err)
	cell := all[0].Cells[0]
	run := func(q *engine.Request) (r engine.Response) {
		text, err := json.Marshal(q)
		require.NoError(t, err)
		_, body := ask(t, s, "engine/run", string(text))
		require.NoError(t, json.Unmarshal(body, &r), string(body))
		return r
	}
	r := run(cell.Request(cell.PTX))
	assert.Empty(t, r.Error)
	assert.True(t, r.Passed)
	assert.Contains(t, r.Text, "Where warps waited")

	r = run(cell.Request(".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k() {\n  frobnicate;\n}\n"))
	assert.Contains(t, r.Error, "frobnicate")
	assert.Equal(t, 5, r.Line)
	assert.Equal(t, "kernel.ptx", r.File)

	q := cell.Request(cell.PTX)
	q.Files["../kernel.ptx"] = "x"
	assert.Contains(t, run(q).Error, "is not a file name")
}

// CUDA C of a page includes the toolkit's headers and no other file of this machine, and does not reveal whether a file exists.
func TestServerCompilesNoFilesOfThisMachine(t *testing.T) {
	need.Clang(t)
	s := handler(t)
	secret := filepath.Join(t.TempDir(), "secret.h")
	require.NoError(t, os.WriteFile(secret, []byte("int found_it = 7;\n"), 0o600))
	here, err := filepath.Abs("doc.go")
	require.NoError(t, err)
	type answer struct{ PTX, Error string }
	compile := func(text string) (a answer) {
		body, err := json.Marshal(map[string]string{"text": text})
		require.NoError(t, err)
		code, got := ask(t, s, "engine/compile", string(body))
		require.Equal(t, http.StatusOK, code, string(got))
		require.NoError(t, json.Unmarshal(got, &a))
		return a
	}
	const kernel = "\n__global__ void k(float *p) { *p = sqrtf(*p); }\n"
	for _, line := range []string{
		"#include \"" + secret + "\"", "#include <" + secret + ">", "#embed \"" + secret + "\"", "#include \"" + here + "\"",
		"__device__ char x[] = {\n#embed \"/etc/hostname\"\n};", "#include \"../../../../../../../../../../etc/hostname\"",
		"#include \"doc.go\"",
		"#include \"/dev/stdin\"", "#include \"/proc/self/environ\"", "#import \"" + secret + "\"", "#include_next \"" + secret + "\"",
		"#line 1 \"" + secret + "\"\n__global__ void l() { k << <1, 1>> >(); }",
	} {
		a := compile(line + kernel)
		assert.NotEmpty(t, a.Error, line)
		assert.NotContains(t, a.Error+a.PTX, "found_it", line)
		assert.NotContains(t, a.Error, "Package lab", line)
	}
	there := compile("#if __has_include(\"" +
		secret + "\") || __has_embed(\"" + secret + "\") || __has_include(\"/etc/passwd\")\n#error\n#endif" +
		kernel)
	assert.Empty(t, there.Error, "it cannot even be told whether a file is there")
	a := compile("#include <math.h>\n#include <stdio.h>\n#include <cuda_runtime.h>\n" + kernel)
	assert.Empty(t, a.Error)
	assert.Contains(t, a.PTX, "sqrt.rn.f32")
	nested := compile("__global__ void c(int *p) { *p = 1; }\n__global__ void n(int *p) { c<<<1, 1>>>(p); }")
	assert.Empty(t, nested.Error)
}

// A page's run reads only the files in its request. Other names are refused, whether the files exist or not.
func TestServerRunsNoFilesOfThisMachine(t *testing.T) {
	s := handler(t)
	folder := t.TempDir()
	secret := filepath.Join(folder, "secret.ptx")
	const kernel = ".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k() { ret; }\n"
	require.NoError(t, os.WriteFile(secret, []byte(kernel), 0o600))
	relative, err := filepath.Rel(os.TempDir(), secret)
	require.NoError(t, err)
	const launch = "steps:\n  - launch: {kernel: k, grid: [1], block: [1]}\n"
	const data = "buffers:\n  b: {type: u8, count: 64"
	for _, name := range []string{secret, "../" + relative, "/etc/passwd", "/no/such/file", "..", "folder/k.ptx"} {
		for what, text := range map[string]string{
			"module":          "module: " + name + "\n" + launch,
			"link":            "module: k.ptx\nlink: [" + name + "]\n" + launch,
			"launch":          "module: k.ptx\nsteps:\n  - launch: {kernel: k, module: " + name + ", grid: [1], block: [1]}\n",
			"init":            "module: k.ptx\n" + data + ", init: {file: " + name + "}}\n" + launch,
			"expect":          "module: k.ptx\n" + data + "}\n" + launch + "expect:\n  b: {file: " + name + "}\n",
			"config":          "module: k.ptx\nconfig: " + name + "\n" + launch,
			"symbol":          "module: k.ptx\nsymbols:\n  c: {module: " + name + ", type: u8, count: 4}\n" + launch,
			"beside a kernel": "module: " + name + "\n" + launch,
		} {
			q := engine.Request{Files: map[string]string{"k.ptx": kernel, "w.yaml": text}, Run: "w.yaml"}
			if what == "beside a kernel" {
				q.Files["k.yaml"], q.Run = text, "k.ptx"
			}
			body, err := json.Marshal(q)
			require.NoError(t, err)
			code, got := ask(t, s, "engine/run", string(body))
			require.Equal(t, http.StatusOK, code)
			var r engine.Response
			require.NoError(t, json.Unmarshal(got, &r))
			assert.Regexp(t, "is not a file of this run|is not a configuration that comes", r.Error, "%s: %s", what, name)
		}
		body, err := json.Marshal(engine.Request{Files: map[string]string{"k.ptx": kernel, "w.yaml": "module: k.ptx\n" + launch},
			Run: "w.yaml", Config: name})
		require.NoError(t, err)
		_, got := ask(t, s, "engine/run", string(body))
		assert.Contains(t, string(got), "is not a configuration that comes", name)
	}
}

// Debug information may name any file, but a page's report does not quote its lines.
func TestServerQuotesNoFilesOfThisMachine(t *testing.T) {
	s := handler(t)
	secret := filepath.Join(t.TempDir(), "secret.cu")
	require.NoError(t, os.WriteFile(secret, []byte("first\nfound_it\n"), 0o600))
	const kernel = ".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.loc 1 2 0\n" +
		"ld.param.u64 %a, [p];\nst.global.u64 [%a], %a;\nret;\n}\n"
	body, err := json.Marshal(engine.Request{Run: "w.yaml", Files: map[string]string{
		"k.ptx": kernel + ".file 1 \"" + secret + "\"\n",
		"w.yaml": "module: k.ptx\nbuffers:\n  b: {type: u64, count: 4}\nsteps:\n" +
			"  - launch: {kernel: k, grid: [1], block: [1], args: [b]}\n",
	}})
	require.NoError(t, err)
	_, got := ask(t, s, "engine/run", string(body))
	assert.Contains(t, string(got), "secret.cu", "the report has its lines")
	assert.NotContains(t, string(got), "found_it")
}

// Lessons can use the scenes that the page draws, and teaching.md names them.
func TestScenesAreThePages(t *testing.T) {
	text, err := os.ReadFile("web/scenes.js")
	require.NoError(t, err)
	var drawn []string
	for _, found := range regexp.MustCompile(`(?m)^  "?([a-z-]+)"?: \{\n    title:`).FindAllSubmatch(text, -1) {
		drawn = append(drawn, string(found[1]))
	}
	assert.Equal(t, drawn, lessons.SceneKinds)
	guide, err := os.ReadFile("../docs/teaching.md")
	require.NoError(t, err)
	for _, kind := range drawn {
		assert.Contains(t, string(guide), "`"+kind+"`")
	}
}
