package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNVProf(t *testing.T) {
	p := openProject(t, "histogram")
	p.run(p.binary, "nvcc", "-o", "histogram", "histogram.cu")
	t.Run("summary", func(t *testing.T) {
		out := p.run(p.binary, "nvprof", "./histogram")
		for _, want := range []string{"Profiling application: ./histogram", "GPU activities:",
			"count(unsigned char const*, int, unsigned int*)",
			"[CUDA memcpy HtoD]", "API calls:", "cudaLaunchKernel"} {
			assert.Contains(t, out, want)
		}
	})
	t.Run("trace", func(t *testing.T) {
		p.run(p.binary, "nvprof", "--print-gpu-trace", "--csv", "--quiet", "--log-file", "trace.csv", "./histogram")
		lines := strings.Split(strings.TrimSpace(p.run("cat", "trace.csv")), "\n")
		require.Len(t, lines, 5, "two copies, a memset, a kernel, and the names")
		assert.Contains(t, lines[1], "39.062KB") // 40000 bytes
		assert.Contains(t, lines[1], "Pageable,Device,0,0,[CUDA memcpy HtoD]")
		assert.Contains(t, lines[3], "(8 1 1),(128 1 1)")
		assert.Contains(t, lines[4], "Device,Pageable,0,0,[CUDA memcpy DtoH]")
	})
	t.Run("metrics", func(t *testing.T) {
		out := p.run(p.binary, "nvprof", "--functional", "--metrics", "inst_executed", "--events", "warps_launched", "./histogram")
		assert.Regexp(t, `warps_launched +count +32\b`, out) // 8 blocks of 4 warps
	})
	t.Run("window", func(t *testing.T) {
		out := p.run(p.binary, "nvprof", "--profile-from-start", "off", "./histogram")
		assert.NotContains(t, out, "cudaLaunchKernel", "the program never starts the profiler")
	})
	for flags, want := range map[string]string{
		"--export-profile x ./histogram": "--format json -o FILE",
		"":                               "name the program",
		"--metrics nothing ./histogram":  `no metric "nothing"`,
		"Makefile":                       "neither a program",
	} {
		out, err := p.try(p.binary, append([]string{"nvprof"}, strings.Fields(flags)...)...)
		assert.Error(t, err, flags)
		assert.Contains(t, out, want, flags)
	}
}

// What nvidia-smi prints of a Tesla K40m: 745 MHz base, 875 highest, 3004 MHz memory, 235 W.
func TestSMI(t *testing.T) {
	code, out, errOut := keplersim(t, "smi", "--config", "k40m", "--format=csv,nounits",
		"--query-gpu=name,clocks.sm,clocks.max.sm,clocks.mem,power.limit,compute_cap")
	require.Equal(t, exitRan, code, errOut)
	assert.Equal(t, "name, clocks.sm [MHz], clocks.max.sm [MHz], clocks.mem [MHz], power.limit [W], compute_cap\n"+
		"Tesla K40m, 745, 875, 3004, 235.00, 3.5\n", out)
	code, out, _ = keplersim(t, "smi", "-L", "--devices", "2")
	assert.Equal(t, exitRan, code)
	assert.Equal(t, 2, strings.Count(out, "UUID: GPU-6b65706c-"))
	code, _, errOut = keplersim(t, "smi", "--query-gpu=nam")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "did you mean name?")
}
