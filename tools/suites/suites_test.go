package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSettingsAreWhole(t *testing.T) {
	all, err := readSettings()
	require.NoError(t, err)
	for _, s := range all.Programs {
		assert.NotEmpty(t, s.Program)
		assert.NotPanics(t, func() { settingsOf("no such program") }, s.Program)
	}
	assert.Equal(t, []string{"-Xcompiler", "-fopenmp"}, settingsOf("Samples/0_Introduction/cudaOpenMP/cudaOpenMP.cu").Flags)
}

// A program counts according to its output and exit code.
func TestProgramsAreTriedAsTheirFolderSays(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700))
	}
	write("Makefile", "# nvcc\nall:\n\tcp `which true` program\nrun:\n\tsh -c '$(RUN)'\n")
	for _, c := range []struct{ run, word, cause string }{
		{"echo PASSED", "passed", ""},
		{"echo Test waived; exit 2", "not eligible", "waives itself"},
		{"while :; do :; done", "built", "takes too long"},
		{"echo keplersim: the simulator is gone; exit 1", "built", "takes too long"},
		{"echo error: no such thing; exit 1", "built", "error: no such thing"},
	} {
		require.NoError(t, os.RemoveAll(filepath.Join(folder, "program")))
		o := options{limit: time.Second}
		r := o.try(context.Background(), program{name: "p", folder: folder, make: true, settings: settings{Make: []string{"RUN=" + c.run}}})
		assert.Regexp(t, "^"+c.word+" ", r.String())
		assert.Contains(t, r.cause, c.cause)
	}
}

// ARCH is an architecture in some Makefiles and flags in others, which keep their value.
func TestVariablesOfAMakefile(t *testing.T) {
	for text, given := range map[string]bool{
		"ARCH = sm_80\n": true, "ARCH ?= -arch=sm_80\n": false, "ARCH:=-gencode=arch=compute_80\n": false,
	} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "Makefile"), []byte(text), 0o600))
		assert.Equal(t, given, slices.Contains((&options{}).variables(folder), "ARCH=sm_35"), text)
	}
}

// A Makefile that names the toolkit's usual folder gets ours.
func TestMakefilesFindTheToolkit(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"Makefile": "NVCC = /usr/local/cuda-10.2/bin/nvcc\nL = -L/usr/local/cuda/lib64 -I/usr/local/cudart\n", "notes": "/usr/local/cuda",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	require.NoError(t, (&options{toolkit: "/kit"}).install(folder))
	text, err := os.ReadFile(filepath.Join(folder, "Makefile"))
	require.NoError(t, err)
	assert.Equal(t, "NVCC = /kit/bin/nvcc\nL = -L/kit/lib64 -I/usr/local/cudart\n", string(text))
	text, err = os.ReadFile(filepath.Join(folder, "notes"))
	require.NoError(t, err)
	assert.Equal(t, "/usr/local/cuda", string(text))
}

// The summary gives the median and the largest cost of checks.
func TestCosts(t *testing.T) {
	var all tally
	for _, under := range []time.Duration{9, 2, 3, 0} {
		r := result{program: "p", tried: true, ran: true, plain: time.Second, under: under * time.Second}
		all.add(r)
		assert.Equal(t, under > 0, strings.Contains(r.String(), "times"), r.String())
	}
	assert.Contains(t, all.String(), "all checks take 3.0 times as long in the median of 3 programs, 9.0 at worst")
}

// What a checkout's author has built goes first: programs and objects, and no library.
func TestWhatIsBuilt(t *testing.T) {
	folder := t.TempDir()
	for name, mode := range map[string]os.FileMode{"a": 0o700, "a.o": 0o600, "liba.so": 0o700, "data": 0o600} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("\x7fELF"), mode))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "script"), []byte("#!/bin/sh"), 0o700))
	assert.Equal(t, []string{filepath.Join(folder, "a"), filepath.Join(folder, "a.o"), filepath.Join(folder, "data")}, builtIn(folder))
	assert.Equal(t, []string{filepath.Join(folder, "a")}, programsIn(folder))
}

// The lists of programs that had not been looked at are whole: each row has outcomes and a cause, and docs/programs.md has their sums.
func TestUnseenProgramsAreCounted(t *testing.T) {
	lists, err := filepath.Glob("fresh*.tsv")
	require.NoError(t, err)
	seen := map[string]bool{}
	var eligible, first, mended int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			require.Len(t, row, 6, line)
			key, outcome := row[0]+" "+row[2], row[3]+" "+row[4]
			require.False(t, seen[key], key)
			seen[key] = true
			require.Contains(t, []string{" ", "passed passed", "failed passed", "failed failed", "own mistake own mistake"}, outcome, line)
			require.True(t, outcome == "passed passed" || row[5] != "", "a cause: %s", line)
			if row[4] == "passed" || row[4] == "failed" {
				eligible++
			}
			if row[3] == "passed" {
				first++
			}
			if row[4] == "passed" {
				mended++
			}
		}
	}
	page, err := os.ReadFile("../../docs/programs.md")
	require.NoError(t, err)
	assert.Contains(t, string(page),
		fmt.Sprintf("a K20 could run %d; %d passed at once, %d after mending", eligible, first, mended))
}
