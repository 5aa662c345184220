package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/lab/exercise"
	"github.com/keplersim/keplersim/workload"
)

// checkLaunches returns an error for a workload that cannot be read, and for a launch of a kernel that a cell or an answer lacks.
func (l *Lesson) checkLaunches() error {
	for _, c := range l.Cells {
		w, err := workload.Parse(fmt.Sprintf("%s: workload=%s", l.file, c.Name), []byte(c.Workload))
		if err != nil {
			return err
		}
		codes := map[string]*exercise.Code{"cell=" + c.Name: c.Kernel()}
		for _, e := range l.Exercises {
			if e.Cell == c.Name && c.Fixed == nil {
				codes["answer="+e.Name] = &e.Answer
			}
		}
		for _, launched := range launchedBy(w.Steps) {
			for what, c := range codes {
				if names := kernelsOf(c); !slices.ContainsFunc(names, func(n string) bool { return code.Means(launched, n) }) {
					return fmt.Errorf("%s: the workload launches %s, and %s has no such kernel: it has %s", l.file, launched, what,
						strings.Join(names, ", "))
				}
			}
		}
	}
	return nil
}

// launchedBy returns the names of the kernels that steps launch.
func launchedBy(steps []workload.Step) (names []string) {
	for i := range steps {
		if launch := steps[i].Launch; launch != nil && launch.Kernel != "" {
			names = append(names, launch.Kernel)
		}
		if repeat := steps[i].Repeat; repeat != nil {
			names = append(names, launchedBy(repeat.Steps)...)
		}
	}
	return names
}

// Definitions of kernels, by language.
var (
	entries = pattern.Lazy(`\.entry\s+([\w$]+)`)
	globals = pattern.Lazy(`__global__[^;{]*?([\w$]+)\s*\(`)
)

// kernelsOf returns the names of a text's kernels: symbols of its PTX, or names in the source if it is not compiled.
func kernelsOf(c *exercise.Code) (names []string) {
	found := entries().FindAllStringSubmatch(c.PTX, -1)
	if c.PTX == "" {
		found = globals().FindAllStringSubmatch(c.Text, -1)
	}
	for _, match := range found {
		names = append(names, match[1])
	}
	return names
}
