package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/study"
)

// Runner runs programs that were built for keplersim.
type Runner struct {
	// Keplersim is the program. Toolkit is the folder that build systems take for CUDA's. Both are absolute paths.
	Keplersim, Toolkit string
	// Limit is the most processor time of a command. Its elapsed time may be busy times as long.
	Limit time.Duration
	// Flags are passed to keplersim run for the programs.
	Flags []string
}

// busy is the factor by which other work on the machine may stretch a program's time.
const busy = 4

// ErrLate is the error of a command that exceeds the limit.
var ErrLate = errors.New("takes too long")

// mostOutput bounds how much of a command's output is kept, in bytes.
const mostOutput = 1 << 20

// inexact is how far off the reported processor time of a process can be that was killed at its limit: the kernel counts shared clock
// ticks.
const inexact = time.Second / 2

// Call runs a shell command in a folder, with an input and further environment variables. It returns the end of the command's output and
// the processor time that it took. If it takes too long, Call kills the command with all its children.
func (r *Runner) Call(ctx context.Context, folder, shell, input string, variables ...string) (out string, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, busy*r.Limit)
	defer cancel()
	call := command.Tool(ctx, "/bin/sh", "-c", fmt.Sprintf("ulimit -t %d\n%s", int(max(1, r.Limit.Seconds())), shell))
	call.Dir = folder
	libraries := filepath.Join(r.Toolkit, "lib64") // for makefiles that name /usr/local/cuda
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

// Row is a program at one size on one board.
type Row struct {
	Suite, Program, Size string
	Board, Config        string // Config is the hash of the board's configuration
	Status               study.Status
	Reason               string
	Metrics              map[string]float64 // by column; nil if the program left no report
}

// columns are the metrics of a table, with their units. Means are weighted by cycles.
var columns = []struct {
	name, unit string
	mean       bool
}{
	{"launches", "count", false}, {"launch_cycles", "cycles", false}, {"time_us", "us", false},
	{"interval_percent", "percent", true},      // half the interval of the cycles, if launches were sampled
	{"typical_error_percent", "percent", true}, // of the time
	{"timed_percent", "percent", true},         // of the cycles, those simulated in detail
	{"ipc", "", true}, {"achieved_occupancy", "", true}, {"gld_efficiency", "", true}, {"l2_read_hit_rate", "", true},
	{"dram_peak_percent", "", true}, {"host_seconds", "s", false},
}

// Table returns rows as a study's table, for keplersim compare and keplersim sweep report.
func Table(rows []Row) *study.Table {
	t := study.NewTable("suite", "size")
	for _, c := range columns {
		t.AddMetric(c.name, c.unit)
	}
	for _, r := range rows {
		t.Add(r.Program, r.Board, []string{r.Suite, r.Size}, r.Status, r.Reason, r.Metrics, r.Config)
	}
	return t
}

// Run builds programs at sizes, and runs each on the boards. It works in one copy of the checkout, and restores a program's folder before
// each build. step, if not nil, is called before each program and size.
func (r *Runner) Run(
	ctx context.Context, s *Suite, checkout string, programs []Program, sizes, boards []string, step func(p Program, size string),
) (rows []Row, err error) {
	room, err := files.Temporary("keplersim-suite-")
	if err != nil {
		return nil, err
	}
	defer room.Close()
	copied := filepath.Join(room.Path, "checkout")
	if err := Copy(copied, checkout); err != nil {
		return nil, fmt.Errorf("copy the checkout: %w", err)
	}
	for _, size := range sizes {
		for _, p := range programs {
			if _, has := p.Sizes[size]; !has || ctx.Err() != nil {
				continue
			}
			if step != nil {
				step(p, size)
			}
			folder := filepath.Join(copied, filepath.FromSlash(p.Folder))
			if err := os.RemoveAll(folder); err != nil {
				return nil, fmt.Errorf("a copy of the checkout: %w", err)
			}
			if err := Copy(folder, filepath.Join(checkout, filepath.FromSlash(p.Folder))); err != nil {
				return nil, fmt.Errorf("copy the checkout: %w", err)
			}
			rows = append(rows, r.program(ctx, Row{Suite: s.Name, Program: p.Name, Size: size}, folder, p, boards)...)
		}
	}
	return rows, nil
}

// program builds a program in its folder, and runs it on each board.
func (r *Runner) program(ctx context.Context, row Row, folder string, p Program, boards []string) (rows []Row) {
	sized := "SIZE=" + p.Sizes[row.Size]
	built, _, err := r.Call(ctx, folder, p.Build, "", sized)
	for _, row.Board = range boards {
		row := row
		if err != nil {
			row.Status, row.Reason = study.Failed, "build: "+Cause(built, err)
		} else {
			r.one(ctx, &row, folder, p.Run, sized)
		}
		rows = append(rows, row)
	}
	return rows
}

// one runs a built program and fills its row.
func (r *Runner) one(ctx context.Context, row *Row, folder, run, sized string) {
	file := filepath.Join(folder, "keplersim-report.json")
	os.Remove(file) // from the previous board
	words := append([]string{"--config", row.Board, "--format", "json", "--output", file}, r.Flags...)
	for i := range words {
		words[i] = command.Quote(words[i])
	}
	out, _, err := r.Call(ctx, folder, run, "", sized, "KEPLERSIM_FLAGS="+strings.Join(words, " "))
	if err != nil {
		row.Status, row.Reason = study.Failed, Cause(out, err)
		return
	}
	saved, err := report.ReadSaved([]string{file})
	if err != nil {
		row.Status, row.Reason = study.Failed, "it left no report of a launch"
		return
	}
	row.take(&saved[0])
	if failure := saved[0].Failure; failure != "" {
		first, _, _ := strings.Cut(failure, "\n")
		row.Status, row.Reason = study.Failed, Short(first)
		return
	}
	row.Status = study.OK
	if passed, _, why := Judge(out); !passed {
		row.Status, row.Reason = study.Wrong, why
	}
}

// take fills a row's metrics from a report.
func (row *Row) take(saved *report.Saved) {
	row.Config = saved.ConfigHash
	m := map[string]float64{"launches": float64(len(saved.Launches)), "host_seconds": saved.Host.Seconds}
	for _, l := range saved.Launches {
		cycles := float64(l.LaunchCycles)
		m["launch_cycles"] += cycles
		m["time_us"] += l.TimeUS
		weighed := map[string]float64{"timed_percent": 100}
		maps.Copy(weighed, l.Metrics)
		if e := l.Estimate; e != nil && cycles > 0 {
			weighed["timed_percent"] = 100 * e.Detailed
			weighed["interval_percent"] = 100 * (e.High - e.Low) / 2 / cycles // the launches' errors are assumed to be fully correlated
		}
		if l.Trust != nil {
			weighed["typical_error_percent"] = l.Trust.Typical
		}
		for _, c := range columns {
			if c.mean {
				m[c.name] += cycles * weighed[c.name]
			}
		}
	}
	for _, c := range columns {
		if c.mean {
			m[c.name] /= max(m["launch_cycles"], 1)
		}
	}
	row.Metrics = m
}

// Copy copies a checkout and keeps the files' times, because make compares them.
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
	// errorLines match lines that say why something failed, the most informative first.
	errorLines = []*regexp.Regexp{
		regexp.MustCompile(`(?m)^.*(error: |undefined reference|ld: cannot find).*$`),
		regexp.MustCompile(`(?im)^.*(nvcc has no flag|No such file|cannot open|usage:|keplersim: |CUDA error).*$`),
		regexp.MustCompile(`(?im)^.*(\*\*\*|cannot|error|fatal).*$`),
	}
	// folders match the folders of copies and compilations, whose names differ each time.
	folders = regexp.MustCompile(`/[^ :]*/(suite|keplersim-cuda|keplersim-suite)-\d+/`)
	said    = regexp.MustCompile(`(?i)\b(PASS(ED)?|success(ful(ly)?)?|correct|results? match|OK)\b`)
	wrong   = regexp.MustCompile(`(?i)\b(FAIL(ED|URE)?|mismatch(es)?|incorrect|do not match|does not match|wrong)\b`)
	// ours match keplersim's own lines, and those of device code that is meant to fail.
	ours = regexp.MustCompile(`^keplersim: |Assertion .* failed|as expected`)
	fine = regexp.MustCompile(`(?i)\b(0 (failed|failures?|errors?|mismatch(es)?|wrong)|no (mismatch|failure)|` +
		`(failed|failures?|mismatch(es)?|wrong)\s*[:=]\s*0)\b`)
	// died is what keplersim says of a kernel that failed, whether or not the program asks. A program that makes one fail says meant.
	died      = regexp.MustCompile(`the program gets CUDA error \d+`)
	meant     = regexp.MustCompile(`as expected`)
	threshold = regexp.MustCompile(`Error Threshold of [\d.]+ Percent: (\d+)`)
)

// Cause returns the line of an output that says most about a failure.
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

// Short returns a line without the folders of copies, cut if it is long.
func Short(line string) string {
	line = strings.TrimSpace(folders.ReplaceAllString(line, ""))
	if len(line) > 160 {
		line = line[:160] + "..."
	}
	return line
}

// Judge decides from a program's output whether it passed, and whether it checked its results at all.
func Judge(out string) (passed, checked bool, why string) {
	if failure := died.FindString(out); failure != "" && !meant.MatchString(out) {
		return false, true, "a kernel fails: " + failure
	}
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
