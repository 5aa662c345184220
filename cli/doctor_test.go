package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/toolchain"
)

// Machines with everything, nothing, and half of it. KEPLERSIM_UPDATE=1 writes testdata/doctor anew.
func TestDoctor(t *testing.T) {
	t.Parallel()
	build := version.Build{Version: "1.2.3", Commit: "0123456789ab", Date: "2026-11-23", Schema: 1, Go: "go1.26.8", OS: "linux",
		Arch: "amd64"}
	paths := func(known ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, k := range known {
				if k == name {
					return "/usr/bin/" + name, nil
				}
			}
			return "", errors.New("not found")
		}
	}
	cache := func() (string, error) { return "/home/ada/.cache/keplersim", nil }
	for name, m := range map[string]*machine{
		"full": {build: build, lookPath: paths("ld", "ar", "xdg-open", "sbatch", "apt-get"), runsCode: true, threads: 8, processors: 8,
			clang: func(context.Context) (toolchain.Clang, error) {
				return toolchain.Clang{Path: "/usr/bin/clang-19", Version: 19, Library: true}, nil
			},
			memory: func() (uint64, uint64) { return 32e9, 20e9 }, cache: cache,
			folder: func(path string) (folderState, error) {
				return folderState{Path: path, Owner: "ada", Ours: true, Writable: true, Free: 50e9}, nil
			}},
		"bare": {build: build, lookPath: paths(), threads: 1, processors: 1,
			clang:  func(context.Context) (toolchain.Clang, error) { return toolchain.Clang{}, toolchain.ErrNoClang },
			memory: func() (uint64, uint64) { return 0, 0 },
			cache:  func() (string, error) { return "", errors.New("neither $XDG_CACHE_HOME nor $HOME are defined") }},
		"half": {build: build, lookPath: paths("ld", "apt-get"), threads: 2, processors: 8,
			clang: func(context.Context) (toolchain.Clang, error) {
				return toolchain.Clang{Path: "/usr/bin/clang", Version: 14}, nil
			},
			memory: func() (uint64, uint64) { return 2e9, 500e6 }, cache: cache,
			folder: func(string) (folderState, error) {
				return folderState{Path: "/home/ada", Owner: "root", Writable: true, Free: 1e9}, nil
			}},
	} {
		var text, object bytes.Buffer
		for out, args := range map[*bytes.Buffer][]string{&text: {}, &object: {"--format", "json"}} {
			command := doctorCommand(func() *machine { return m })
			command.SetArgs(args)
			command.SetOut(out)
			require.NoError(t, command.ExecuteContext(context.Background()))
		}
		file := "testdata/doctor/" + name + ".txt"
		if os.Getenv("KEPLERSIM_UPDATE") != "" {
			require.NoError(t, os.WriteFile(file, text.Bytes(), 0o644))
		}
		golden, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(golden), text.String())
		var d diagnosis
		require.NoError(t, json.Unmarshal(object.Bytes(), &d))
		assert.Equal(t, build, d.Build)
		assert.Len(t, d.Findings, len(doctorChecks))
		for _, f := range d.Findings {
			assert.NotEmpty(t, f.Found, f.Name)
			assert.NotEmpty(t, f.Purpose, f.Name)
			assert.Equal(t, f.State == stateOK, f.Advice == "", f.Name)
		}
	}
}

// The doctor succeeds on this machine, whatever it has.
func TestDoctorHere(t *testing.T) {
	code, out, errOut := keplersim(t, "doctor")
	assert.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `(?m)^(ok|limited|missing) +clang `, out)
	code, _, errOut = keplersim(t, "doctor", "--format", "xml")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "choose one of text, json")
}

// Folders of this machine: one of ours, and one that other users may write to.
func TestStateOfFolders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	m := thisMachine()
	state, err := m.folder(folder + "/not/yet")
	require.NoError(t, err)
	assert.Equal(t, folder, state.Path)
	assert.True(t, state.Writable)
	assert.False(t, state.Open)
	if state.Owner != "" {
		assert.True(t, state.Ours)
		assert.Positive(t, state.Free)
		require.NoError(t, os.Chmod(folder, 0o777))
		state, err = m.folder(folder)
		require.NoError(t, err)
		assert.True(t, state.Open)
	}
}
