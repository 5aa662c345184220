package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/keplersim/keplersim/internal/files"
)

// RunCounts say how often warps executed each line of each kernel, summed over its launches. Keys are the kernel's symbol and the line.
type RunCounts map[string]map[Source]uint64

// ReadRun reads the counts from a report that keplersim run --format json wrote. It skips lines that inlining has copied within a kernel,
// because their counts belong to several places.
func ReadRun(r io.Reader) (RunCounts, error) {
	var report struct {
		Kernels []struct {
			Symbol string
			Source []struct {
				File       string
				Line       int
				Operations uint64
				Executed   uint64   `json:"inst_executed"`
				InlinedAt  []Source `json:"inlined_at"`
			}
		}
	}
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return nil, fmt.Errorf("is not a report of a run: keplersim run --format json -o REPORT.json FILE writes one (%w)", err)
	}
	if len(report.Kernels) == 0 {
		return nil, errors.New("has no launch")
	}
	counts := RunCounts{}
	for _, k := range report.Kernels {
		times, rows := map[Source]uint64{}, map[Source]int{}
		for _, line := range k.Source {
			at := Source{filepath.Base(line.File), line.Line}
			if rows[at]++; line.Operations > 0 && line.File != "" {
				times[at] += line.Executed / line.Operations
			}
		}
		if counts[k.Symbol] == nil {
			counts[k.Symbol] = map[Source]uint64{}
		}
		for at, n := range times {
			if rows[at] == 1 {
				counts[k.Symbol][at] += n
			}
		}
	}
	return counts, nil
}

// Count sets the counts of kernels' blocks. It returns the names of the program's kernels that the run has launched.
func (p *Program) Count(run RunCounts) (kernels []string) {
	for i := range p.Functions {
		f := &p.Functions[i]
		times, ok := run[f.Name]
		if !ok || !f.Kernel {
			continue
		}
		kernels = append(kernels, f.Demangled)
		for b := range f.Blocks {
			if n, ok := f.executed(b, times); ok {
				f.Blocks[b].Executed = &n
			}
		}
	}
	return kernels
}

// executed returns how often warps executed a block. Lines may disagree; the answer is the most frequent count among lines that no other
// block has.
func (f *Function) executed(block int, times map[Source]uint64) (most uint64, ok bool) {
	votes := map[uint64]int{}
	for _, at := range f.Blocks[block].Source {
		elsewhere := slices.ContainsFunc(f.Blocks, func(o Block) bool {
			return o.ID != f.Blocks[block].ID && slices.Contains(o.Source, at)
		})
		if n, counted := times[Source{filepath.Base(at.File), at.Line}]; counted && !elsewhere {
			votes[n]++
		}
	}
	for n, v := range votes {
		if !ok || cmp.Or(cmp.Compare(v, votes[most]), cmp.Compare(n, most)) > 0 {
			most, ok = n, true
		}
	}
	return most, ok
}

// Sheets writes a drawing for each kernel, with the functions that it calls, to SYMBOL.dot in a folder. It overwrites no input, and returns
// the files' names.
func (p *Program) Sheets(folder string, inputs []string) (written []string, err error) {
	var targets []files.Target
	for _, f := range p.Functions {
		if f.Kernel {
			targets = append(targets, files.Target{Name: "the sheet", Path: filepath.Join(folder, f.Name+".dot")})
		}
	}
	if err := files.Claim(inputs, targets...); err != nil {
		return nil, err
	}
	for _, f := range p.Functions {
		if !f.Kernel {
			continue
		}
		sheet := *p
		sheet.Functions, sheet.Variables = slices.Clone(p.Functions), slices.Clone(p.Variables)
		sheet.Only(f.Name)
		path := filepath.Join(folder, f.Name+".dot")
		if err := files.Write(path, sheet.DOT); err != nil {
			return written, fmt.Errorf("cannot write a sheet: %w", err)
		}
		written = append(written, path)
	}
	if len(written) == 0 {
		return nil, errors.New("there is no kernel to draw")
	}
	return written, nil
}
