package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const racy = "testdata/races.ptx --kernel smear --grid 2 --block 32 --arg a=u32[65]:fill(1)"

// Findings are printed in compute-sanitizer's text and in SARIF, with the lines of both accesses. Suppressed ones are left out, and do not
// fail the run.
func TestFormatsOfFindings(t *testing.T) {
	run := func(more ...string) (int, string, string) {
		return keplersim(t, append(append([]string{"run", "--check=races"}, more...), strings.Fields(racy)...)...)
	}
	code, out, errOut := run("--format", "sanitizer")
	assert.Equal(t, exitFailed, code, errOut)
	assert.True(t, strings.HasPrefix(out, "========= COMPUTE-SANITIZER\n"), out)
	assert.Contains(t, out, "========= Error: Race reported between Read access at smear in testdata/races.ptx:44\n"+
		"=========     and Write access at smear in testdata/races.ptx:47 [1 hazard]\n")
	assert.Contains(t, out, "=========     thread (0,0,0) in block (1,0,0), address 4 bytes at a+128 (global 0x100000080)\n")
	assert.Contains(t, out, "========= ERROR SUMMARY: 1 error\n")

	code, out, _ = run("--format", "sarif")
	assert.Equal(t, exitFailed, code)
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID           string
				RuleIndex        int
				Level            string
				Locations        []struct{}
				RelatedLocations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &log))
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs[0].Results, 1)
	result := log.Runs[0].Results[0]
	assert.Equal(t, "race-grid", result.RuleID)
	assert.Equal(t, "race-grid", log.Runs[0].Tool.Driver.Rules[result.RuleIndex].ID)
	assert.Equal(t, "error", result.Level)
	assert.Equal(t, 47, result.RelatedLocations[0].PhysicalLocation.Region.StartLine)

	file := filepath.Join(t.TempDir(), "known.yaml")
	require.NoError(t, os.WriteFile(file, []byte("- rule: race-grid\n  at: races.ptx:44\n  reason: meant\n"), 0o600))
	code, out, errOut = run("--suppressions", file)
	assert.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "--check found nothing")
	require.NoError(t, os.WriteFile(file, []byte("- rule: racing\n"), 0o600))
	code, _, errOut = run("--suppressions", file)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, `there is no rule "racing"`)
	code, _, errOut = keplersim(t, append([]string{"run", "--check=leeks"}, strings.Fields(racy)...)...)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, `there is no check "leeks"; choose from all, memory, races, init, sync`)
}

// Checks also work with timing; other orders are run without it.
func TestChecksWithTimingAndInOtherOrders(t *testing.T) {
	code, out, _ := keplersim(t, append([]string{"run", "--check", "--functional=false"}, strings.Fields(racy)...)...)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "checked with timing")
	assert.Contains(t, out, "smear: race between blocks of a launch")
	code, out, _ = keplersim(t, append([]string{"run", "--check", "--check-schedules", "4"}, strings.Fields(racy)...)...)
	assert.Equal(t, exitFailed, code)
	assert.Regexp(t, `a\[\d+\] is \d+ in the usual order and \d+ in order \d; \d+ elements differ`, out)
	code, _, errOut := keplersim(t, append([]string{"run", "--check-schedules", "4"}, strings.Fields(racy)...)...)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "--check-schedules needs --check, without timing")
}

// A debugger script ends with exit code 1 at the first command that fails.
func TestDebugScripts(t *testing.T) {
	script := filepath.Join(t.TempDir(), "a.dbg")
	require.NoError(t, os.WriteFile(script, []byte("# the second block\nbreak block 1,0,0\ncontinue\nprint ctaid.x\nquit\n"), 0o600))
	code, out, errOut := keplersim(t, "debug", "--script", script, "../workloads/vectoradd/vectoradd.yaml")
	assert.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "breakpoint 1 (block 1,0,0)\n#")
	assert.Contains(t, out, "ctaid.x = 1 (0x1)")
	require.NoError(t, os.WriteFile(script, []byte("jump\n"), 0o600))
	code, _, errOut = keplersim(t, "debug", "--script", script, "../workloads/vectoradd/vectoradd.yaml")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, `jump: there is no command "jump"`)
}
