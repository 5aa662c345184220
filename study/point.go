package study

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/study/store"
	"github.com/keplersim/keplersim/workload"
)

// Status is how a point ended.
type Status string

// OK means that a point ran and met every expectation, Wrong that it ran and computed something else, Failed that it could not run or broke
// off.
const (
	OK     Status = "ok"
	Wrong  Status = "wrong"
	Failed Status = "failed"
)

// Outcome is the result of a point.
type Outcome struct {
	Status Status `json:"status"`
	// Reason says why a point is not OK.
	Reason string `json:"reason,omitempty"`
	// Launches is how many launches the metrics cover.
	Launches int `json:"launches"`
	// Metrics has every metric of the simulator by name. Over several launches, counts, cycles, bytes and times are summed; the others are
	// means weighted by cycles.
	Metrics map[string]float64 `json:"metrics,omitempty"`
	// Notes say what was made up, and what has no effect on this chip, as keplersim run prints them.
	Notes []string `json:"notes,omitempty"`
}

// plan is a point that is ready to run: its chip and options.
type plan struct {
	point       Point
	chip        *configs.Config
	options     host.Options
	block, grid [3]int // zero leaves a launch's own
}

// prepare turns a point's values into options. Its error says why the point cannot run.
func (s *Study) prepare(p Point) (*plan, error) {
	l := &plan{point: p}
	var overrides []string
	o := &l.options
	o.Kernel = s.Kernel
	o.Simulator = sim.Options{Threads: 1, Functional: s.Functional, MaxCycles: s.MaxCycles, Printf: io.Discard}
	for i, a := range s.Axes {
		value := p.Values[i]
		if _, option := options[a.Name]; !option && !strings.HasPrefix(a.Name, definePrefix) {
			at := len(overrides)
			if slices.ContainsFunc(s.Axes, func(other Axis) bool { return strings.HasPrefix(other.Name, a.Name+".") }) {
				at = 0 // set a policy before its parameters
			}
			overrides = slices.Insert(overrides, at, a.Name+"="+value)
			continue
		}
		if err := l.set(a.Name, value); err != nil {
			return nil, fmt.Errorf("%s %s: %w", a.Name, value, err)
		}
	}
	var err error
	l.chip, err = configs.Load(s.boardFile(p.Board), overrides)
	o.Chip = l.chip
	return l, err
}

// set sets an option.
func (l *plan) set(name, value string) (err error) {
	o := &l.options
	switch name {
	case "block":
		l.block, err = shape(value)
	case "grid":
		l.grid, err = shape(value)
	case "shared":
		o.Shared, err = strconv.Atoi(value)
	case "maxrregcount":
		o.Simulator.MaxRegisters, err = strconv.Atoi(value)
	case "cache_config":
		o.Simulator.CacheConfig = value
	case "bank_mode":
		var n int
		if n, err = strconv.Atoi(value); err == nil {
			o.Simulator.BankMode, err = memorymode.ParseBankMode(n)
		}
	case "dlcm":
		o.Simulator.GlobalLoads, err = memorymode.ParseGlobalLoads(value)
	case "use_fast_math":
		o.Code.Compile.FastMath, err = strconv.ParseBool(value)
	case "fmad":
		var together bool
		together, err = strconv.ParseBool(value)
		o.Code.Compile.NoContraction = !together
	default:
		o.Code.Compile.Defines = append(o.Code.Compile.Defines, strings.TrimPrefix(name, definePrefix)+"="+value)
	}
	return err
}

// shape reads a grid or a block, as in 64 or 16,16.
func shape(value string) (dims [3]int, err error) {
	parts := strings.Split(value, ",")
	if len(parts) > 3 {
		return dims, errors.New("this has more than three dimensions")
	}
	dims = [3]int{1, 1, 1}
	for i, part := range parts {
		if dims[i], err = strconv.Atoi(strings.TrimSpace(part)); err != nil || dims[i] < 1 {
			return dims, errors.New("give a number, or several with commas between them")
		}
	}
	return dims, nil
}

// run simulates a point. The error is ctx's; failures of the point itself are in its outcome.
func (l *plan) run(ctx context.Context) (outcome Outcome, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			outcome, err = Outcome{Status: Failed, Reason: fmt.Sprintf("a bug in keplersim: %v", fault)}, nil
		}
	}()
	o := l.options
	_, beside := workload.Beside(l.point.File)
	launches := slices.Contains(sources.Extensions, strings.ToLower(filepath.Ext(l.point.File))) && !beside
	if launches {
		o.Block, o.Grid = l.block, l.grid
	}
	shared := o.Shared
	if !launches {
		o.Shared = 0
	}
	job, err := host.Open(ctx, l.point.File, o)
	if err == nil && !launches {
		err = l.reshape(job, shared)
	}
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	if err != nil {
		return failed(err), nil
	}
	result, err := job.Run(ctx)
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	if err != nil && len(result.Mismatches) == 0 {
		return failed(err), nil
	}
	outcome = Outcome{Status: OK, Launches: len(result.Launches), Metrics: metricsOf(result.Launches), Notes: job.Notes}
	if len(result.Mismatches) > 0 {
		outcome.Status, outcome.Reason = Wrong, reasonOf(result.Mismatches[0].String())
	}
	return outcome, nil
}

func failed(err error) Outcome { return Outcome{Status: Failed, Reason: reasonOf(err.Error())} }

// reasonOf joins the lines of a message.
func reasonOf(message string) string { return strings.Join(strings.Fields(message), " ") }

// reshape gives the workload's launches the block, grid and shared memory of the point. A block without a grid keeps the number of threads.
func (l *plan) reshape(job *host.Job, shared int) error {
	if l.block == [3]int{} && l.grid == [3]int{} && shared == 0 {
		return nil
	}
	w := *job.Workload
	var err error
	w.Steps, err = workload.ChangeLaunches(w.Steps, func(step *workload.Step) (*workload.Launch, error) {
		if l.options.Kernel != "" && !job.Launches(step.Launch, l.options.Kernel) {
			return step.Launch, nil
		}
		launch := *step.Launch
		l.reshapeLaunch(&launch, shared)
		return &launch, nil
	})
	job.Workload = &w
	return err
}

// reshapeLaunch is reshape for one launch.
func (l *plan) reshapeLaunch(launch *workload.Launch, shared int) {
	if l.block != [3]int{} {
		for d := range launch.Block {
			threads := launch.Grid[d] * launch.Block[d]
			launch.Block[d] = l.block[d]
			launch.Grid[d] = (threads + l.block[d] - 1) / l.block[d]
		}
	}
	if l.grid != [3]int{} {
		launch.Grid = l.grid
	}
	if shared > 0 {
		launch.Shared = shared
	}
}

// metricsOf returns every metric over all launches.
func metricsOf(launches []*stats.Launch) map[string]float64 {
	all := map[string]float64{}
	if len(launches) == 0 {
		return all
	}
	weights, metrics := 0.0, stats.Metrics()
	for _, l := range launches {
		weight := float64(max(l.Cycles, 1))
		weights += weight
		all["cycles"] += float64(l.Cycles)
		all["time_us"] += l.TimeUS
		for _, d := range metrics {
			if d.Timed && l.Functional || d.Name == "cycles" || d.Name == "time_us" {
				continue
			}
			v := d.Value(l)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if !additive(d) {
				v *= weight
			}
			all[d.Name] += v
		}
	}
	for _, d := range metrics {
		if v, ok := all[d.Name]; ok && !additive(d) && d.Name != "cycles" && d.Name != "time_us" {
			all[d.Name] = v / weights
		}
	}
	return all
}

// additive reports whether a metric is summed over launches.
func additive(d stats.Definition) bool {
	return d.Unit == stats.Count && d.Kind != stats.Metric || d.Unit == stats.Cycles && d.Kind != stats.Metric || d.Unit == stats.Bytes ||
		strings.HasSuffix(d.Name, "_transactions")
}

// key returns the key for a point's result: a hash of the simulator, the files that it reads, the chip's values and the options.
func (l *plan) key(version []byte, inputs *inputs) (string, error) {
	read, err := inputs.of(l.point.File, int(l.chip.ComputeCapability))
	if err != nil {
		return "", err
	}
	o := l.options
	return store.Fingerprint(version, read, []byte(l.chip.Values()),
		fmt.Appendf(nil, "%s %d %q %v %v %d %d %t %d %v %v %q", o.Kernel, o.Shared,
			o.Simulator.CacheConfig, l.block, l.grid, o.Simulator.MaxRegisters, o.Simulator.MaxCycles, o.Simulator.Functional,
			o.Simulator.BankMode, o.Simulator.GlobalLoads, o.Code.Compile.NoContraction,
			fmt.Sprint(o.Code.Compile.FastMath, o.Code.Compile.Defines))), nil
}

// inputs caches the hashes of files, for each compute capability. It is safe for several goroutines.
type inputs struct {
	lock   sync.Mutex
	hashes map[string][]byte
}

// of returns the hash of a file with everything that it reads: a workload's modules and data, the workload next to code, headers next to
// CUDA C.
func (i *inputs) of(file string, capability int) ([]byte, error) {
	i.lock.Lock()
	defer i.lock.Unlock()
	name := fmt.Sprintf("%s %d", file, capability)
	if h := i.hashes[name]; h != nil {
		return h, nil
	}
	list := []string{file}
	w := file
	if beside, ok := workload.Beside(file); ok {
		w = beside
	}
	if slices.Contains(workload.Extensions, strings.ToLower(filepath.Ext(w))) {
		loaded, err := workload.Load(w)
		if err != nil {
			return nil, err
		}
		list = append(list, host.InputsOf(loaded, capability)...)
	}
	for _, f := range list {
		if strings.EqualFold(filepath.Ext(f), ".cu") {
			headers, err := headersBeside(f)
			if err != nil {
				return nil, err
			}
			list = append(list, headers...)
		}
	}
	slices.Sort(list)
	h := sha256.New()
	for _, f := range slices.Compact(list) {
		text, err := os.ReadFile(f)
		if f == file && err != nil {
			return nil, fmt.Errorf("read what is run: %w", err)
		}
		fmt.Fprintf(h, "%s %t %d\n", filepath.Base(f), err == nil, len(text))
		h.Write(text)
	}
	if i.hashes == nil {
		i.hashes = map[string][]byte{}
	}
	i.hashes[name] = h.Sum(nil)
	return i.hashes[name], nil
}

// headersBeside returns the headers in the folder of a CUDA C file.
func headersBeside(file string) (list []string, err error) {
	for _, pattern := range []string{"*.h", "*.cuh", "*.hpp", "*.inl"} {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(file), pattern))
		if err != nil {
			return nil, fmt.Errorf("headers beside %s: %w", file, err)
		}
		list = append(list, found...)
	}
	return list, nil
}
