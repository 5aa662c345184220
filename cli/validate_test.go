package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidateMeasuresLatencies(t *testing.T) {
	code, out, errOut := keplersim(t, "validate", "latency", "--row", "add-f32@k20", "--row", "mul-s32@k40m", "--format", "json",
		"--strict")
	require.Equal(t, exitRan, code, errOut)
	var document struct {
		Rows []struct {
			Row         string
			Comparisons []struct{ Theirs, Ours float64 }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &document))
	require.Len(t, document.Rows, 2)
	assert.InDelta(t, 9, document.Rows[0].Comparisons[0].Ours, 0.27)
	assert.InDelta(t, 9, document.Rows[1].Comparisons[0].Ours, 0.27)
}

// An override on the command line changes what is measured.
func TestValidateWithAnotherBoard(t *testing.T) {
	code, out, errOut := keplersim(t, "validate", "--row", "add-f32@k20", "--set", "pipelines.operations.fp32.latency=12", "--strict")
	require.Equal(t, exitFailed, code, errOut)
	assert.Regexp(t, `add-f32@k20 +9 +12 +\+33\.3 %`, out)
}

func TestValidateNeverDropsARow(t *testing.T) {
	code, out, _ := keplersim(t, "validate", "--row", "kernels/matMul_gpu/n=1024/block=8x8@k40",
		"--row", "power/idle-unknown@k20x,predicted")
	assert.Equal(t, exitRan, code)
	assert.Contains(t, out, "not run: needs 386.8 M warp instructions")
	assert.Contains(t, out, "not simulated: the source does not say whether the clocks were up")
}

func TestValidateRefuses(t *testing.T) {
	for _, args := range [][]string{{"nothing"}, {"--row", "no-such-row"}, {"--format", "xml"}, {"--budget", "-1"},
		{"--claims", "--quick"}, {"--row", "add-f32@k20", "--set", "smx.cuont=3"}} {
		code, _, errOut := keplersim(t, append([]string{"validate"}, args...)...)
		assert.Equal(t, exitBadInput, code, errOut)
	}
	code, out, _ := keplersim(t, "validate", "--list", "issue")
	assert.Equal(t, exitRan, code)
	assert.Contains(t, out, "Zhang")
}
