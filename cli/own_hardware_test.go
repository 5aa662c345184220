package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ranKernel returns the first launch in a run's JSON report.
func ranKernel(t *testing.T, args ...string) (registers, warps int, passed bool, notes []string) {
	t.Helper()
	code, out, errOut := keplersim(t, append([]string{"run", "--format", "json"}, args...)...)
	require.Equal(t, exitRan, code, errOut)
	var got struct {
		Notes   []string
		Passed  bool
		Kernels []struct {
			Registers int
			Occupancy struct {
				Warps int `json:"warps_per_smx"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	return got.Kernels[0].Registers, got.Kernels[0].Occupancy.Warps, got.Passed, got.Notes
}

// An SMX of 128 warps runs a workload, and gives the results of a real GPU.
func TestAnSMXOfManyWarpsGivesTheSameResults(t *testing.T) {
	_, warps, passed, _ := ranKernel(t, "../workloads/histogram/histogram.yaml", "--set", "smx.warps=128", "--set", "smx.threads=4096",
		"--set", "registers.per_smx=131072")
	assert.Equal(t, 128, warps)
	assert.True(t, passed)
	code, _, errOut := keplersim(t, "run", "../workloads/histogram/histogram.yaml", "--set", "smx.warps=320")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "smx.warps: 320 are more than 64 for each of smx.schedulers, 4: the most for so many is 256")
}

// On a chip with more registers, the compiler gives loads more of them. Compiled as for a GK110, the kernel keeps its count.
func TestRegistersOfAReferenceChip(t *testing.T) {
	const kernel = "../workloads/stencil/stencil.yaml"
	larger := []string{kernel, "--set", "registers.per_smx=262144"}
	plain, _, _, _ := ranKernel(t, kernel)
	free, _, _, _ := ranKernel(t, larger...)
	held, _, passed, notes := ranKernel(t, append(larger, "--registers-of", "gk110")...)
	assert.Greater(t, free, plain)
	assert.Equal(t, plain, held)
	assert.True(t, passed)
	assert.Contains(t, strings.Join(notes, "\n"), "compiled as for gk110 (--registers-of)")

	// The code for compute capability 3.0 is next to that for 3.5, and takes a register more.
	older, _, _, _ := ranKernel(t, "../workloads/fft/fft.yaml", "--config", "gk104")
	held, _, passed, _ = ranKernel(t, "../workloads/fft/fft.yaml", "--config", "gk110", "--registers-of", "gk104")
	assert.Equal(t, older, held)
	assert.True(t, passed)

	for want, args := range map[string][]string{
		"what is compiled for it does not run on gk104, which has 3.0": {"run", kernel, "--config", "gk104", "--registers-of", "gk110"},
		"--registers-of: config gk11:":                                 {"run", kernel, "--registers-of", "gk11"},
		"--registers-of needs a kernel":                                {"occupancy", "--registers-of", "gk110"},
	} {
		code, _, errOut := keplersim(t, args...)
		assert.Equal(t, exitBadInput, code, args)
		assert.Contains(t, errOut, want)
	}
	registers := func(args ...string) (n float64) {
		code, out, errOut := keplersim(t, append([]string{"occupancy", "../workloads/stencil/stencil.ptx", "--format", "json"}, args...)...)
		require.Equal(t, exitRan, code, errOut)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		return got["points"].([]any)[0].(map[string]any)["registers"].(float64)
	}
	assert.EqualValues(t, free, registers("--set", "registers.per_smx=262144"))
	assert.EqualValues(t, plain, registers("--set", "registers.per_smx=262144", "--registers-of", "gk110"))
}

// configs diff shows what a user's configuration changes.
func TestConfigsDiff(t *testing.T) {
	code, out, errOut := keplersim(t, "configs", "diff", "k40", "k40", "--set", "smx.warps=128", "--set", "smx.threads=4096")
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(
		t,
		`(?m)\AKEY +k40 +k40 \(changed\) +UNIT\nsmx.warps +64 +128 +warps per SMX\n`+
			`smx.threads +2048 +4096 +threads per SMX\n\n2 of \d+ keys differ\n\z`, out,
	)
	_, out, _ = keplersim(t, "configs", "diff", "k40", "k40m")
	assert.Regexp(t, `\Aall \d+ keys are equal\n\z`, out)

	// The K20 has 13 SMXs and 10 channels of 32 bits at 2.6 GHz, the K20X 14 and 12 (board specifications BD-06455 and BD-06397).
	code, out, errOut = keplersim(t, "configs", "diff", "--format", "json", "k20", "k20x")
	require.Equal(t, exitRan, code, errOut)
	var got struct {
		A, B        string
		Differences []struct{ Key, Unit, A, B string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, []string{"k20", "k20x"}, []string{got.A, got.B})
	values := map[string]string{}
	for _, d := range got.Differences {
		values[d.Key] = d.A + " " + d.B
	}
	assert.Equal(t, "13 14", values["smx.count"])
	assert.Equal(t, "10 12", values["dram.channels"])
	assert.Equal(t, "706 732", values["clocks.core"])
	assert.NotContains(t, values, "clocks.memory")

	for want, args := range map[string][]string{
		"diff takes two configurations, not 1": {"k40"}, `--format "xml": choose one of text, json`: {"k40", "k20", "--format", "xml"},
		"did you mean gk110?": {"k40", "gk111"},
	} {
		code, _, errOut := keplersim(t, append([]string{"configs", "diff"}, args...)...)
		assert.Equal(t, exitBadInput, code)
		assert.Contains(t, errOut, want)
	}
}

// The machine program as JSON agrees with its text.
func TestLowerAsJSON(t *testing.T) {
	const kernel = "../workloads/vectoradd/vectoradd.ptx"
	code, out, errOut := keplersim(t, "lower", "--format", "json", kernel)
	require.Equal(t, exitRan, code, errOut)
	var got struct {
		Config  string
		Kernels []struct {
			Name, Symbol string
			Registers    int
			Operations   []struct {
				Index                    int
				Text, Class, Guard, File string
				Reads, Writes            []string
				Banks                    []int
				PairsWith                *int `json:"pairs_with"`
				Line                     int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, "gk110", got.Config)
	require.Len(t, got.Kernels, 1)
	k := got.Kernels[0]
	_, text, _ := keplersim(t, "lower", kernel)
	lines := strings.Split(strings.TrimSpace(text), "\n")[2:]
	require.Len(t, k.Operations, len(lines))
	loads := 0
	for i, op := range k.Operations {
		assert.Equal(t, i, op.Index)
		assert.Contains(t, lines[i], op.Text)
		if op.PairsWith != nil {
			assert.Equal(t, i, *k.Operations[*op.PairsWith].PairsWith, "pairs are mutual")
		}
		if op.Class == "global" && len(op.Writes) > 0 {
			loads++
			assert.Equal(t, kernel, op.File)
			assert.NotEmpty(t, op.Reads)
		}
		for b, bank := range op.Banks { // docs: 2·((R>>2)&1) + (R&1)
			var r int
			require.Regexp(t, `^R\d+$`, op.Reads[b])
			require.NoError(t, json.Unmarshal([]byte(op.Reads[b][1:]), &r))
			assert.Equal(t, 2*(r>>2&1)+r&1, bank)
		}
	}
	assert.Equal(t, 2, loads, "of a and of b")
	code, _, errOut = keplersim(t, "lower", "--format", "yaml", kernel)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, `--format "yaml": choose one of text, json`)
}
