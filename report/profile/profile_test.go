package profile_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	pprof "github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report/profile"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/testkit/need"
)

func launches(t *testing.T, file string, o host.Options) []*stats.Launch {
	t.Helper()
	o.Config, o.Simulator = "gk110", sim.Options{Threads: 1}
	job, err := host.Open(context.Background(), file, o)
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	return result.Launches
}

// value returns the sum of a sample type.
func value(t *testing.T, p *pprof.Profile, name string) (sum int64) {
	t.Helper()
	for i, s := range p.SampleType {
		if s.Type == name {
			for _, sample := range p.Sample {
				sum += sample.Value[i]
			}
			return sum
		}
	}
	require.Fail(t, "no sample type "+name)
	return 0
}

// The lines of a profile add up to the report, and go tool pprof reads it.
func TestProfilesAddUpAndAreRead(t *testing.T) {
	list := launches(t, "../../workloads/reduction-shared/reduction-shared.yaml", host.Options{})
	var out bytes.Buffer
	require.NoError(t, profile.Write(&out, list))
	p, err := pprof.Parse(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	var want stats.SMX
	for _, l := range list {
		want.Add(&l.Total)
	}
	assert.Equal(t, int64(want.InstExecuted), value(t, p, "instructions"))
	assert.Equal(t, int64(want.Stalls.Sum()+want.InstExecuted), value(t, p, "warp_cycles"))
	assert.Equal(t, int64(want.Stalls[stats.StallSync]), value(t, p, "stall_sync"))
	assert.Equal(t, int64(want.GlobalLoad.Sectors+want.GlobalStore.Sectors+want.Atomics.Sectors+want.Reductions.Sectors),
		value(t, p, "sectors"))

	if testing.Short() {
		return // go builds its pprof at the first call, which takes half a minute of processor time
	}
	goTool := need.Program(t, "go")
	file := filepath.Join(t.TempDir(), "out.pb.gz")
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
	text, err := exec.Command(goTool, "tool", "pprof", "-top", "-lines", "-sample_index=instructions", file).CombinedOutput()
	require.NoError(t, err, string(text))
	assert.Contains(t, string(text), "Type: instructions")
	assert.Contains(t, string(text), "reduction-shared.ptx:")
	total := regexp.MustCompile(`of (\d+) total`).FindSubmatch(text)
	require.NotNil(t, total, string(text))
	n, err := strconv.Atoi(string(total[1]))
	require.NoError(t, err)
	assert.Equal(t, int(want.InstExecuted), n)
}

// An inlined function is above its caller in the stack: the example of the PTX Writer's Guide to Interoperability, chapter 6.
func TestInlinedFunctionsStandAboveTheirCallers(t *testing.T) {
	p, err := profile.New(launches(t, "../../isa/debuginfo/testdata/call_example.ptx", host.Options{
		Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1},
	}))
	require.NoError(t, err)
	found := false
	for _, l := range p.Location {
		if len(l.Line) == 2 && l.Line[0].Function.Name == "foo(int, int)" && l.Line[0].Line == 3 {
			found = true
			assert.Equal(t, "test(int*)", l.Line[1].Function.Name)
			assert.Equal(t, int64(8), l.Line[1].Line)
		}
	}
	assert.True(t, found)
}
