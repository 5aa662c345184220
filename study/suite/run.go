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
	Suite, Program, Size string
	Board, Config        string // Config is the hash of its values
	Status               study.Status
	Reason               string
	Metrics              map[string]float64 // by the names of columns; nil where it left no report
}

// columns are the metrics of a table, with their units. Means are weighted by cycles.
var columns = []struct {
	name, unit string
	mean       bool
}{
	{"launches", "count", false}, {"launch_cycles", "cycles", false}, {"time_us", "us", false},
	{"interval_percent", "percent", true},      // half the interval of the cycles, where launches were sampled
	{"typical_error_percent", "percent", true}, // of the time
	{"timed_percent", "percent", true},         // of the cycles, in detail
	{"ipc", "", true}, {"achieved_occupancy", "", true}, {"gld_efficiency", "", true}, {"l2_read_hit_rate", "", true},
	{"dram_peak_percent", "", true}, {"host_seconds", "s", false},
}

// Table returns rows as a study's table, which keplersim compare and keplersim sweep report read.
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

// Run builds programs at sizes, and runs each on the boards. They work in one copy of the checkout, where a program's folder is as in the
// checkout whenever it is built. Step, if not nil, is called before each.
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

// take sums up a report.
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
			weighed["interval_percent"] = 100 * (e.High - e.Low) / 2 / cycles // those of launches are taken as if they erred together
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
