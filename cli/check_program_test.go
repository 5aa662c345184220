package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alone runs a program directly, with flags in the environment.
func (p project) alone(flags, name string, arguments ...string) (code int, out, errOut string) {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(p.t.Context(), name, arguments...)
	command.Dir, command.Stdout, command.Stderr = p.folder, &stdout, &stderr
	command.Env = append(os.Environ(), "KEPLERSIM="+p.binary, programFlags+"="+flags)
	if err := command.Run(); err != nil {
		require.ErrorAs(p.t, err, new(*exec.ExitError))
	}
	return command.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// Findings in a program that the user started go to standard error, and the program fails; its own exit code, if not 0, stays.
func TestFindingsOfAProgramStartedByItself(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	p := openProject(t, "findings")
	p.run(p.binary, "nvcc", "-o", "past", "past.cu")
	const found = "==keplersim== increment(int*, int): access outside every allocation: 4 bytes at global"
	const said = "keplersim: the checks found 1 mistake\n"

	code, out, errOut := p.alone("--check", "./past")
	assert.Equal(t, 1, code)
	assert.Equal(t, "ok\nleft\n", out, "the program's own output, and its handlers run")
	assert.Equal(t, 1, strings.Count(errOut, found), errOut)
	assert.True(t, strings.HasSuffix(errOut, said), errOut)
	for _, c := range []struct {
		flags, argument string
		code            int
	}{
		{"--check", "5", 5},
		{"--check --check-exit-code 9", "0", 9},
		{"--check -o report.txt", "0", 1},
		{"--check --format json -o -", "0", 1},
	} {
		code, _, errOut = p.alone(c.flags, "./past", c.argument)
		assert.Equal(t, c.code, code, c.flags)
		assert.Equal(t, 1, strings.Count(errOut, found), c.flags+errOut)
		assert.Contains(t, errOut, said)
	}
	code, _, errOut = p.alone("--check=races", "./past")
	assert.Equal(t, 0, code)
	assert.NotContains(t, errOut, found)
	assert.NotContains(t, errOut, said)

	for _, flags := range []string{"--functional -o -", "--functional -o /dev/stderr"} {
		code, out, errOut = p.alone(flags, "./past")
		assert.Equal(t, 0, code)
		assert.Equal(t, "ok\nleft\n", out)
		assert.Contains(t, errOut, "==keplersim== whole program on gk110", flags)
		assert.Contains(t, errOut, "increment(int*, int)")
	}
	code, _, errOut = p.alone("--chekc", "./past")
	assert.NotZero(t, code, "nothing ran: the program cannot have succeeded, though it looks at no error")
	assert.Contains(t, errOut, "did you mean --check?")

	code, _, _ = keplersim(t, "run", "--check", filepath.Join(p.folder, "past"))
	assert.Equal(t, 1, code)
	code, _, errOut = keplersim(t, "run", "--check", filepath.Join(p.folder, "past"), "--", "5")
	assert.Equal(t, 5, code, "a program's own failure is told by its own code")
	assert.Contains(t, errOut, said)

	// compute-sanitizer takes an exit code for runs with errors.
	toolkit := strings.TrimSpace(p.run(p.binary, "toolkit"))
	for _, arguments := range [][]string{{"--error-exitcode", "3", "./past"}, {"--error-exitcode=3", "./past", "0"}} {
		code, _, errOut = p.alone("", filepath.Join(toolkit, "bin", "compute-sanitizer"), arguments...)
		assert.Equal(t, 3, code, errOut)
	}
}

// SARIF is valid under OASIS's schema. Each result has a place, and no field is unknown to the schema.
func TestSARIFIsValid(t *testing.T) {
	for _, args := range []string{racy, "testdata/races.ptx --kernel reverse --grid 1 --block 64 --arg u32[64]:ramp --arg 0"} {
		_, out, _ := keplersim(t, append([]string{"run", "--check", "--format", "sarif"}, strings.Fields(args)...)...)
		known := json.NewDecoder(strings.NewReader(out))
		known.DisallowUnknownFields()
		require.NoError(t, known.Decode(new(sarif.Report)))
		log, err := sarif.FromBytes([]byte(out))
		require.NoError(t, err)
		require.Len(t, log.Runs, 1)
		run := log.Runs[0] // the library writes these although we leave them out
		run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en-US", "en-US", []string{"\n"}
		require.NoError(t, log.Validate())
		require.NotEmpty(t, log.Runs[0].Results)
		for _, r := range log.Runs[0].Results {
			require.NotEmpty(t, r.Locations)
			assert.NotEmpty(t, r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
			assert.Positive(t, *r.Locations[0].PhysicalLocation.Region.StartLine)
			assert.NotEmpty(t, r.PartialFingerprints)
		}
	}
}

// Findings of a baseline are reported as known and do not fail a run, wherever their lines have moved. Other findings do.
func TestBaseline(t *testing.T) {
	source, err := os.ReadFile("testdata/races.ptx")
	require.NoError(t, err)
	folder := t.TempDir()
	file, known := filepath.Join(folder, "races.ptx"), filepath.Join(folder, "known.sarif")
	check := func(text string, more ...string) (int, string, string) {
		put(t, file, text)
		args := append([]string{"run", "--check", file, "--kernel", "smear", "--grid", "2", "--block", "32"}, more...)
		return keplersim(t, append(args, "--arg", "a=u32[65]:fill(1)")...)
	}
	code, _, _ := check(string(source), "--format", "sarif", "-o", known)
	assert.Equal(t, exitFailed, code)
	moved := strings.Replace(string(source), ".version", "// moved\n\n.version", 1)
	code, out, errOut := check(moved, "--check-baseline", known)
	assert.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "smear: known: race between blocks of a launch")
	_, out, _ = check(moved, "--check-baseline", known, "--format", "sarif")
	assert.Contains(t, out, `"baselineState": "unchanged"`)
	changed := strings.ReplaceAll(string(source), "st.global.u32 ", "st.global.b32 ")
	require.NotEqual(t, string(source), changed)
	code, out, _ = check(changed, "--check-baseline", known)
	assert.Equal(t, exitFailed, code, out)
	for wrong, says := range map[string]string{file: "is no SARIF 2.1.0 file", filepath.Join(folder, "none"): "--format sarif -o"} {
		code, _, errOut = check(string(source), "--check-baseline", wrong)
		assert.Equal(t, exitBadInput, code)
		assert.Contains(t, errOut, says)
	}
}

// Each finding is one line with both places, as compilers write errors.
func TestLines(t *testing.T) {
	code, out, errOut := keplersim(t, append([]string{"run", "--check=races", "--format", "lines"}, strings.Fields(racy)...)...)
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, "testdata/races.ptx:44: error: smear: race between blocks of a launch: 4 bytes at a+128 (global 0x100000080); "+
		"thread (0,0,0) of block (1,0,0) reads; thread (31,0,0) of block (0,0,0) has written at testdata/races.ptx:47 [race-grid]\n", out)
	assert.Equal(t, "keplersim: the checks found 1 mistake (see above)\n", errOut)
	code, _, _ = keplersim(t, append([]string{"run", "--check", "--check-exit-code", "7"}, strings.Fields(racy)...)...)
	assert.Equal(t, 7, code)
	code, _, errOut = keplersim(t, append([]string{"run", "--check", "--check-exit-code", "300"}, strings.Fields(racy)...)...)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "--check-exit-code 300: exit codes are 0 to 255")
}
