package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/validation"
	"github.com/keplersim/keplersim/validation/programs"
)

// rowFile is a file of rows that a validation adds to and reports quote. Other rows in the file stay, because another run may write to it
// at the same time.
type rowFile[T any] struct {
	flag  string
	read  func(io.Reader) ([]T, error)
	write func(io.Writer, []T) error
	name  func(T) string
}

var (
	keptErrors = rowFile[report.ErrorRow]{
		"keep-errors", report.ReadErrors, report.WriteErrors, func(r report.ErrorRow) string { return r.Name },
	}
	keptPoints = rowFile[report.Point]{
		"keep-points", report.ReadPoints, report.WritePoints, func(p report.Point) string { return p.Name },
	}
)

// rows returns the rows of a file; none if there is no file.
func (k rowFile[T]) rows(file string) ([]T, error) {
	if file == "" {
		return nil, nil
	}
	text, err := files.Read(file, files.MostCode)
	if err != nil {
		return nil, nil // the file does not exist yet
	}
	rows, err := k.read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", k.flag, file, err)
	}
	return rows, nil
}

// add writes rows to a file, and replaces those with the same names.
func (k rowFile[T]) add(file string, rows ...T) error {
	if file == "" || len(rows) == 0 {
		return nil
	}
	old, err := k.rows(file)
	if err != nil {
		return err
	}
	old = slices.DeleteFunc(old, func(o T) bool {
		return slices.ContainsFunc(rows, func(r T) bool { return k.name(r) == k.name(o) })
	})
	return files.Write(file, func(w io.Writer) error { return k.write(w, append(old, rows...)) })
}

// kernelPoints returns the kernels that ran, in cycles. They cannot compare boards, because their cards' clocks are not known well enough.
func kernelPoints(results []validation.Result) (points []report.Point) {
	for i := range results {
		figure := results[i].Main()
		program, work, point, ok := results[i].Row.Launch()
		if !ok || figure == nil {
			continue
		}
		points = append(points, report.Point{
			Name: results[i].Row.Name, Program: program, Work: work, Parts: pointParts(point),
			Theirs: figure.Theirs.Middle(), Ours: figure.Ours,
		})
	}
	return points
}

// pointRow returns a row's result with what distinguishes it from others with the same work.
func pointRow(r *programs.Result) report.Point {
	return report.Point{
		Name: r.Row.Name, Program: r.Row.Application(), Work: r.Row.Program.Name + " " + r.Row.Same, Parts: pointParts(r.Row.Point),
		Theirs: r.Row.Measured.Microseconds, Ours: r.Microseconds(),
	}
}

// pointParts returns a point's parts by the columns of the file.
func pointParts(point map[string]string) (list []string) {
	for _, part := range report.PointParts() {
		list = append(list, point[part])
	}
	return list
}
