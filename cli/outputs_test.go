package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/validation/programs"
)

// outputFlags are the flags that name an output file, by command. Each has a command line in which % is that file, and one of the inputs.
// Inputs of drawings are named through links that end in .svg.
var outputFlags = map[string]struct{ line, input string }{
	"run output":                    {"w.yaml -o %", "x.bin"},
	"run dump":                      {"w.yaml --dump x=%", "w.yaml"},
	"run printf":                    {"w.yaml --printf %", "add.ptx"},
	"run save-workload":             {"add.ptx --save-workload % --config base.yaml", "base.yaml"},
	"run save-to":                   {"w.yaml --save-at 5 --save-to %", "want.bin"},
	"run record":                    {"w.yaml --record %", "w.yaml"},
	"run trace":                     {"w.yaml --trace %", "chip.yaml"},
	"run pprof":                     {"w.yaml --pprof %", "base.yaml"},
	"run report":                    {"w.yaml --report % --baseline base.json", "base.json"},
	"run plot-power":                {"w.yaml --plot-power %", "x.bin"},
	"run cpuprofile":                {"w.yaml --cpuprofile %", "add.ptx"},
	"run memprofile":                {"w.yaml --memprofile % --suppressions s.txt --check", "s.txt"},
	"nvprof log-file":               {"--log-file % p.cu", "p.cu"},
	"compare output":                {"a.json b.json -o %", "b.json"},
	"compare plot":                  {"a.json b.json --plot %", "b.json"},
	"explain svg":                   {"w.yaml --svg %", "add.ptx"},
	"explain output":                {"w.yaml -o %", "x.bin"},
	"advise output":                 {"w.yaml -o %", "add.ptx"},
	"advise plot":                   {"w.yaml --plot %", "w.yaml"},
	"plot output":                   {"stalls a.json -o %", "a.json"},
	"clocks output":                 {"--study w.yaml --config k40 -o %", "add.ptx"},
	"clocks plot":                   {"--study w.yaml --config k40 --plot %", "w.yaml"},
	"occupancy output":              {"--config chip.yaml -o %", "base.yaml"},
	"occupancy plot":                {"near.ptx --plot %", "near.ptx"},
	"suite output":                  {"suite.yaml . -o %", "p.cu"},
	"sweep output":                  {"s.yaml -o %", "add.ptx"},
	"sweep bundle":                  {"s.yaml --bundle % --store results", "s.yaml"},
	"sweep report output":           {"t.csv -o %", "t.csv"},
	"sweep report html":             {"t.csv --html %", "t.csv"},
	"sweep report plot":             {"t.csv --plot %", "t.csv"},
	"fp compare plot":               {"x.bin want.bin --plot %", "x.bin"},
	"validate output":               {"--quick --staircase-config chip.yaml -o %", "chip.yaml"},
	"validate plot":                 {"--quick --staircase-config chip.yaml --plot %", "base.yaml"},
	"validate staircase":            {"--quick --staircase-config chip.yaml --staircase %", "chip.yaml"},
	"validate registers output":     {"--sources src --blind -o %", "p.cu"},
	"validate programs output":      {"-o % --keep-errors errors.csv", "errors.csv"},
	"validate programs keep-errors": {"-o errors.csv --keep-errors %", "errors.csv"},
	"validate keep-points":          {"--quick --staircase-config chip.yaml --keep-points %", "chip.yaml"},
	"validate programs keep-points": {"-o errors.csv --keep-points %", "errors.csv"},
	"validate programs plot":        {"-o errors.csv --plot %", "errors.csv"},
}

// otherFlags take words that name no output file: inputs, folders, and flags that are shared with run or have no effect.
var otherFlags = []string{
	"address", "aggregate-mode", "build", "replay", "source", "analysis-metrics", "concurrent-kernels", "devices", "events", "exercise",
	"kernels", "check-baseline", "export", "memory", "launcher", "budget", "only", "size",
	"tally", // read first, and refused if it is no tally
	"normalized-time-unit", "openacc-profiling", "profile-api-trace", "profile-from-start", "query-gpu", "replay-mode", "sample",
	"save-launch", "time", "timeout", "unified-memory-profiling",
	"baseline", "engine", "export-profile", "folder", "from", "import-profile", "include", "lessons", "library-folder", "link",
	"loader", "resume", "run", "script", "sheets", "site", "sources", "std", "store", "study", "suppressions", "data",
}

// wrongName matches errors about an output's name.
var wrongName = pattern.Lazy(`takes this file for its workload file|must end in one of|name a file that ends in \.svg|one of \.svg`)

// Every flag that names an output is in the table, and overwrites no input under any of its names.
func TestEveryOutputIsClaimed(t *testing.T) {
	seen := map[string]bool{}
	var walk func(command *cobra.Command, path string)
	walk = func(command *cobra.Command, path string) {
		command.Flags().VisitAll(func(f *pflag.Flag) {
			kind := f.Value.Type()
			named := strings.Contains(kind, "FILE") || strings.Contains(kind, "FOLDER") || strings.Contains(kind, "REPORT") ||
				slices.Contains([]string{"string", "stringArray", "stringSlice"}, kind)
			name := strings.TrimSpace(path + " " + f.Name)
			if _, listed := outputFlags[name]; listed {
				seen[name] = true
			} else if named && !slices.Contains(otherFlags, f.Name) && path != "serve" { // serve has the flags of run
				t.Errorf("%s --%s (%s) has no row here: does it name a file to write?", path, f.Name, kind)
			}
		})
		for _, below := range command.Commands() {
			walk(below, strings.TrimSpace(path+" "+below.Name()))
		}
	}
	walk(newRootCommand(), "")
	assert.Len(t, seen, len(outputFlags), "each row has its flag")

	folder := t.TempDir()
	add, err := os.ReadFile(filepath.Join("testdata", "add.ptx"))
	require.NoError(t, err)
	t.Chdir(folder)
	contents := map[string]string{
		"add.ptx": string(add),
		"w.yaml": "module: add.ptx\nconfig: chip.yaml\nbuffers: {x: {type: f32, count: 64, init: {file: x.bin}}}\nsteps:\n" +
			"  - launch: {kernel: add, grid: [1], block: [32], args: [x, x, {u32: 0}, {f32: 1}]}\nexpect: {x: {file: want.bin}}\n",
		"chip.yaml": "extends: base.yaml\n", "base.yaml": "extends: gk110\n",
		"x.bin": strings.Repeat("\x00", 256), "want.bin": strings.Repeat("\x00", 256),
		"near.ptx": ".version 4.0\n.target sm_35\n.address_size 64\n.visible .entry k() { ret; }\n",
		"p.cu":     "int main() { return 0; }\n", "s.yaml": "run: [w.yaml]\nmetrics: [cycles]\n", "s.txt": "# nothing\n",
		"a.json": "{}", "b.json": "{}", "base.json": `{"kernels": []}`, "errors.csv": "row,kind,error\n",
		"suite.yaml": "name: own\nmarker: p.cu\nprograms: [{name: p, folder: '.', build: 'true', run: 'true', sizes: {small: ''}}]\n",
		"t.csv":      "file,board,status,reason,cycles\nw,gk110,ok,,5\n",
	}
	require.NoError(t, os.Mkdir("links", 0o755))
	for name, text := range contents {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		require.NoError(t, os.Symlink("../"+name, "links/soft-"+name+".svg"))
		require.NoError(t, os.Link(name, "links/hard-"+name+".svg"))
	}
	rows, err := (&programOptions{blind: true}).choose()
	require.NoError(t, err)
	at := slices.IndexFunc(rows, func(r *programs.Row) bool { return len(r.Program.Files) > 0 })
	for file := range rows[at].Program.Files {
		file = filepath.Join("src", rows[at].Program.Repository, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.Link("p.cu", file))
	}
	for name, row := range outputFlags {
		at := strings.LastIndex(name, " ")
		spellings := []string{
			row.input, "links/soft-" + row.input + ".svg", "links/hard-" + row.input + ".svg",
			"./" + row.input, "links/../" + row.input, filepath.Join(folder, row.input),
		}
		if testing.Short() {
			spellings = spellings[:3] // the others are paths of one name; a test of internal/files covers them
		}
		for _, spelled := range spellings {
			line := strings.Fields(name[:at] + " " + strings.ReplaceAll(row.line, "%", spelled))
			code, _, errOut := keplersim(t, line...)
			assert.Equal(t, exitBadInput, code, "%s: %s", line, errOut)
			claimed := strings.Contains(errOut, "would overwrite the input") || strings.Contains(errOut, "write the same file")
			assert.True(t, claimed || !strings.HasSuffix(spelled, ".svg") && wrongName().MatchString(errOut), "%s: %s", line, errOut)
		}
	}
	for name, text := range contents {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, text, string(data), name)
	}
}

// An output that cannot be written to the disk is a failure of the run, whichever flag names it. The test uses a device that is always
// full.
func TestOutputsToAFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	workload, err := filepath.Abs("../workloads/mps/mps.yaml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink("/dev/full", "full.svg"))
	for name, row := range outputFlags {
		command, flag, _ := strings.Cut(name, " ")
		if command != "run" || flag == "save-workload" {
			continue
		}
		line := []string{"run", workload, "--" + flag, "full.svg"}
		switch flag {
		case "dump":
			line[3] = "data=full.svg"
		case "save-to":
			line = append(line, "--save-at", "1000")
		case "printf":
			continue // the kernel prints nothing
		}
		code, _, errOut := keplersim(t, line...)
		assert.Equal(t, exitFailed, code, "%s: %s", row.line, errOut)
		assert.Contains(t, errOut, "no space left on device", line)
	}
}
