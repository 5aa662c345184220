package cli

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
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
		// The names, the units and the quotes of logs of nvprof 9.
		require.Len(t, lines, 6, "two copies, a memset, a kernel, the names and their units")
		assert.Equal(t, `"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread",`+
			`"Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"`, lines[0])
		assert.Equal(t, "us,us,,,,,,,,B,B,KB,GB/s,,,,,,", lines[1])
		assert.Contains(t, lines[2], `,,,,,,,,,,39.062500,`) // 40000 bytes
		assert.Contains(t, lines[2], `,"Pageable","Device","GK110 (0)","1","0","[CUDA memcpy HtoD]"`)
		assert.Contains(t, lines[4], ",8,1,1,128,1,1,")
		assert.Contains(t, lines[5], `,"Device","Pageable","GK110 (0)","1","0","[CUDA memcpy DtoH]"`)
	})
	// The layout is that of a log of a Tesla K20c. Readers skip lines that begin with == and demand eight columns. They take the kernel
	// from the second, the name from the fourth, and the average without its unit from the last.
	t.Run("metrics in nvprof's layout", func(t *testing.T) {
		out := p.run(p.binary, "nvprof", "--csv", "--metrics", "ipc,gld_efficiency,alu_fu_utilization,l2_write_throughput,gst_transactions",
			"--events", "warps_launched", "./histogram")
		head := regexp.MustCompile(`(?m)^==(\d+)== NVPROF is profiling process (\d+), command: ./histogram\n` +
			`(?:40000 bytes.*\n)?==\d+== Profiling application: ./histogram\n==\d+== Profiling result:\n` +
			`==\d+== Event result:\n`).FindStringSubmatch(out)
		require.NotNil(t, head, out)
		assert.Equal(t, head[1], head[2])
		events, metrics, _ := strings.Cut(out, "Metric result:\n")
		assert.Contains(t, events, `"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"`+"\n"+
			`"GK110 (0)","count(unsigned char const*, int, unsigned int*)",1,"warps_launched",32,32,32,32`)
		lines := strings.Split(strings.TrimSpace(metrics), "\n")
		require.Equal(t, `"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"`, lines[0])
		rows, err := csv.NewReader(strings.NewReader(metrics)).ReadAll()
		require.NoError(t, err)
		values := map[string]string{}
		for _, row := range rows[1:] {
			require.Len(t, row, 8)
			assert.Equal(t, []string{"GK110 (0)", "count(unsigned char const*, int, unsigned int*)", "1"}, row[:3])
			assert.NotContains(t, row[4], ",", "readers split at commas")
			values[row[3]] = row[7]
		}
		assert.Regexp(t, `^0\.\d{6}$`, values["ipc"])
		assert.Equal(t, "100.000000%", values["gld_efficiency"])
		assert.Regexp(t, `^\d+\.\d{6}[KMG]?B/s$`, values["l2_write_throughput"])
		assert.Equal(t, "Low (1)", values["alu_fu_utilization"])
		assert.Contains(t, metrics, `"Low (1)","Low (1)","Low (1)"`)
		assert.Regexp(t, `^\d+$`, values["gst_transactions"])
	})
	t.Run("metrics", func(t *testing.T) {
		out := p.run(p.binary, "nvprof", "--functional", "--metrics", "inst_executed", "--events", "warps_launched", "./histogram")
		assert.Regexp(t, `Device "GK110 \(0\)"\n    Kernel: count\(unsigned char const\*, int, unsigned int\*\)\n`+
			` +1 +warps_launched +32 +32 +32 +32\n`,
			out) // 8 blocks of 4 warps
		assert.Regexp(t, `Metric result:\n.*\n.*\n.*\n +1 +inst_executed +[A-Za-z ]+15574 +15574 +15574\n`, out)
		assert.NotContains(t, out, "0 threads")
	})
	t.Run("metrics of each launch", func(t *testing.T) {
		const twice = "__global__ void f(int *p) { p[threadIdx.x] = 1; }\n" +
			"int main() { int *p; cudaMalloc(&p, 400); f<<<1, 32>>>(p); f<<<1, 96>>>(p); return cudaDeviceSynchronize(); }\n"
		require.NoError(t, os.WriteFile(filepath.Join(p.folder, "twice.cu"), []byte(twice), 0o600))
		out := p.run(p.binary, "nvprof", "--print-gpu-trace", "--csv", "--quiet", "--events", "warps_launched",
			"--metrics", "gst_efficiency", "twice.cu")
		assert.Contains(t, out, `"Device","Context","Stream","Kernel","warps_launched","gst_efficiency"`+"\n"+
			`"GK110 (0)","1","0","f(int*)",1,100.000000%`+"\n"+`"GK110 (0)","1","0","f(int*)",3,100.000000%`+"\n")
		out = p.run(p.binary, "nvprof", "--print-gpu-trace", "--quiet", "--functional", "--metrics", "ipc,inst_executed", "twice.cu")
		assert.Regexp(t, `Kernel +ipc +inst_executed\n +GK110 \(0\) +1 +0 +f\(int\*\) +- +[1-9]\d*\n.*\n$`, out)
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
	code, out, _ = keplersim(t, "smi", "-L", "--devices", "3", "-i", "1,2")
	assert.Equal(t, exitRan, code)
	assert.Equal(t, 2, strings.Count(out, "GPU "))
	assert.NotContains(t, out, "GPU 0")
	code, out, _ = keplersim(t, "smi", "-i", "0", "--format=csv,noheader",
		"--query-gpu=gpu_name,memory.used,utilization.gpu,temperature.gpu")
	assert.Equal(t, exitRan, code)
	assert.Equal(t, "GK110, 0 MiB, 0 %, [N/A]\n", out)
	code, out, _ = keplersim(t, "smi", "-q", "--config", "k40m")
	assert.Equal(t, exitRan, code)
	assert.Regexp(t, `(?m)^Attached GPUs +: 1\nGPU 0\n(    .*\n)*    compute_cap +: 3\.5\n`, out)
	code, _, errOut = keplersim(t, "smi", "-i", "1")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "-i 1: there is no such device")
	code, _, errOut = keplersim(t, "smi", "--query-gpu=nam")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "did you mean name?")
}
