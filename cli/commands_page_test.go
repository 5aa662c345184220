package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pagesOfCommands has the links of each command in docs/commands.md. TestLinksLeadSomewhere checks them.
var pagesOfCommands = map[string]string{
	"run": "[quick start](quick-start.md), [the report](report.md), [workload files](workload-file.md), [whole programs](programs.md), " +
		"[checks](checks.md), [sampling](performance.md#sampling), [recordings](recording.md), [traces](trace.md), [the page](page.md), " +
		"[live](live.md)",
	"debug": "[debugger](debugger.md)", "nvcc": "[make, CMake and nvcc](programs.md#build-with-make-cmake-or-nvcc)",
	"toolkit": "[make, CMake and nvcc](programs.md#build-with-make-cmake-or-nvcc)", "nvprof": "[programs](programs.md#the-report)",
	"smi": "[programs](programs.md)", "compare": "[comparing runs](report.md#comparing-runs)",
	"explain": "[cycle by cycle](cycle-by-cycle.md)", "advise": "[advice](advice.md)", "plot": "[drawings](report.md#drawings)",
	"metrics": "[metrics](metrics.md)", "glossary": "[glossary](glossary.md)", "lab": "[teaching](teaching.md)",
	"grade": "[grading](teaching.md#grading)", "lesson": "[what a lesson file has](teaching.md#what-a-lesson-file-has)",
	"configs": "[configurations](configs.md)", "clocks": "[clocks, power, energy](boost.md)",
	"inspect": "[inspect](inspect.md)", "disasm": "[machine code](sass.md)",
	"lower": "[the model](model.md)", "occupancy": "[occupancy](occupancy.md)",
	"sweep": "[studies](research.md)", "tune": "[studies](research.md)", "suite": "[public suites](research.md#public-suites)",
	"fp":       "[floating point](floating-point.md)",
	"validate": "[validation](validation.md), [tuning guide](tuning-guide.md)", "fuzz": "[fuzzing](fuzzing.md)",
	"doctor": "[CUDA tests in CI](ci.md)", "schema": "[schemas](report.md#schemas)", "version": "", "completion": "", "help": "",
}

// docs/commands.md is made of the help texts; KEPLERSIM_UPDATE=1 writes it anew.
func TestCommandsPageIsMadeOfHelpTexts(t *testing.T) {
	const file = "../docs/commands.md"
	var b strings.Builder
	b.WriteString("# All commands\n\nThis list is made from the help texts. `keplersim COMMAND --help` prints all flags of a command, " +
		"with examples.\n\nA command ends with 0 if all went well, 1 if the run or an expectation failed, 2 if the input is wrong; a " +
		"[program](programs.md)\nthat you run ends with its own code. Errors say what to do. On a terminal, reports have colours; " +
		"`--color never` or the\nenvironment variable " +
		"`NO_COLOR` turns them off.\n\n| command | what it does | for example | read |\n|---|---|---|---|\n")
	for _, c := range newRootCommand().Commands() {
		if c.Hidden {
			continue
		}
		page, known := pagesOfCommands[c.Name()]
		assert.True(t, known, "%s has no row in pagesOfCommands", c.Name())
		example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
		if example, _, _ = strings.Cut(example, "  "); example != "" {
			example = "`" + strings.TrimSpace(strings.ReplaceAll(example, "|", `\|`)) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name(), c.Short, example, page)
	}
	if os.Getenv("KEPLERSIM_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	shown, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(shown), "%s: KEPLERSIM_UPDATE=1 go test ./cli -run CommandsPage writes it anew", file)
}
