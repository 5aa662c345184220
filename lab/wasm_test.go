package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab/engine"
)

// inBrowser are the workloads that every test run compares; KEPLERSIM_BROWSER=all compares all of them, which takes minutes.
var inBrowser = []string{"saxpy", "scan", "reduction-shared", "transpose"}

// The engine of the browser counts what the native one counts: the reports are the same but for what the host took.
func TestBrowsersEngineCountsTheSame(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || testing.Short() {
		t.Skip("needs node, and half a minute")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "engine.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "../cmd/lab-engine")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)

	names := inBrowser
	if os.Getenv("KEPLERSIM_BROWSER") == "all" {
		all, err := filepath.Glob("../workloads/*/*.yaml")
		require.NoError(t, err)
		names = nil
		for _, name := range all {
			if folder := filepath.Base(filepath.Dir(name)); folder != "multi-gpu" { // which needs a board of two
				names = append(names, folder)
			}
		}
	}
	var requests bytes.Buffer
	var want []*engine.Response
	var ran []string
workloads:
	for _, name := range names {
		q := &engine.Request{Files: map[string]string{}, Run: name + ".yaml"}
		found, err := filepath.Glob(filepath.Join("../workloads", name, "*.*"))
		require.NoError(t, err)
		for _, file := range found {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if !utf8.Valid(text) {
				continue workloads // a request's files are texts
			}
			q.Files[filepath.Base(file)] = string(text)
		}
		text, err := json.Marshal(q)
		require.NoError(t, err)
		requests.Write(append(text, '\n'))
		r, err := engine.Run(context.Background(), q, engine.Limits{})
		require.NoError(t, err)
		want, ran = append(want, r), append(ran, name)
	}
	run := exec.Command(node, "testdata/run.js", program, filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"),
		"web/files.js")
	run.Stdin, run.Stderr = &requests, os.Stderr
	answers, err := run.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(answers)), "\n")
	require.Len(t, lines, len(ran))
	for i, name := range ran {
		var got engine.Response
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &got))
		require.Empty(t, got.Error, name)
		assert.True(t, got.Passed, name)
		assert.JSONEq(t, withoutHost(t, want[i].Report), withoutHost(t, got.Report), name)
	}
}

// withoutHost is a report without what differs from host to host.
func withoutHost(t *testing.T, report []byte) string {
	t.Helper()
	var all map[string]any
	require.NoError(t, json.Unmarshal(report, &all))
	delete(all, "wall_clock")
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}
