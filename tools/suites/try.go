package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/study/suite"
)

// result is the result of one program.
type result struct {
	program            string
	built, ran, passed bool
	checked            bool // it checked its own results
	tried, waived      bool // waived: the program says that this system does not suit it
	cause              string
	took               time.Duration // processor time
	plain, under       time.Duration // processor time of the run, and of another run under all checks
}

func (r result) String() string {
	word := "not eligible"
	switch {
	case r.waived:
	case r.passed && r.checked:
		word = "passed"
	case r.passed:
		word = "ran"
	case r.ran:
		word = "wrong"
	case r.built:
		word = "built"
	case r.tried:
		word = "not built"
	}
	text := fmt.Sprintf("%-12s %6.1fs  %s  %s", word, r.took.Seconds(), r.program, r.cause)
	if r.under > 0 {
		text += fmt.Sprintf("  %.2fs, under all checks %.2fs: %.1f times", r.plain.Seconds(), r.under.Seconds(), r.cost())
	}
	return text
}

// cost is the slowdown under all checks.
func (r result) cost() float64 { return r.under.Seconds() / max(r.plain.Seconds(), 1e-3) }

// try builds and runs one program.
func (o *options) try(ctx context.Context, p program) (r result) {
	r.program, r.tried = p.name, true
	defer func() { r.took, o.took = o.took, 0 }()
	if !p.make {
		os.Remove(filepath.Join(p.folder, "program.out")) // left by another program of this folder
	}
	if p.Prepare != "" {
		if out, err := o.call(ctx, p, "sh", "-c", p.Prepare); err != nil {
			r.cause = "input: " + suite.Cause(out, err)
			return r
		}
	}
	before := programsIn(p.folder)
	out, err := o.compile(ctx, p)
	if err != nil {
		r.cause = "build: " + suite.Cause(out, err)
		return r
	}
	made := slices.DeleteFunc(programsIn(p.folder), func(name string) bool { return slices.Contains(before, name) })
	if len(made) == 0 {
		r.cause = "build: no program came out"
		return r
	}
	r.built = true
	if o.build {
		return r
	}
	built := o.took
	out, err = o.execute(ctx, p, made)
	if lost := o.keep(p.name, out); lost != nil {
		r.cause = lost.Error()
		return r
	}
	if r.plain = o.took - built; o.costs && err == nil {
		flags := o.flags
		o.flags += " --check"
		_, _ = o.execute(ctx, p, made) // its findings are not needed
		o.flags, r.under = flags, o.took-built-r.plain
	}
	switch {
	case err != nil && waives.MatchString(out):
		r.waived, r.cause = true, "waives itself: "+suite.Short(waives.FindString(out))
	case err != nil && gone.MatchString(out) && !goCrash.MatchString(out):
		r.cause = "run: " + suite.ErrLate.Error() // the simulator was stopped because of it
	case err != nil:
		r.cause = "run: " + suite.Cause(out, err)
	default:
		r.ran = true
		r.passed, r.checked, r.cause = suite.Judge(out)
	}
	return r
}

// ownFlags matches variables in which a Makefile keeps flags.
var ownFlags = regexp.MustCompile(`(?m)^[ \t]*(\w+)[ \t]*[:?+]?=[ \t]*-`)

// variables sets Makefiles' usual variables for the toolkit, its compiler, and the architectures. A variable that the folder's Makefile
// uses for flags is left alone.
func (o *options) variables(folder string) []string {
	text, _ := os.ReadFile(filepath.Join(folder, "Makefile")) // without one, make reports it
	own := map[string]bool{}
	for _, found := range ownFlags.FindAllSubmatch(text, -1) {
		own[string(found[1])] = true
	}
	return slices.DeleteFunc([]string{
		"CUDA_PATH=" + o.toolkit, "CUDA_HOME=" + o.toolkit, "CUDA_DIR=" + o.toolkit, "CUDA_INSTALL_PATH=" + o.toolkit,
		"CUDA_ROOT=" + o.toolkit,
		"CUDA_TOOLKIT_PATH=" + o.toolkit, "SMS=35", "ARCH=sm_35", "SM=35",
	}, func(setting string) bool { name, _, _ := strings.Cut(setting, "="); return own[name] })
}

func (o *options) compile(ctx context.Context, p program) (string, error) {
	if p.make {
		return o.call(ctx, p, "make", append(o.variables(p.folder), p.Make...)...)
	}
	arguments := append([]string{"nvcc", "-O2", "-w", "-arch=sm_35", "-o", "program.out"}, p.Flags...)
	for folder, i := p.folder, 0; i < 5; folder, i = filepath.Dir(folder), i+1 {
		arguments = append(arguments, "-I"+folder)
		for _, name := range []string{"inc", "include", "common", "Common", "common/inc"} {
			if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.IsDir() {
				arguments = append(arguments, "-I"+filepath.Join(folder, name))
			}
		}
	}
	out, err := o.call(ctx, p, o.keplersim, slices.Concat(arguments, p.sources, librariesOf(p.sources))...)
	if alone := p.sources[:1]; err != nil && len(p.sources) > 1 { // the other files may belong to another program
		if again, fails := o.call(ctx, p, o.keplersim, slices.Concat(arguments, alone, librariesOf(alone))...); fails == nil {
			return again, nil
		}
	}
	return out, err
}

var libraryHeader = regexp.MustCompile(`#\s*include\s*[<"](cublas|cufft|cusparse|curand|nvrtc)(?:_v2|_kernel)?\.h`)

// librariesOf returns the flags for the toolkit's libraries that sources include.
func librariesOf(sources []string) (flags []string) {
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			continue // the compiler reports it
		}
		for _, found := range libraryHeader.FindAllSubmatch(text, -1) {
			flags = append(flags, "-l"+string(found[1]))
		}
	}
	return flags
}

// runTarget matches a Makefile's own target for running.
var runTarget = regexp.MustCompile(`(?m)^run\s*:`)

// execute runs a program as its settings say, or else by the Makefile's target, a script named run, or directly.
func (o *options) execute(ctx context.Context, p program, made []string) (string, error) {
	if p.Run != "" {
		return o.call(ctx, p, "sh", "-c", p.Run)
	}
	if text, err := os.ReadFile(filepath.Join(p.folder, "Makefile")); p.make && err == nil && runTarget.Match(text) {
		return o.call(ctx, p, "make", slices.Concat([]string{"run"}, o.variables(p.folder), p.Make)...)
	}
	for _, script := range []string{"run", "run.sh"} {
		if _, err := os.Stat(filepath.Join(p.folder, script)); err == nil {
			return o.call(ctx, p, "sh", script)
		}
	}
	var all string
	for _, name := range made {
		out, err := o.call(ctx, p, name, p.Arguments...)
		all += out
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// call runs a command in a program's folder.
func (o *options) call(ctx context.Context, p program, name string, arguments ...string) (string, error) {
	words := append([]string{name}, arguments...)
	for i := range words {
		words[i] = command.Quote(words[i])
	}
	r := suite.Runner{Keplersim: o.keplersim, Toolkit: o.toolkit, Limit: o.limit}
	flags := strings.TrimSpace(o.flags + " " + p.Options)
	out, took, err := r.Call(ctx, p.folder, "exec "+strings.Join(words, " "), p.Input, "KEPLERSIM_FLAGS="+flags)
	o.took += took
	return out, err
}

// keep stores what a program printed.
func (o *options) keep(name, out string) error {
	if o.outputs == "" {
		return nil
	}
	return files.Put(filepath.Join(o.outputs, strings.ReplaceAll(name, "/", "-")+".txt"), 0o644, []byte(out))
}

// programsIn returns the compiled programs in a folder and its subfolders.
func programsIn(folder string) []string {
	return slices.DeleteFunc(builtIn(folder), func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.Mode()&0o111 == 0 || filepath.Ext(path) == ".o"
	})
}

// builtIn are the programs and objects in a folder and those in it; libraries may be meant to be there.
func builtIn(folder string) []string {
	var all []string
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) == ".so" {
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return nil
		}
		defer file.Close()
		begin := make([]byte, 4)
		if _, err := file.Read(begin); err == nil && string(begin) == "\x7fELF" {
			all = append(all, path)
		}
		return nil
	})
	return all
}

var (
	waives  = regexp.MustCompile(`(?im)^.*\bwaiv(ed|ing)\b.*$`)
	gone    = regexp.MustCompile(`the simulator is gone`)
	goCrash = regexp.MustCompile(`(?m)^goroutine \d+`)
)

// tally sums up results.
type tally struct {
	all, eligible, built, ran, checked, passed int
	costs                                      []float64
}

func (t *tally) add(r result) {
	t.all++
	if !r.tried || r.waived {
		return
	}
	count := func(yes bool, n *int) {
		if yes {
			*n++
		}
	}
	count(true, &t.eligible)
	count(r.built, &t.built)
	count(r.ran, &t.ran)
	count(r.checked, &t.checked)
	count(r.passed, &t.passed)
	if r.under > 0 {
		t.costs = append(t.costs, r.cost())
	}
}

func (t *tally) String() string {
	text := fmt.Sprintf("%d programs, %d eligible: %d built, %d ran, %d passed (%d say so themselves)\n",
		t.all, t.eligible, t.built, t.ran, t.passed, t.checked)
	if n := len(t.costs); n > 0 {
		slices.Sort(t.costs)
		text += fmt.Sprintf("all checks take %.1f times as long in the median of %d programs, %.1f at worst\n",
			t.costs[n/2], n, t.costs[n-1])
	}
	return text
}
