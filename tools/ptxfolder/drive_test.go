//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The driver processes a folder of ours, counts outcomes, and finds no broken promise.
func TestFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds keplersim and waits for kernels without end")
	}
	binary := filepath.Join(t.TempDir(), "keplersim")
	out, err := exec.Command("go", "build", "-o", binary, "../../cmd/keplersim").CombinedOutput()
	require.NoError(t, err, "%s", out)
	files, err := find([]string{"../../cli/testdata"})
	require.NoError(t, err)
	require.Greater(t, len(files), 10)
	d := &driver{binary: binary, kernels: 2, limits: promised}
	tally := d.all(files, 2)
	assert.Empty(t, tally.broken)
	assert.Equal(t, len(files), tally.files)
	assert.Equal(t, 1, tally.codes["inspect"][2], "unknown-opcode.ptx")
	assert.Positive(t, tally.codes["run"][1], "endless.ptx")
	var text bytes.Buffer
	tally.write(&text)
	assert.Contains(t, text.String(), "inspect  unknown opcode `…`: did you mean `…`?")
	assert.Contains(t, text.String(), "0 promises broken\n")
}

// Broken promises are reported. The stand-ins for keplersim sleep, crash, and return unexpected exit codes.
func TestBrokenPromises(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "k.ptx")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	for script, c := range map[string]struct {
		wall time.Duration
		want string
	}{
		"exec sleep 60":                        {300 * time.Millisecond, "ran longer than 300ms"},
		"echo 'panic: index out of range' >&2": {time.Minute, "panicked"},
		"exit 3":                               {time.Minute, "exit code 3"},
		"echo 'keplersim: k.ptx:1: wrong' >&2; exit 1": {time.Minute, "exit code 1"},
		"exit 2": {time.Minute, ""},
	} {
		binary := filepath.Join(folder, "stand-in")
		require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		d := &driver{binary: binary, limits: limits{wall: c.wall, processor: time.Minute, memory: 1 << 30}}
		o, _ := d.command("inspect", path)
		assert.Equal(t, c.want, o.broken, script)
	}
	d := &driver{binary: "/bin/true", limits: limits{wall: time.Minute, processor: time.Minute, memory: 1}}
	o, _ := d.command("inspect", path)
	assert.Equal(t, "took more than 0 MB of memory", o.broken)
	d.limits.processor = -1
	o, _ = d.command("inspect", path)
	assert.Equal(t, "took 0s of the processor", o.broken)
}

func TestGeneral(t *testing.T) {
	for message, want := range map[string]string{
		"a/b.ptx:19:38: expected `;` at the end, found `22136U`":              "expected `…` at the end, found `…`",
		"x.ptx:3: `fma.rn.f16` needs later hardware: introduced with sm_53":   "`fma.…` needs later hardware: introduced with sm_53",
		"launch of void f<true>(float*): 4-byte load at global address 0x100": "launch of …: N-byte load at global address N",
		"x.ptx:1:2: kernel k reads a texture or surface, which a file must bind": "kernel … reads a texture or surface, which a file " +
			"must bind",
	} {
		assert.Equal(t, want, general(message))
	}
}
