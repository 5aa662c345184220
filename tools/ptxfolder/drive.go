//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/keplersim/keplersim/internal/command"
)

// limits are bounds that hold for every file. On a busy machine wall-clock time means little, so the promise is about processor time. The
// wall clock only ends endless waiting.
type limits struct {
	wall, processor time.Duration
	memory          uint64 // bytes
}

var promised = limits{wall: 2 * time.Minute, processor: 20 * time.Second, memory: 1 << 30}

// driver runs a keplersim program.
type driver struct {
	binary  string
	kernels int
	limits  limits
}

// outcome is the result of one command for a file.
type outcome struct {
	command string // inspect, lower or run
	code    int    // the exit code
	message string // the first error
	broken  string // the broken promise, "" for none
}

// file processes one file: inspect, lower, and a run of its first kernels.
func (d *driver) file(path string) []outcome {
	inspected, out := d.command("inspect", "inspect", "--format", "json", path)
	lowered, _ := d.command("lower", "lower", path)
	list := []outcome{inspected, lowered}
	if inspected.code != 0 {
		return list
	}
	for _, kernel := range kernels(out, d.kernels) {
		o, _ := d.command("run", "run", "--functional", "--grid", "2", "--block", "64", "--max-cycles", "100000", "--threads", "1",
			"--kernel", kernel, path)
		list = append(list, o)
	}
	return list
}

// kernels returns the first n kernels of an inspected file.
func kernels(inspected []byte, n int) []string {
	var described struct {
		Functions []struct {
			Name   string
			Kernel bool
		}
	}
	if json.Unmarshal(inspected, &described) != nil {
		return nil
	}
	var names []string
	for _, f := range described.Functions {
		if f.Kernel && len(names) < n {
			names = append(names, f.Name)
		}
	}
	return names
}

// command runs keplersim once and checks the promises.
func (d *driver) command(name string, args ...string) (outcome, []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), d.limits.wall)
	defer cancel()
	var out, errOut bytes.Buffer
	c := command.Tool(ctx, d.binary, args...)
	c.Stdout, c.Stderr = &out, &errOut
	err := c.Run()
	o := outcome{command: name, message: firstError(errOut.String())}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		o.broken = fmt.Sprintf("ran longer than %v", d.limits.wall)
	case err != nil && !errors.As(err, &exit):
		o.broken = err.Error()
	case strings.Contains(errOut.String(), "panic") || strings.Contains(errOut.String(), "goroutine "):
		o.broken = "panicked"
	}
	if c.ProcessState == nil {
		return o, nil
	}
	o.code = c.ProcessState.ExitCode()
	allowed := []int{0, 2}
	if name == "run" {
		allowed = []int{0, 1, 2}
	}
	if o.broken == "" && !slices.Contains(allowed, o.code) {
		o.broken = fmt.Sprintf("exit code %d", o.code)
	}
	if used := c.ProcessState.UserTime() + c.ProcessState.SystemTime(); o.broken == "" && used > d.limits.processor {
		o.broken = fmt.Sprintf("took %v of the processor", used.Round(time.Second))
	}
	if used := peak(c.ProcessState.SysUsage()); o.broken == "" && used > d.limits.memory {
		o.broken = fmt.Sprintf("took more than %d MB of memory", d.limits.memory>>20)
	}
	return o, out.Bytes()
}

// peak is the peak resident size of a finished process, in bytes.
func peak(usage any) uint64 {
	u, ok := usage.(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" { // these count bytes, others kibibytes
		return uint64(u.Maxrss)
	}
	return uint64(u.Maxrss) << 10
}

// firstError returns the first message on standard error that is not a note.
func firstError(text string) string {
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(line, "keplersim: "); ok {
			return strings.TrimSpace(after)
		}
	}
	return ""
}
