package lab_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/need"
	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
	"github.com/keplersim/keplersim/lab/lessons"
)

// Every model answer passes its checks, and every wrong answer and the cell that the exercise begins with fail one.
func TestExercisesTellRightFromWrong(t *testing.T) {
	all, err := lab.Lessons()
	require.NoError(t, err)
	for _, l := range all {
		for _, e := range l.Exercises {
			t.Run(l.Slug+"/"+e.Name, func(t *testing.T) {
				t.Parallel()
				cell := l.Cell(e.Cell)
				grade := func(code exercise.Code) *exercise.Grade {
					require.NotEmpty(t, code.PTX, "not compiled: make lab-lessons")
					g, err := e.Grade(context.Background(), cell, code.PTX, engine.Limits{})
					require.NoError(t, err)
					return g
				}
				answer := grade(e.Answer)
				assert.True(t, answer.Passed, "the model answer: %v", answer.Checks)
				require.NotEmpty(t, e.Wrong.Text, "an exercise has a wrong answer, so that its checks are known to fail")
				assert.False(t, grade(e.Wrong).Passed, "the wrong answer passes")
				start := grade(cell.Code)
				assert.False(t, start.Passed, "the exercise is solved as it stands")
				bounds := map[string]exercise.Bound{}
				for _, b := range e.Bounds {
					bounds[b.Metric] = b
				}
				for _, c := range start.Checks { // what a reader cannot see by eye is not what the lesson is about
					if b := bounds[c.Name]; !c.Passed && b.Above != nil {
						assert.Less(t, c.Value, 0.97**b.Above, "%s of what the exercise begins with is too near to what is asked", c.Name)
					}
				}
			})
		}
	}
}

// Every cell runs and gives what its workload expects.
func TestCellsRun(t *testing.T) {
	all, err := lab.Lessons()
	require.NoError(t, err)
	for _, l := range all {
		require.NotEmpty(t, l.Exercises, "%s has no exercise", l.Slug)
		for _, c := range l.Cells {
			t.Run(l.Slug+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				require.NotEmpty(t, c.PTX, "not compiled: make lab-lessons")
				r, err := engine.Run(context.Background(), c.Request(c.PTX), engine.Limits{})
				require.NoError(t, err)
				assert.Empty(t, r.Error)
				assert.True(t, r.Passed, "%v", r.Wrong)
			})
		}
	}
}

// What a lesson's CUDA C was compiled to is what it compiles to.
func TestCompiledLessonsAreInStep(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every kernel of the lessons")
	}
	all, err := lab.Lessons()
	require.NoError(t, err)
	need.Clang(t)
	for _, l := range all {
		for _, c := range l.Codes() {
			ptx, err := lab.Compile(context.Background(), c.Text)
			require.NoError(t, err, l.Slug)
			assert.Equal(t, ptx, c.PTX, "%s, %s: make lab-lessons", l.Slug, lessons.CompiledName(c))
		}
	}
}

func handler(t *testing.T) *httptest.Server {
	t.Helper()
	all, err := lab.Lessons()
	require.NoError(t, err)
	h, err := lab.Handler(all, "test")
	require.NoError(t, err)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// The server gives its own files and no other, to its own machine and its own pages.
func TestServerKeepsToItself(t *testing.T) {
	s := handler(t)
	get := func(path, host string) (int, http.Header) {
		q, err := http.NewRequest(http.MethodGet, s.URL, nil)
		require.NoError(t, err)
		if host == "" {
			q.URL.Opaque = "//" + q.URL.Host + path // as it stands, not cleaned
		}
		q.Host = host
		r, err := s.Client().Do(q)
		require.NoError(t, err)
		defer r.Body.Close()
		return r.StatusCode, r.Header
	}
	code, header := get("/", "")
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
	for _, path := range []string{"/lab.js", "/style.css", "/content.json", "/editor.js"} {
		code, _ := get(path, "")
		assert.Equal(t, http.StatusOK, code, path)
	}
	for _, path := range []string{"/../go.mod", "/..%2f..%2fgo.mod", "/web/lab.js", "/%2e%2e/lab.go", "/lessons/text/03-coalescing.md",
		"//etc/passwd"} {
		code, _ := get(path, "")
		assert.NotEqual(t, http.StatusOK, code, path)
	}
	code, _ = get("/", "elsewhere.example")
	assert.Equal(t, http.StatusForbidden, code, "another name for this address")

	post := func(origin, body string) int {
		q, err := http.NewRequest(http.MethodPost, s.URL+"/engine/run", strings.NewReader(body))
		require.NoError(t, err)
		q.Header.Set("Origin", origin)
		r, err := s.Client().Do(q)
		require.NoError(t, err)
		defer r.Body.Close()
		return r.StatusCode
	}
	assert.Equal(t, http.StatusForbidden, post("http://elsewhere.example", "{}"))
	assert.Equal(t, http.StatusForbidden, post("", "{}"))
	assert.Equal(t, http.StatusBadRequest, post(s.URL, "{"))
	assert.Equal(t, http.StatusRequestEntityTooLarge, post(s.URL, `{"run": "`+strings.Repeat("x", 5<<20)+`"}`))
	assert.Equal(t, http.StatusOK, post(s.URL, `{"run": "x.ptx"}`))
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
		request, err := http.NewRequest(http.MethodPost, s.URL+"/engine/run", strings.NewReader(string(text)))
		require.NoError(t, err)
		request.Header.Set("Origin", s.URL)
		answer, err := s.Client().Do(request)
		require.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(body, &r), string(body))
		return r
	}
	r := run(cell.Request(cell.PTX))
	assert.Empty(t, r.Error)
	assert.True(t, r.Passed)
	assert.Contains(t, r.Text, "Why warps did not issue")

	r = run(cell.Request(".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k() {\n  frobnicate;\n}\n"))
	assert.Contains(t, r.Error, "frobnicate")
	assert.Equal(t, 5, r.Line)
	assert.Equal(t, "kernel.ptx", r.File)

	q := cell.Request(cell.PTX)
	q.Files["../kernel.ptx"] = "x"
	assert.Contains(t, run(q).Error, "is no name of a file")
}
