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

// RunCounts are how often warps executed each line of each kernel, by the kernel's symbol and the line, over all its launches.
type RunCounts map[string]map[Source]uint64

// ReadRun reads the counts from a report that keplersim run --format json wrote. Lines that stand in a kernel more than once, by inlining,
// are left out: their counts belong to no one place.
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

// Count gives the blocks of kernels their counts. It returns the names of kernels that the run has launched and the program has.
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

// executed returns how often warps executed a block: what most of the lines say that no other block has.
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

// Sheets writes a drawing for each kernel, with the functions that it calls, to a folder: SYMBOL.dot, over no input. It returns the files'
// names.
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
