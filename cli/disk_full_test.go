//go:build linux

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// smallDisk mounts a file system of a size in bytes. It returns the folder and a function that changes the size. It needs root.
func smallDisk(t *testing.T, bytes int) (folder string, resize func(bytes int)) {
	t.Helper()
	folder = t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprint("size=", bytes)); err != nil {
		t.Skip("no file system can be mounted here: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
	return folder, func(bytes int) {
		require.NoError(t, unix.Mount("tmpfs", folder, "tmpfs", unix.MS_REMOUNT, fmt.Sprint("size=", bytes)))
	}
}

// A study ends with an error when its store's disk fills up. The results so far stay, and with more room the same command continues to the
// table of an uninterrupted run.
func TestAStudyOnAFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a study twice")
	}
	disk, resize := smallDisk(t, 128<<10)
	workload, err := filepath.Abs("../workloads/mps/mps.yaml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("s.yaml", fmt.Appendf(nil, `run: [%s]
boards: [gk104]
vary:
  l2.latency: {from: 100, to: 124, step: 1}
metrics: [cycles, ipc]
`, workload), 0o600))
	store := filepath.Join(disk, "results")
	sweep := func(store, out string) (int, string) {
		code, _, errOut := keplersim(t, "sweep", "s.yaml", "--jobs", "1", "--store", store, "-o", out)
		return code, errOut
	}
	code, errOut := sweep(store, "table.csv")
	assert.Equal(t, exitFailed, code)
	assert.Regexp(t, `stopped after \d+ of 25 points; the same command goes on from here: cannot keep a result in `+store+
		`: no space left on device`, errOut)
	assert.NoFileExists(t, "table.csv")
	kept, err := filepath.Glob(filepath.Join(store, "*", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	parts, err := filepath.Glob(filepath.Join(store, "*", "part-*"))
	require.NoError(t, err)
	assert.Empty(t, parts, "nothing unfinished stays")

	resize(4 << 20)
	code, errOut = sweep(store, "table.csv")
	require.Equal(t, exitRan, code, errOut)
	for _, file := range kept {
		assert.FileExists(t, file)
	}
	code, errOut = sweep(filepath.Join(t.TempDir(), "other"), "undisturbed.csv")
	require.Equal(t, exitRan, code, errOut)
	assert.Equal(t, mustRead(t, "undisturbed.csv"), mustRead(t, "table.csv"))

	// If the disk is full when the table is written, an earlier table stays as it was, and the results are in the store.
	table := filepath.Join(disk, "table.csv")
	require.NoError(t, os.WriteFile(table, []byte("earlier"), 0o600))
	fillDisk(t, disk)
	code, errOut = sweep(store, table)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "write "+table+": no space left on device")
	assert.Equal(t, "earlier", mustRead(t, table))
}

// fillDisk leaves no room on a disk.
func fillDisk(t *testing.T, disk string) {
	t.Helper()
	file, err := os.Create(filepath.Join(disk, "fill"))
	require.NoError(t, err)
	for page := make([]byte, 4096); err == nil; {
		_, err = file.Write(page)
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, file.Close())
}

// A run that cannot write a file to a full disk says which. It leaves an earlier file and no unfinished one. It still prints the report,
// because the run may have been long.
func TestARunOnAFullDisk(t *testing.T) {
	disk, _ := smallDisk(t, 64<<10)
	workload, err := filepath.Abs("../workloads/mps/mps.yaml")
	require.NoError(t, err)
	fillDisk(t, disk)
	before, err := os.ReadDir(disk)
	require.NoError(t, err)
	for _, flag := range []string{"--output", "--dump", "--save-to", "--record", "--trace", "--report", "--pprof"} {
		file := filepath.Join(disk, "x.svg")
		args := []string{"run", workload, flag, file}
		switch flag {
		case "--dump":
			args[3] = "data=" + file
		case "--save-to":
			args = append(args, "--save-at", "1000")
		}
		code, out, errOut := keplersim(t, args...)
		assert.Equal(t, exitFailed, code, flag)
		assert.Contains(t, errOut, "write "+file+": no space left on device", flag)
		assert.Contains(t, out, "chain", "the report, with %s", flag)
		after, err := os.ReadDir(disk)
		require.NoError(t, err)
		assert.Len(t, after, len(before), flag)
	}
}
