package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/toolchain"
	"github.com/keplersim/keplersim/workload"
)

// flawed is a kernel of testdata/checks that breaks one rule. Its twin breaks none.
type flawed struct {
	file, kernel string
	rule         *finding.Rule
	launch       []string
	lines        []int // the lines marked A or B
	both         bool  // both marks occur: the finding names two lines
}

var (
	flawHead = regexp.MustCompile(`^// ([a-z-]+): (.+)$`)
	flawName = regexp.MustCompile(`^KERNEL (\w+)\(`)
	flawMark = regexp.MustCompile(`// ([AB])( // B)?$`)
)

// readFlawed reads the kernels of a source file and the comments before them.
func readFlawed(t *testing.T, path string) (list []flawed) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var rule *finding.Rule
	var launch []string
	for i, line := range strings.Split(string(text), "\n") {
		if m := flawHead.FindStringSubmatch(line); m != nil {
			rule, launch = finding.Find(m[1]), strings.Fields(m[2])
			require.NotNil(t, rule, "%s:%d", path, i+1)
		}
		if m := flawName.FindStringSubmatch(line); m != nil {
			list = append(list, flawed{file: strings.TrimSuffix(path, ".cu"), kernel: m[1], rule: rule, launch: launch})
		}
		if m := flawMark.FindStringSubmatch(line); m != nil {
			f := &list[len(list)-1]
			f.lines = append(f.lines, i+1)
			f.both = f.both || m[1] == "B" || m[2] != ""
		}
	}
	return list
}

// options are the options for the kernel's launch.
func (f *flawed) options(t *testing.T, functional bool) Options {
	o := Options{Kernel: f.kernel, Simulator: sim.Options{Threads: 1, Functional: functional, Check: finding.All, MaxCycles: 1_000_000}}
	for axis, text := range map[*[3]int]string{&o.Grid: f.launch[0], &o.Block: f.launch[1]} {
		*axis = [3]int{1, 1, 1}
		for i, n := range strings.Split(text, ",") {
			(*axis)[i], _ = strconv.Atoi(n)
		}
	}
	for _, text := range f.launch[2:] {
		if shared, ok := strings.CutPrefix(text, "shared="); ok {
			o.Shared, _ = strconv.Atoi(shared)
			continue
		}
		a, err := workload.ParseArg(text)
		require.NoError(t, err)
		o.Arguments = append(o.Arguments, a)
	}
	return o
}

// check runs the kernel of a variant with all checks.
func (f *flawed) check(t *testing.T, variant string, functional bool) []*finding.Finding {
	job, err := Open(t.Context(), f.file+"."+variant+".ptx", f.options(t, functional))
	require.NoError(t, err)
	result, err := job.Run(t.Context())
	if f.rule != finding.BarrierStuck || variant == "fixed" {
		require.NoError(t, err)
	}
	return result.Mistakes
}

// The checks find every flawed kernel, by its rule and at the lines of its accesses, and nothing in a corrected twin, with timing and
// without.
func TestFlawedKernelsAreFoundAndTheirTwinsAreNot(t *testing.T) {
	sources, err := filepath.Glob("../testdata/checks/*.cu")
	require.NoError(t, err)
	count := 0
	for _, source := range sources {
		if os.Getenv("KEPLERSIM_UPDATE") != "" {
			compileFlawed(t, source)
		}
		for _, f := range readFlawed(t, source) {
			count++
			for _, functional := range []bool{true, false} {
				if testing.Short() && (!functional || count%3 != 0) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%t", filepath.Base(f.file), f.kernel, functional), func(t *testing.T) {
					found := f.check(t, "bug", functional)
					of := slices.DeleteFunc(slices.Clone(found), func(one *finding.Finding) bool { return one.Rule != f.rule })
					if assert.NotEmpty(t, of, "found instead: %v", found) {
						f.assertLines(t, of)
					}
					assert.Empty(t, f.check(t, "fixed", functional))
				})
			}
		}
	}
	assert.GreaterOrEqual(t, count, 100)
}

// assertLines compares the places of findings with the marked lines.
func (f *flawed) assertLines(t *testing.T, found []*finding.Finding) {
	for _, one := range found {
		for i := range one.Places {
			p := &one.Places[i]
			assert.Equal(t, filepath.Base(f.file)+".cu", filepath.Base(p.File))
			assert.Contains(t, f.lines, p.Line, "%s", one)
		}
		if f.both {
			assert.Len(t, one.Places, 2, "%s", one)
		}
	}
}

// compileFlawed compiles both variants of a source file to PTX.
func compileFlawed(t *testing.T, source string) {
	for variant, defines := range map[string][]string{"bug": nil, "fixed": {"FIXED"}} {
		dir, file := filepath.Split(source)
		t.Chdir(dir)
		made, err := toolchain.Compile(context.Background(), file, toolchain.Options{LineInfo: true, Defines: append(defines,
			"__KEPLERSIM_CHECK__"), Imitated: true})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(strings.TrimSuffix(file, ".cu")+"."+variant+".ptx", made.PTX, 0o644))
		t.Chdir("../../host")
	}
}
