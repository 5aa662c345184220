package explain_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/report/explain"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/record"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before committing")

// recorded runs one warp of a kernel of testdata.
func recorded(t *testing.T, kernel string, config ...string) *recording.Recording {
	t.Helper()
	recorder := record.New(record.Options{})
	o := host.Options{
		Config: "gk110", Overrides: config, Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Simulator: sim.Options{Threads: 1,
			Observer: recorder},
	}
	job, err := host.Open(context.Background(), filepath.Join("testdata", kernel+".ptx"), o)
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, recorder.Write(&file, &record.About{Workload: kernel, Config: job.Config, Launches: result.Launches}))
	r, err := recording.Read(&file)
	require.NoError(t, err)
	return r
}

// ffmas returns the issues of a recording's FFMAs.
func ffmas(r *recording.Recording) (list []recording.Issue) {
	t := r.Track(0, 0)
	for _, e := range t.Issues {
		if r.Operation(t, e.Warp, e.Op).Mnemonic == "FFMA" {
			list = append(list, e)
		}
	}
	return list
}

// around returns the cycles from shortly before a recording's first FFMA.
func around(r *recording.Recording) explain.Choice {
	first := ffmas(r)[0].Cycle - r.Grids[0].Start
	return explain.Choice{Window: recording.Window{From: first - 2, To: first + 24}}
}

// Two dependent FFMAs issue 9 cycles apart, which is Kepler's latency. Two independent ones issue in one cycle. If two registers of an
// operation are in one bank, the text says so. The golden files show all of it.
func TestGolden(t *testing.T) {
	for name, check := range map[string]func(t *testing.T, r *recording.Recording, text string){
		"chain": func(t *testing.T, r *recording.Recording, text string) {
			list := ffmas(r)
			require.Len(t, list, 2)
			assert.Equal(t, engine.Cycle(9), list[1].Cycle-list[0].Cycle)
			assert.Contains(t, text, "waits for R7 of 7 FFMA, for 8 ST.E")
		},
		"pair": func(t *testing.T, r *recording.Recording, text string) {
			list := ffmas(r)
			require.Len(t, list, 2)
			assert.Equal(t, list[0].Cycle, list[1].Cycle)
			assert.True(t, list[1].Second)
			assert.Contains(t, text, "to core, paired with 7 FFMA")
		},
		"conflict": func(t *testing.T, r *recording.Recording, text string) {
			k := &r.Kernels[0]
			for _, e := range ffmas(r) {
				assert.Positive(t, k.Ops[e.Op].Conflict)
			}
			assert.Contains(t, text, "(bank conflict: R4, R6 in bank 2, ")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, name)
			v, err := explain.New(r, around(r))
			require.NoError(t, err)
			var cycles, warp bytes.Buffer
			require.NoError(t, v.Text(&cycles))
			require.NoError(t, v.WarpText(&warp, 0))
			text := warp.String() + "\n" + cycles.String()
			check(t, r, text)
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), text)
		})
	}
}

// Without dual issue the pair issues in different cycles.
func TestPairsNeedTwoDispatchUnits(t *testing.T) {
	list := ffmas(recorded(t, "pair", "pipelines.dual_issue.enabled=false"))
	assert.Less(t, list[0].Cycle, list[1].Cycle)
}

// Drawings are well-formed and agree with the text: a mark for each issue in the window.
func TestDrawings(t *testing.T) {
	r := recorded(t, "chain")
	v, err := explain.New(r, around(r))
	require.NoError(t, err)
	for name, draw := range map[string]func(io.Writer) error{
		"cycles": v.SVG, "warp": func(w io.Writer) error { return v.WarpSVG(w, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, draw(&out))
			marks := 0
			decoder := xml.NewDecoder(strings.NewReader(out.String()))
			for {
				token, err := decoder.Token()
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				if text, ok := token.(xml.CharData); ok && strings.Contains(string(text), " issues ") {
					marks++
				}
			}
			c, inside := around(r), 0
			for _, e := range r.Track(0, 0).Issues {
				if at := e.Cycle - r.Grids[0].Start; at >= c.Window.From && at < c.Window.To && !(name == "cycles" && e.Second) {
					inside++
				}
			}
			assert.Positive(t, inside)
			assert.Equal(t, inside, marks)
		})
	}
}

// Errors say what a recording does not have.
func TestWhatIsNotThere(t *testing.T) {
	r := recorded(t, "chain")
	for says, c := range map[string]explain.Choice{
		"launch 2: the recording has 1":            {Launch: 1},
		"multiprocessor 3 is not in the recording": {SMX: 3},
		"ran from cycle 0 to":                      {Window: recording.Window{From: 1 << 40}},
	} {
		_, err := explain.New(r, c)
		assert.ErrorContains(t, err, says)
	}
	r.Window = recording.Window{From: 10, To: 20}
	_, err := explain.New(r, explain.Choice{Window: recording.Window{From: 5, To: 12}})
	assert.ErrorContains(t, err, "the recording has only those from 10 to 19")
	r.Window = recording.Window{}
	v, err := explain.New(r, around(r))
	require.NoError(t, err)
	assert.ErrorContains(t, v.WarpText(io.Discard, 7), "warp 7 was not on multiprocessor 0 in these cycles: 0 were")
}
