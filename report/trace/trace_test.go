package trace_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/report/trace"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/record"
	"github.com/keplersim/keplersim/sim/stats"
)

// entry is an event of the Trace Event Format.
type entry struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name"`
	Category string         `json:"cat"`
	Process  *int           `json:"pid"`
	Thread   *int           `json:"tid"`
	Time     json.Number    `json:"ts"`
	Duration json.Number    `json:"dur"`
	ID       string         `json:"id"`
	Bind     string         `json:"bp"`
	Args     map[string]any `json:"args"`
}

func (e *entry) from(t *testing.T) float64 { return number(t, e.Time) }
func (e *entry) to(t *testing.T) float64   { return number(t, e.Time) + number(t, e.Duration) }

func number(t *testing.T, n json.Number) float64 {
	f, err := n.Float64()
	require.NoError(t, err)
	return f
}

type thread struct{ process, thread int }

// traced runs a workload and returns its trace's events and its recording.
func traced(t *testing.T, file string, o record.Options, compressed bool) ([]entry, *recording.Recording) {
	t.Helper()
	recorder := record.New(o)
	job, err := host.Open(context.Background(), file, host.Options{Config: "gk110", Simulator: sim.Options{Threads: 1,
		Observer: recorder}})
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	r, err := recorder.Recording(&record.About{Workload: job.Workload.Name, Config: job.Config, Launches: result.Launches})
	require.NoError(t, err)
	var out bytes.Buffer
	run := &trace.Run{Workload: job.Workload.Name, Chip: stats.NewChip(job.Config), Launches: result.Launches,
		Timeline: result.Timeline, Recording: r}
	require.NoError(t, trace.Write(&out, run, compressed))
	in := io.Reader(&out)
	if compressed {
		in, err = gzip.NewReader(&out)
		require.NoError(t, err)
	}
	var object struct {
		TraceEvents     []entry        `json:"traceEvents"`
		DisplayTimeUnit string         `json:"displayTimeUnit"`
		OtherData       map[string]any `json:"otherData"`
	}
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&object))
	assert.Equal(t, "ns", object.DisplayTimeUnit)
	return object.TraceEvents, r
}

// assertFormat checks that events follow the Trace Event Format, and that Perfetto can show them: spans of a thread nest or do not overlap,
// and arrows begin, pass and end within spans.
func assertFormat(t *testing.T, events []entry) {
	t.Helper()
	spans := map[thread][]*entry{}
	flows := map[string][]*entry{}
	for i := range events {
		e := &events[i]
		require.NotNil(t, e.Process, "%+v", e)
		require.NotEmpty(t, e.Name, "%+v", e)
		switch e.Phase {
		case "X":
			require.NotNil(t, e.Thread)
			assert.GreaterOrEqual(t, number(t, e.Duration), 0.0)
			key := thread{*e.Process, *e.Thread}
			spans[key] = append(spans[key], e)
		case "M":
			assert.Contains(t, []string{"process_name", "thread_name", "process_sort_index", "thread_sort_index"}, e.Name)
			assert.NotEmpty(t, e.Args)
		case "C":
			require.Len(t, e.Args, 1)
			for _, v := range e.Args {
				assert.IsType(t, 0.0, v)
			}
		case "s", "t", "f":
			require.NotEmpty(t, e.ID)
			require.NotEmpty(t, e.Category)
			flows[e.ID] = append(flows[e.ID], e)
		default:
			assert.Fail(t, "no phase that the trace uses", e.Phase)
		}
	}
	for key, list := range spans {
		slices.SortStableFunc(list, func(a, b *entry) int {
			if a.from(t) != b.from(t) {
				return int((a.from(t) - b.from(t)) * 1e6)
			}
			return int((b.to(t) - a.to(t)) * 1e6)
		})
		for i := 1; i < len(list); i++ {
			before, e := list[i-1], list[i]
			within := e.to(t) <= before.to(t)+1e-9
			assert.True(t, within || e.from(t) >= before.to(t)-1e-9, "%v: %s at %s overlaps %s at %s", key, e.Name, e.Time,
				before.Name, before.Time)
		}
	}
	for id, list := range flows {
		require.GreaterOrEqual(t, len(list), 2, id)
		assert.Equal(t, "s", list[0].Phase, id)
		assert.Equal(t, "f", list[len(list)-1].Phase, id)
		assert.Equal(t, "e", list[len(list)-1].Bind, id)
		for i, e := range list {
			if i > 0 {
				assert.GreaterOrEqual(t, e.from(t), list[i-1].from(t), id)
			}
			assert.True(t, enclosed(t, spans[thread{*e.Process, *e.Thread}], e.from(t)),
				"%s: step %d at %s is in no span", id, i, e.Time)
		}
	}
}

func enclosed(t *testing.T, list []*entry, at float64) bool {
	i, _ := slices.BinarySearchFunc(list, at, func(e *entry, at float64) int {
		if e.from(t) <= at {
			return -1
		}
		return 1
	})
	return i > 0 && at < list[i-1].to(t)-1e-9
}

// A kernel's trace has its warps, its requests and its counters, and each arrow from a load ends where its answer arrives.
func TestArrowsEndWhereAnswersLand(t *testing.T) {
	events, r := traced(t, "../../workloads/vectoradd/vectoradd.yaml", record.Options{SMXs: []int{0},
		Window: recording.Window{To: 3000}}, true)
	assertFormat(t, events)
	ends := map[float64]bool{}
	for i := range events {
		if e := &events[i]; e.Phase == "f" {
			ends[e.Args["cycle"].(float64)] = true
		}
	}
	loads := 0
	for _, a := range r.Track(0, 0).Answers {
		if op := r.Operation(r.Track(0, 0), a.Warp,
			a.Op); op.Class == "global" && len(op.Writes) > 0 && a.Cycle-r.Grids[0].Start < r.Window.To {
			loads++
			assert.True(t, ends[float64(a.Cycle)], "the load of cycle %d is answered in cycle %d, where no arrow ends",
				a.Issued, a.Cycle)
		}
	}
	assert.Positive(t, loads)
	assert.Positive(t, count(events, "C", "IPC of all SMXs"))
	assert.Positive(t, count(events, "C", "DRAM reads"))
	issues := 0
	for _, e := range r.Track(0, 0).Issues {
		if !e.Second {
			issues++
		}
	}
	spans := 0
	for i := range events {
		if events[i].Category == "issue" {
			spans++
		}
	}
	assert.Equal(t, issues, spans)
	missed := slices.ContainsFunc(r.Memory[0].Flights, func(f observe.Flight) bool { return f.Found == observe.Missed })
	assert.True(t, missed)
}

func count(events []entry, phase, name string) (n int) {
	for i := range events {
		if events[i].Phase == phase && events[i].Name == name {
			n++
		}
	}
	return n
}

// Streams, queues, copies and blocks need no recording of warps.
func TestCommandsHaveTheirRows(t *testing.T) {
	for _, name := range []string{"hyperq", "overlap"} {
		events, _ := traced(t, "../../workloads/"+name+"/"+name+".yaml", record.Options{LivesAlone: true}, false)
		assertFormat(t, events)
		named := map[string]bool{}
		for i := range events {
			if e := &events[i]; e.Phase == "M" {
				if text, ok := e.Args["name"].(string); ok {
					named[text] = true
				}
			}
		}
		for _, want := range []string{"host", "stream 1", "queue 0", "SMX 0", "blocks 0"} {
			assert.Contains(t, named, want, name)
		}
		if name == "overlap" {
			assert.Contains(t, named, "copies to device")
		}
	}
}
