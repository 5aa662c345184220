package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The older flags do the same as --detail.
func TestDetailHasOtherNames(t *testing.T) {
	parse := func(flags ...string) (functional bool, sample string) {
		o, command := &runOptions{}, &cobra.Command{}
		o.flags(command)
		require.NoError(t, command.ParseFlags(flags))
		return o.functional, o.sample
	}
	for detail, old := range map[string]string{
		"none": "--functional", "sample": "--sample", "time": "--sample=time", "all": "--functional=false", "full": "--functional=false",
		"auto": "--functional=false",
	} {
		functional, sample := parse("--detail", detail)
		oldFunctional, oldSample := parse(old)
		assert.Equal(t, oldFunctional, functional, detail)
		assert.Equal(t, oldSample, sample, detail)
	}
}

func TestDetailIsAskedForOnce(t *testing.T) {
	const saxpy = "../workloads/saxpy/saxpy.yaml"
	for text, args := range map[string][]string{
		"choose auto, all, sample, time, none":                                         {"--detail", "most"},
		"--detail time and --functional both say how much is timed: give one of them":  {"--detail", "time", "--functional"},
		"--detail none and --sample both say how much is timed: give one of them":      {"--detail", "none", "--sample"},
		"--sample times no more than estimates need, --budget as much as fits":         {"--detail", "sample", "--budget", "1s"},
		"--budget estimates time, which --functional and --check leave out: give one ": {"--detail", "none", "--budget", "1s"},
	} {
		code, _, errOut := keplersim(t, append([]string{"run", saxpy}, args...)...)
		assert.NotEqual(t, exitRan, code, text)
		assert.Contains(t, errOut, text)
	}
}
