package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/command"
)

// Runner runs programs that were built for keplersim.
type Runner struct {
	// Keplersim is the program, Toolkit the folder that build systems take for CUDA's, both with their whole paths.
	Keplersim, Toolkit string
	// Limit is the longest that a command may run, in a processor's time; by the clock it may take busy times as long.
	Limit time.Duration
	// Flags are those of keplersim run for the programs.
	Flags []string
}

// busy is by how much a machine that does other work as well may stretch the time that a program takes.
const busy = 4

// ErrLate says that a command took longer than the limit.
var ErrLate = errors.New("takes too long")

// mostOutput bounds what is kept of a command's output, in bytes.
const mostOutput = 1 << 20

// inexact is by how much what a process has used is counted otherwise where it is ended for it: by ticks of a clock that others share.
const inexact = time.Second / 2

// Call runs a command of the shell in a folder, with an input and variables besides. It returns what the command printed last, and the
// processor time that it took. Everything that the command has started ends when it takes too long.
func (r *Runner) Call(ctx context.Context, folder, shell, input string, variables ...string) (out string, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, busy*r.Limit)
	defer cancel()
	call := command.Tool(ctx, "/bin/sh", "-c", fmt.Sprintf("ulimit -t %d\n%s", int(max(1, r.Limit.Seconds())), shell))
	call.Dir = folder
	libraries := filepath.Join(r.Toolkit, "lib64") // LIBRARY_PATH is for makefiles that name /usr/local/cuda
	call.Env = append(os.Environ(), "KEPLERSIM="+r.Keplersim, "LD_LIBRARY_PATH="+libraries, "LIBRARY_PATH="+libraries,
		"PATH="+filepath.Join(r.Toolkit, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"CUDA_PATH", "CUDA_HOME", "CUDA_DIR"} {
		call.Env = append(call.Env, name+"="+r.Toolkit)
	}
	call.Env = append(call.Env, variables...)
	call.Stdin = strings.NewReader(input)
	var printed bytes.Buffer
	call.Stdout, call.Stderr = &printed, &printed
	err = call.Run()
	if state := call.ProcessState; state != nil {
		took = state.UserTime() + state.SystemTime()
	}
	if err != nil && (ctx.Err() != nil || took >= r.Limit-max(r.Limit/10, inexact)) {
		err = ErrLate
	}
	text := printed.Bytes()
	return string(text[max(0, len(text)-mostOutput):]), took, err
}

// Row is a program of one size on one board.
type Row struct {
	Suite, Program, Size, Board string
	Status, Reason              string // ok, wrong or failed, and why
	Launches                    int
	Cycles                      uint64  // launch cycles of all launches
	TimeUS                      float64 // of all launches
	// Interval is half the interval of the cycles where launches were sampled, and Error the typical error of the time, both in percent;
	// Timed is how much of the cycles was timed in detail, in percent.
	Interval, Error, Timed float64
	Counters               [len(Counters)]float64 // means weighted by cycles
	HostSeconds            float64
}

// Counters are the metrics of the table.
var Counters = [...]string{"ipc", "achieved_occupancy", "gld_efficiency", "l2_read_hit_rate", "dram_peak_percent"}

// report is what a row takes of a JSON report.
type report struct {
	Failure string `json:"failure"`
	Kernels []struct {
		Cycles   uint64  `json:"launch_cycles"`
		TimeUS   float64 `json:"time_us"`
		Estimate *struct {
			Detailed float64 `json:"detailed"`
			Low      float64 `json:"cycles_low"`
			High     float64 `json:"cycles_high"`
		} `json:"estimate"`
		Trust *struct {
			Typical float64 `json:"typical_percent"`
		} `json:"trust"`
		Metrics map[string]float64 `json:"metrics"`
	} `json:"kernels"`
	Host struct {
		Seconds float64 `json:"seconds"`
	} `json:"wall_clock"`
}

// Run builds a program of a copy of the checkout at a size, and runs it on each board.
func (r *Runner) Run(ctx context.Context, s *Suite, checkout string, p Program, size string, boards []string) (rows []Row) {
	row := Row{Suite: s.Name, Program: p.Name, Size: size}
	folder := filepath.Join(checkout, filepath.FromSlash(p.Folder))
	sized := "SIZE=" + p.Sizes[size]
	built, _, err := r.Call(ctx, folder, p.Build, "", sized)
	for _, row.Board = range boards {
		row := row
		if err != nil {
			row.Status, row.Reason = "failed", "build: "+Cause(built, err)
		} else {
			r.one(ctx, &row, folder, p.Run, sized)
		}
		rows = append(rows, row)
	}
	return rows
}

// one runs a program that was built, and fills its row.
func (r *Runner) one(ctx context.Context, row *Row, folder, run, sized string) {
	file := filepath.Join(folder, "keplersim-report.json")
	os.Remove(file) // of another board
	words := append([]string{"--config", row.Board, "--format", "json", "--output", file}, r.Flags...)
	for i := range words {
		words[i] = command.Quote(words[i])
	}
	out, _, err := r.Call(ctx, folder, run, "", sized, "KEPLERSIM_FLAGS="+strings.Join(words, " "))
	if err != nil {
		row.Status, row.Reason = "failed", Cause(out, err)
		return
	}
	text, err := os.ReadFile(file)
	var all report
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all.Kernels) == 0 {
		row.Status, row.Reason = "failed", "it left no report of a launch"
		return
	}
	row.take(&all)
	if all.Failure != "" {
		first, _, _ := strings.Cut(all.Failure, "\n")
		row.Status, row.Reason = "failed", Short(first)
		return
	}
	row.Status = "ok"
	if passed, _, why := Judge(out); !passed {
		row.Status, row.Reason = "wrong", why
	}
}

// take sums up a report.
func (row *Row) take(all *report) {
	row.Launches, row.HostSeconds = len(all.Kernels), all.Host.Seconds
	cycles, half, timed, trusted := 0.0, 0.0, 0.0, 0.0
	for _, k := range all.Kernels {
		c := float64(k.Cycles)
		row.Cycles += k.Cycles
		row.TimeUS += k.TimeUS
		cycles += c
		detailed := 1.0
		if e := k.Estimate; e != nil {
			detailed = e.Detailed
			half += (e.High - e.Low) / 2 // the intervals of launches are taken as if they erred together
		}
		timed += c * detailed
		if k.Trust != nil {
			trusted += c * k.Trust.Typical
		}
		for i, name := range Counters {
			row.Counters[i] += c * k.Metrics[name]
		}
	}
	if cycles == 0 {
		return
	}
	row.Interval, row.Timed, row.Error = 100*half/cycles, 100*timed/cycles, trusted/cycles
	for i := range row.Counters {
		row.Counters[i] /= cycles
	}
}

// Copy copies a checkout with the times of its files, by which make sees what is older than what.
func Copy(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return os.Chtimes(filepath.Join(to, name), info.ModTime(), info.ModTime())
	})
}

var (
	// errorLines say why something failed, the most telling first.
	errorLines = []*regexp.Regexp{
		regexp.MustCompile(`(?m)^.*(error: |undefined reference|ld: cannot find).*$`),
		regexp.MustCompile(`(?im)^.*(nvcc has no flag|No such file|cannot open|usage:|keplersim: |CUDA error).*$`),
		regexp.MustCompile(`(?im)^.*(\*\*\*|cannot|error|fatal).*$`),
	}
	// folders are those of copies and of compilations, which are others each time.
	folders = regexp.MustCompile(`/[^ :]*/(suite|keplersim-cuda|keplersim-suite)-\d+/`)
	said    = regexp.MustCompile(`(?i)\b(PASS(ED)?|success(ful(ly)?)?|correct|results? match|OK)\b`)
	wrong   = regexp.MustCompile(`(?i)\b(FAIL(ED|URE)?|mismatch(es)?|incorrect|do not match|does not match|wrong)\b`)
	// ours are keplersim's own lines, and those of device code that fails as it is meant to.
	ours = regexp.MustCompile(`^keplersim: |Assertion .* failed|as expected`)
	fine = regexp.MustCompile(`(?i)\b(0 (failed|failures?|errors?|mismatch(es)?|wrong)|no (mismatch|failure)|` +
		`(failed|failures?|mismatch(es)?|wrong)\s*[:=]\s*0)\b`)
	threshold = regexp.MustCompile(`Error Threshold of [\d.]+ Percent: (\d+)`)
)

// Cause is the line of an output that says most about a failure.
func Cause(out string, err error) string {
	if errors.Is(err, ErrLate) {
		return ErrLate.Error()
	}
	for _, lines := range errorLines {
		if line := lines.FindString(out); line != "" {
			return Short(line)
		}
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return Short(err.Error() + ": " + lines[len(lines)-1])
}

// Short returns a line without folders of copies, cut off where it is long.
func Short(line string) string {
	line = strings.TrimSpace(folders.ReplaceAllString(line, ""))
	if len(line) > 160 {
		line = line[:160] + "..."
	}
	return line
}

// Judge tells by a program's output what it thinks of its results, and whether it said so itself.
func Judge(out string) (passed, checked bool, why string) {
	if m := threshold.FindAllStringSubmatch(out, -1); m != nil {
		for _, one := range m {
			if one[1] != "0" {
				return false, true, Short(one[0])
			}
		}
		return true, true, ""
	}
	for line := range strings.SplitSeq(out, "\n") {
		if wrong.MatchString(line) && !fine.MatchString(line) && !ours.MatchString(line) {
			return false, true, Short(line)
		}
	}
	return true, said.MatchString(out), ""
}
