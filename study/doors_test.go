package study

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A study's name is a valid folder name, and stays on its line in a script.
func TestNamesOfStudies(t *testing.T) {
	t.Parallel()
	const rest = "\nrun: [/dev/null]\nmetrics: [cycles]\n"
	for name, want := range map[string]string{
		`"x\ntouch PWNED\n#"`: `s.yaml:2:7: name: the study's name holds a control character: "x\ntouch PWNED\n#"`,
		`"a\e[2J"`:            "holds a control character",
		`../../x`:             `s.yaml:2:7: name: the study's name is "../../x", and not one name of a folder`,
		`/etc`:                "not one name of a folder",
		`".."`:                "not one name of a folder",
		`'a\b'`:               "not one name of a folder",
		`my study`:            "",
		`größe-1.2`:           "",
	} {
		_, err := Parse("s.yaml", []byte("# \nname: "+name+rest))
		if want == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, want, name)
		}
	}
	_, err := Parse("x\ntouch PWNED.yaml", []byte("run: [/dev/null]\n"))
	assert.ErrorContains(t, err, "the file's name is the study's, which holds a control character")
}

// No text in a script leaves its line or its word: a shell runs the command with exactly those words.
func TestAScriptSaysWhatItIsGiven(t *testing.T) {
	t.Parallel()
	whole := Array{Name: "n", Program: "/bin/k", Study: "/s.yaml", Folder: "/f", Tasks: 2, Jobs: 1}
	for what, change := range map[string]func(a *Array, text string){
		"name": func(a *Array, s string) { a.Name = s }, "program": func(a *Array, s string) { a.Program = s },
		"study": func(a *Array, s string) { a.Study = s }, "folder": func(a *Array, s string) { a.Folder = s },
		"from": func(a *Array, s string) { a.From = []string{s} }, "option": func(a *Array, s string) { a.Options = []string{s} },
	} {
		for _, text := range []string{"x\ntouch PWNED\n#", "x\rtouch PWNED", "x\x00"} {
			a := whole
			change(&a, text)
			_, err := a.Script([]int{1})
			assert.ErrorContains(t, err, "no place in a script", what)
		}
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	folder := t.TempDir()
	const odd = `a b$(touch PWNED)'"\;|&` + "`touch PWNED`#%a"
	program := filepath.Join(folder, "k "+odd)
	require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o700))
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done\n"), 0o700))
	a := Array{Name: odd, Program: program, Study: "/" + odd, Folder: "/f" + odd, Tasks: 2, Jobs: 1, From: []string{odd}}
	script, err := a.Script([]int{1, 2})
	require.NoError(t, err)
	assert.Contains(t, script, "#SBATCH --job-name=keplersim-a-b--touch-PWNED")
	assert.Contains(t, script, `#SBATCH --output="/fa b$(touch PWNED)'\"\\;|&`+"`touch PWNED`#%%a/task-%a.log\"\n")
	shell := exec.Command("sh", "-c", script)
	shell.Dir, shell.Env = folder, append(os.Environ(), "SLURM_ARRAY_TASK_ID=2")
	out, err := shell.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "<sweep></"+odd+"><--shard><2/2><--jobs><1><--store></f"+odd+"/results-2><--output></f"+odd+"/part-2.csv><--from><"+
		odd+">", string(out))
	assert.NoFileExists(t, filepath.Join(folder, "PWNED"))
}

// Patterns find files, but do not walk the disk.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for i := range 3 {
		sub := filepath.Join(folder, "k", fmt.Sprint(i))
		require.NoError(t, os.MkdirAll(sub, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(sub, "a.yaml"), nil, 0o600))
	}
	load := func(pattern string) ([]string, error) {
		s, err := Parse(filepath.Join(folder, "k", "s.yaml"), fmt.Appendf(nil, "run: [%q]\n", pattern))
		if err != nil {
			return nil, err
		}
		var names []string
		for _, f := range s.Files {
			names = append(names, strings.TrimPrefix(f, folder))
		}
		return names, nil
	}
	for _, pattern := range []string{"*/*.yaml", "../k/*/*.yaml", "?/a.*", "[0-2]/a.yaml", filepath.Join(folder, "k/*/a.yaml")} {
		names, err := load(pattern)
		require.NoError(t, err, pattern)
		assert.Equal(t, []string{"/k/0/a.yaml", "/k/1/a.yaml", "/k/2/a.yaml"}, names, pattern)
	}
	names, err := load("1/a.yaml")
	require.NoError(t, err)
	assert.Equal(t, []string{"/k/1/a.yaml"}, names)
	for pattern, want := range map[string]string{
		"../../**/**/*.yaml": "** does not go into folders of folders", "*/none.yaml": "there is no file", "[": "syntax error in pattern",
		"none/*": "there is no file",
	} {
		_, err := load(pattern)
		assert.ErrorContains(t, err, want, pattern)
	}
	wide := filepath.Join(folder, "wide")
	for i := range 200 {
		require.NoError(t, os.MkdirAll(filepath.Join(wide, fmt.Sprint(i)), 0o700))
		for j := range 2 {
			require.NoError(t, os.Symlink("..", filepath.Join(wide, fmt.Sprint(i), fmt.Sprint(j))))
		}
	}
	began := time.Now()
	_, err = load("../wide/*/*/*/*/*/*.yaml")
	assert.ErrorContains(t, err, "the patterns go through more than 20000 files and folders")
	assert.Less(t, time.Since(began), 10*time.Second)
}
