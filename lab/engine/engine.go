package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/gather"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/stats"
)

// Limits bound one request. Zero means no bound.
type Limits struct {
	Time   time.Duration // elapsed time on the host
	Cycles int64         // of a launch, in core clocks
	Memory uint64        // bytes on a device: buffers, variables of the code, the heap, local memory
	Code   int           // bytes of all texts. Loading takes up to 200 times as much memory, and a second for each 2 MB.
}

// Request is a run of a kernel.
type Request struct {
	// Files are texts by name: PTX, CUDA C, and the workload file.
	Files map[string]string `json:"files"`
	// Data are binary files, by name.
	Data map[string][]byte `json:"data,omitempty"`
	// Run is the name of the file to run.
	Run string `json:"run"`
	// Config is the chip or board; "" takes the workload's.
	Config string `json:"config,omitempty"`
	// Set overrides keys of the configuration, each KEY=VALUE.
	Set []string `json:"set,omitempty"`
	// Scheduler is an expression for the warp schedulers' policy (scheduler.Expression); "" keeps the configuration's.
	Scheduler string `json:"scheduler,omitempty"`
	// Power adds the board's power and energy to the report; the clocks stay fixed.
	Power bool `json:"power,omitempty"`
	// Check runs without timing and looks for races, unset shared memory and barriers in diverged code.
	Check bool `json:"check,omitempty"`
	// Watch asks for the activity of one SMX, cycle by cycle; nil for none. A run with Check has no cycles to watch.
	Watch *Watch `json:"watch,omitempty"`
}

// Response is the result of a run.
type Response struct {
	// Error says why nothing ran, or why a run ended early. File, Line and Column say where, if known; they count from 1.
	Error  string `json:"error,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Text is the report for people, Report the same as JSON.
	Text   string          `json:"text,omitempty"`
	Report json.RawMessage `json:"report,omitempty"`
	// Passed says that the run ended and that all buffers hold what the workload expects. Wrong describes those that do not.
	Passed bool     `json:"passed"`
	Wrong  []string `json:"wrong,omitempty"`
	// Findings are the results of the checks.
	Findings []string `json:"findings,omitempty"`
	// Watched is the activity of the SMX in the first launch.
	Watched *Watched `json:"watched,omitempty"`
	// DeviceUS is when the device's last command ended, in microseconds from the start; 0 without timing.
	DeviceUS float64 `json:"device_us,omitempty"`
	// Launches are the kernels that ran, in order. Metrics are computed from their counters.
	Launches []*stats.Launch `json:"-"`
}

// Run carries out a request. Mistakes in the kernel or the workload are in the response; an error is the host's own.
func Run(ctx context.Context, q *Request, limits Limits) (*Response, error) {
	if limits.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limits.Time)
		defer cancel()
	}
	room, err := files.Temporary("keplersim-lab-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the kernel: %w", err)
	}
	defer room.Close()
	folder := room.Path
	all := maps.Clone(q.Data)
	if all == nil {
		all = map[string][]byte{}
	}
	code := len(q.Scheduler)
	for name, text := range q.Files {
		all[name] = []byte(text)
		code += len(text)
	}
	if limits.Code > 0 && code > limits.Code {
		return &Response{Error: fmt.Sprintf("the texts have %d bytes, and the limit is %d", code, limits.Code)}, nil
	}
	for name, data := range all {
		if !plainName().MatchString(name) {
			return &Response{Error: fmt.Sprintf("%q is not a file name: use letters, digits, ., _ and -", name)}, nil
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return nil, fmt.Errorf("the kernel's file: %w", err)
		}
	}
	if _, there := q.Files[q.Run]; !there {
		return &Response{Error: fmt.Sprintf("the file to run, %q, is not among the files", q.Run)}, nil
	}
	r := &Response{}
	if err := r.run(ctx, folder, q, limits); err != nil {
		r.fail(err, folder, limits)
	}
	return r, nil
}

// plainName matches names that cannot leave a folder.
var plainName = pattern.Lazy(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// run opens and runs the request's file.
func (r *Response) run(ctx context.Context, folder string, q *Request, limits Limits) error {
	simulator := sim.Options{Threads: 1, MaxCycles: limits.Cycles, Functional: q.Check, Printf: io.Discard,
		MostMemory: limits.Memory}
	if q.Check {
		simulator.Check = finding.All
	}
	if q.Power && !q.Check {
		simulator.Power = new(boost.Options)
	}
	if q.Scheduler != "" {
		policy, err := scheduler.Expression(q.Scheduler)
		if err != nil {
			return err
		}
		simulator.Scheduler = policy
	}
	watcher := q.watcher()
	if watcher != nil {
		simulator.Observer = watcher.observer()
	}
	job, err := host.Open(ctx, filepath.Join(folder, q.Run), host.Options{
		Config: q.Config, Overrides: q.Set, Simulator: simulator, Confined: true,
	})
	if err != nil {
		return err
	}
	begun := time.Now()
	result, failure := job.Run(ctx)
	r.Launches, r.DeviceUS = result.Launches, result.DeviceUS
	for _, m := range result.Mismatches {
		r.Wrong = append(r.Wrong, m.String())
	}
	for _, f := range report.CausesFirst(result.Mistakes) {
		r.Findings = append(r.Findings, f.String())
	}
	written := gather.Run(job, result, failure)
	written.Checked, written.Host = simulator.Check, report.Host{Threads: simulator.Threads, Wall: time.Since(begun)}
	var text, data bytes.Buffer
	if err := report.Text(&text, written); err != nil {
		return err
	}
	if err := report.JSON(&data, written); err != nil {
		return err
	}
	// Show the request's files without the temporary folder.
	prefix := folder + string(filepath.Separator)
	r.Text, r.Report = strings.ReplaceAll(text.String(), prefix, ""), bytes.ReplaceAll(data.Bytes(), []byte(prefix), nil)
	if watcher != nil && failure == nil {
		if r.Watched, err = watcher.watched(q.Watch, job.Config, result.Launches); err != nil {
			return err
		}
	}
	r.Passed = failure == nil && len(result.Mismatches) == 0
	return failure
}

// placed matches an error's position, file:line:column, at the start or after the words that say what was done.
var placed = pattern.Lazy(`([A-Za-z0-9._-]+):(\d+):(\d+): `)

// fail records a failure in the page's terms: files without folders, timeouts by the limit.
func (r *Response) fail(err error, folder string, limits Limits) {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sim.ErrInterrupted) && limits.Time > 0 {
		r.Error = fmt.Sprintf("the run took longer than %v", limits.Time)
		return
	}
	r.Error = strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")
	if m := placed().FindStringSubmatch(r.Error); m != nil {
		r.File = m[1]
	}
	r.Line, r.Column = Place(r.Error)
	if m := faulted().FindStringSubmatch(r.Error); m != nil && r.Line == 0 {
		r.File = m[1]
		r.Line, _ = strconv.Atoi(m[2])
	}
}

// faulted matches the source line in the message of a failed launch.
var faulted = pattern.Lazy(`\(source ([A-Za-z0-9._-]+):(\d+)\)`)

// Place returns the line and column, counted from 1, of the first position in a message; 0 if it has none.
func Place(message string) (line, column int) {
	if m := placed().FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[2])
		column, _ = strconv.Atoi(m[3])
	}
	return line, column
}

// Launch returns the longest launch of a kernel, or of all kernels for ""; nil if none ran. Exercises measure it.
func (r *Response) Launch(kernel string) *stats.Launch {
	var found []*stats.Launch
	for _, l := range r.Launches {
		if name, _, _ := strings.Cut(l.Name, "("); kernel == "" || l.Kernel == kernel || name == kernel {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MaxFunc(found, func(a, b *stats.Launch) int { return int(a.Cycles) - int(b.Cycles) })
}
