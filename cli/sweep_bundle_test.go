package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/study/bundle"
)

// bundleStudy makes a study of a CUDA C kernel with a header in another folder, a workload with data, and a configuration of its own.
func bundleStudy(t *testing.T, folder string) string {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	add := mustRead(t, filepath.Join(here, "testdata", "add.ptx"))
	for name, text := range map[string]string{
		"studies/s.yaml": "run: [../kernels/w.yaml]\nboards: [own.yaml, k40]\nvary:\n  l2.latency: [100, 200]\n  smx.count: [1, 99]\n" +
			"metrics: [cycles, ipc]\n",
		"kernels/add.ptx": add, "data/x.bin": strings.Repeat("\x00", 256),
		"kernels/w.yaml": "module: add.ptx\nbuffers: {x: {type: f32, count: 64, init: {file: ../data/x.bin}}}\nsteps:\n" +
			"  - launch: {kernel: add, grid: [1], block: [32], args: [x, x, {u32: 0}, {f32: 1}]}\n",
		"own.yaml": "extends: base.yaml\n", "base.yaml": "extends: gk110\nl2:\n  latency: 150\n",
	} {
		name = filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	return "studies/s.yaml"
}

// A bundle has everything that the study reads. Where the study is missing, it replays with equal rows, including those that fail. Changes
// in the table, and different results of another keplersim, are reported row by row.
func TestBundlesReplay(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	study := bundleStudy(t, folder)
	t.Chdir(folder)
	file := filepath.Join(elsewhere, "b.tar.gz")
	code, table, errOut := keplersim(t, "sweep", study, "--store", "results", "--bundle", file)
	assert.Equal(t, exitFailed, code, "99 SMXs are too many")
	assert.Contains(t, errOut, "4 of 8 points are not ok")
	require.FileExists(t, file)

	t.Chdir(elsewhere)
	require.NoError(t, os.RemoveAll(folder))
	code, out, errOut := keplersim(t, "sweep", "--replay", file, "-o", "again.csv")
	require.Equal(t, exitRan, code, out+errOut)
	assert.Contains(t, out, "8 of 8 rows are equal")
	assert.Equal(t, strings.Count(table, ",ok,"), strings.Count(mustRead(t, "again.csv"), ",ok,"))

	room := t.TempDir()
	m, err := bundle.Unpack(file, room)
	require.NoError(t, err)
	var members []bundle.Member
	for _, f := range m.Files {
		text := mustRead(t, filepath.Join(room, f.Name))
		switch f.Name {
		case bundle.TableName:
			lines := strings.Split(text, "\n")
			cells := strings.Split(lines[1], ",")
			cells[6] = "5" + cells[6]
			lines[1] = strings.Join(cells, ",")
			text = strings.Join(lines, "\n")
		case m.Boards[1].Values:
			text = strings.Replace(text, "count: 15", "count: 14", 1)
		}
		members = append(members, bundle.Member{Name: f.Name, Data: []byte(text)})
	}
	m.Machine.Processor = "a\x1b[2Jb"
	changed, err := os.Create("changed.tar.gz")
	require.NoError(t, err)
	require.NoError(t, bundle.Write(changed, m, members))
	require.NoError(t, changed.Close())
	code, out, errOut = keplersim(t, "sweep", "--replay", "changed.tar.gz")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "board k40: smx.count was 14 and is 15\n")
	assert.Regexp(t, `row 1, w on own.yaml l2.latency=100 smx.count=1: cycles was "5\d+" and is "\d+" \(-\d+ %\)\n`, out)
	assert.Contains(t, out, "7 of 8 rows are equal\n")
	assert.NotContains(t, out, "\x1b")
	assert.Contains(t, errOut, "1 of 8 rows differ from the bundle's table")
}

func TestMistakesWithBundles(t *testing.T) {
	folder := t.TempDir()
	study := bundleStudy(t, folder)
	t.Chdir(folder)
	require.NoError(t, os.WriteFile("no.tar.gz", []byte("no"), 0o600))
	whole := strings.ReplaceAll(mustRead(t, "kernels/w.yaml"), "../data", filepath.Join(folder, "data"))
	require.NoError(t, os.WriteFile("kernels/whole.yaml", []byte(whole), 0o600))
	require.NoError(t, os.WriteFile("whole.yaml", []byte("run: [kernels/whole.yaml]\n"), 0o600))
	for line, want := range map[string]string{
		"sweep --replay no.tar.gz":                           "no.tar.gz is not a whole bundle: it is no archive packed with gzip",
		"sweep --replay none.tar.gz":                         "none.tar.gz: no such file",
		"sweep s.yaml --replay no.tar.gz":                    "sweep takes one study, or --replay and no study",
		"sweep " + study + " --bundle b --list":              "--bundle takes a whole table",
		"sweep " + study + " --bundle b --shard 1/2":         "--bundle takes a whole table",
		"sweep " + study + " --source .":                     "--source goes with --bundle",
		"sweep " + study + " --build .":                      "--build goes with --replay",
		"sweep --replay no.tar.gz --slurm":                   "leave out --bundle, --shard, --list and --slurm",
		"sweep " + study + " --bundle kernels/add.ptx":       "would overwrite the input",
		"sweep " + study + " --bundle b -o b":                "write the same file",
		"sweep whole.yaml --bundle b.tar.gz --store results": fmt.Sprintf("whole.yaml names %s/data/x.bin by its whole path", folder),
	} {
		code, _, errOut := keplersim(t, strings.Fields(line)...)
		assert.Equal(t, exitBadInput, code, line)
		assert.Contains(t, errOut, want, line)
	}
}

// A stranger's bundle, with workloads or board configurations, names no file of this machine.
func TestABundleNamesNoFilesOutside(t *testing.T) {
	folder := t.TempDir()
	study := bundleStudy(t, folder)
	t.Chdir(folder)
	code, _, errOut := keplersim(t, "sweep", study, "--store", "results", "--bundle", "b.tar.gz")
	require.Equal(t, exitFailed, code, errOut)
	for file, change := range map[string][2]string{
		"inputs/kernels/w.yaml": {"../data/x.bin", filepath.Join(folder, "data", "x.bin")},
		"inputs/own.yaml":       {"base.yaml", filepath.Join(folder, "base.yaml")},
	} {
		room := t.TempDir()
		m, err := bundle.Unpack("b.tar.gz", room)
		require.NoError(t, err)
		var members []bundle.Member
		for _, f := range m.Files {
			text := mustRead(t, filepath.Join(room, f.Name))
			if f.Name == file {
				text = strings.ReplaceAll(text, change[0], change[1])
			}
			members = append(members, bundle.Member{Name: f.Name, Data: []byte(text)})
		}
		hostile, err := os.Create("hostile.tar.gz")
		require.NoError(t, err)
		require.NoError(t, bundle.Write(hostile, m, members))
		require.NoError(t, hostile.Close())
		code, _, errOut := keplersim(t, "sweep", "--replay", "hostile.tar.gz")
		assert.Equal(t, exitBadInput, code)
		assert.Contains(t, errOut, "which is not in the bundle", file)
	}
}
