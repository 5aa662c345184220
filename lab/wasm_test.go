package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/testkit/need"
)

// inBrowser are the workloads that are always compared; KEPLERSIM_BROWSER=all compares all, which takes minutes.
var inBrowser = []string{"saxpy", "scan", "reduction-shared", "transpose"}

// browsersEngine builds the browser's engine as make site does, and finds its loader.
func browsersEngine(t *testing.T) (program, loader string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "engine.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "../cmd/lab-engine")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return program, filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js")
}

// The browser's engine counts the same as the native one: the reports are equal except for the host's figures.
func TestBrowsersEngineCountsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	node := need.Node(t)
	program, loader := browsersEngine(t)
	names := inBrowser
	if everyLesson() {
		all, err := filepath.Glob("../workloads/*/*.yaml")
		require.NoError(t, err)
		names = nil
		for _, name := range all {
			names = append(names, filepath.Base(filepath.Dir(name)))
		}
	}
	var requests bytes.Buffer
	var want []*engine.Response
	for _, name := range names {
		q := workload(t, name)
		text, err := json.Marshal(q)
		require.NoError(t, err)
		requests.Write(append(text, '\n'))
		r, err := engine.Run(context.Background(), q, engine.Limits{})
		require.NoError(t, err)
		want = append(want, r)
	}
	run := exec.Command(node, "testdata/run.js", program, loader, "web/files.js")
	run.Stdin, run.Stderr = &requests, os.Stderr
	answers, err := run.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(answers)), "\n")
	require.Len(t, lines, len(names))
	for i, name := range names {
		var got engine.Response
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &got))
		if !assert.Empty(t, got.Error, name) {
			continue
		}
		assert.True(t, got.Passed, name)
		assert.JSONEq(t, withoutHost(t, want[i].Report), withoutHost(t, got.Report), name)
	}
}

// fromOther matches a file in another workload's folder, as named in a workload file.
var fromOther = regexp.MustCompile(`\.\./[a-z-]+/`)

// workload returns the run of a workload of the repository, with its own files and those of other workloads in one folder.
func workload(t *testing.T, name string) *engine.Request {
	t.Helper()
	q := &engine.Request{Files: map[string]string{}, Data: map[string][]byte{}, Run: name + ".yaml"}
	read := func(folder string) {
		found, err := filepath.Glob(filepath.Join("../workloads", folder, "*.*"))
		require.NoError(t, err)
		for _, file := range found {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			if filepath.Ext(file) == ".bin" {
				q.Data[filepath.Base(file)] = data
			} else {
				q.Files[filepath.Base(file)] = string(data)
			}
		}
	}
	read(name)
	for _, other := range fromOther.FindAllString(q.Files[q.Run], -1) {
		read(other[len("../"):])
	}
	q.Files[q.Run] = fromOther.ReplaceAllString(q.Files[q.Run], "")
	return q
}

// withoutHost returns a report without the host's figures.
func withoutHost(t *testing.T, report []byte) string {
	t.Helper()
	var all map[string]any
	require.NoError(t, json.Unmarshal(report, &all))
	delete(all, "wall_clock")
	delete(all, "keplersim") // the commits of both builds
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}
