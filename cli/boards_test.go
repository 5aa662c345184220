package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The first lines of a report say that a chip without launches from kernels has left them out.
func TestTheHeadSaysThatLaunchesFromKernelsAreMissing(t *testing.T) {
	code, out, errors := keplersim(t, "run", "--config", "gtx680", "../workloads/mariani-silver/mariani-silver.yaml")
	head, _, _ := strings.Cut(out, "\n\n")
	assert.Contains(t, unwrapped(head), "has no launches from kernels: results lack what these would have done (error 801, "+
		"cudaErrorNotSupported)", errors)
	_ = code // the expected values are those of a chip with launches from kernels
}

// A K80 runs at its driver's boost clock unless the user sets another.
func TestAK80Boosts(t *testing.T) {
	kernel := filepath.Join(t.TempDir(), "k.ptx")
	require.NoError(t, os.WriteFile(kernel, []byte(".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k() "+
		"{\n\tret;\n}\n"), 0o600))
	for flags, want := range map[string]string{
		"": "at 875 MHz", "--autoboost off": "at 562 MHz", "--clocks base": "at 562 MHz", "--set clocks.core=705": "at 705 MHz",
	} {
		code, out, errors := keplersim(t, append([]string{"run", "--config", "k80", kernel}, strings.Fields(flags)...)...)
		require.Zero(t, code, errors)
		assert.Contains(t, out, want, flags)
		assert.Equal(t, flags == "", strings.Contains(out,
			"note: k80 boosts by itself, so it runs at 875 MHz (--autoboost off for 562)"), flags)
	}
}
