package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/check/finding"
)

func init() {
	RegisterFormat("sanitizer", "what --check found, as compute-sanitizer's tools print it", sanitizer, nil)
}

// sanitizer writes findings as compute-sanitizer does. Each line begins with "========= ", and the summary is last (s Compute Sanitizer
// documentation, the sections on Memcheck, Racecheck, Initcheck and Synccheck error reports).
func sanitizer(w io.Writer, r *Run) error {
	s := sanitizerPrinter{}
	s.line("COMPUTE-SANITIZER")
	errors, leaked, leaks := 0, 0, 0
	hazards, warnings := 0, 0
	for _, f := range CausesFirst(r.Mistakes) {
		switch {
		case f.Rule == finding.Leak:
			leaks++
			leaked += f.Bytes
			s.line("Leaked %s bytes at %#x", count(uint64(f.Bytes)), f.Address)
			s.line("")
		case f.Rule.Sanitizer == "Race reported":
			s.race(f)
			if f.Rule.Severity == finding.Warning {
				warnings++
			} else {
				hazards++
			}
		default:
			s.single(f)
			if f.Rule.Severity == finding.Error {
				errors++
			}
		}
	}
	if leaks > 0 {
		s.line("LEAK SUMMARY: %d bytes leaked in %d allocations", leaked, leaks)
	}
	if hazards+warnings > 0 {
		s.line("RACECHECK SUMMARY: %s displayed (%s, %s)", plural(uint64(hazards+warnings), "hazard"), plural(uint64(hazards), "error"),
			plural(uint64(warnings), "warning"))
	}
	s.line("ERROR SUMMARY: %s", plural(uint64(errors+leaks+hazards), "error"))
	if _, err := io.WriteString(w, s.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

type sanitizerPrinter struct{ out strings.Builder }

func (s *sanitizerPrinter) line(format string, arguments ...any) {
	s.out.WriteString(strings.TrimRight("========= "+fmt.Sprintf(format, arguments...), " ") + "\n")
}

// single writes a finding with one place.
func (s *sanitizerPrinter) single(f *finding.Finding) {
	head := f.Rule.Sanitizer
	switch f.Rule {
	case finding.OutOfBounds, finding.Misaligned, finding.UseAfter:
		head = fmt.Sprintf(head, sanitizerSpace(f.Space), sanitizerVerb(f), f.Bytes)
	case finding.UnsetMemory:
		head = fmt.Sprintf(head, sanitizerSpace(f.Space), f.Bytes)
	}
	s.line("%s", head)
	if len(f.Places) > 0 {
		s.place(&f.Places[0])
	}
	switch f.Rule {
	case finding.OutOfBounds, finding.UseAfter:
		s.line("    Address %#x is out of bounds", f.Address)
	case finding.Misaligned:
		s.line("    Address %#x is misaligned", f.Address)
	case finding.UnsetMemory:
		s.line("    Address %#x", f.Address)
	}
	if f.Detail != "" {
		s.line("    %s", strings.ReplaceAll(f.Detail, "\n", " "))
	}
	for i := 1; i < len(f.Places); i++ {
		s.place(&f.Places[i])
	}
	s.line("")
}

// place writes the line and the thread of an access.
func (s *sanitizerPrinter) place(p *finding.Place) {
	if p.Who != "" {
		s.line("    by %s", p.Who)
		return
	}
	s.line("    at %s in %s:%d", p.Kernel, p.File, p.Line)
	s.line("    by thread (%d,%d,%d) in block (%d,%d,%d)", p.Thread[0], p.Thread[1], p.Thread[2], p.Block[0], p.Block[1], p.Block[2])
	for _, call := range p.Calls {
		s.line("    Device Frame:%s", call)
	}
}

// race writes two accesses as Racecheck's analysis does.
func (s *sanitizerPrinter) race(f *finding.Finding) {
	severity := "Error"
	if f.Rule.Severity == finding.Warning {
		severity = "Warning"
	}
	first := &f.Places[0]
	text := fmt.Sprintf("%s: Race reported between %s access at %s in %s:%d", severity, sanitizerAccess(first.Does), first.Kernel,
		first.File, first.Line)
	if len(f.Places) == 1 {
		s.line("%s", text)
	}
	for i := 1; i < len(f.Places); i++ {
		p := &f.Places[i]
		s.line("%s", text)
		s.line("    and %s access at %s in %s:%d [%s]", sanitizerAccess(p.Does), p.Kernel, p.File, p.Line, plural(f.Count, "hazard"))
	}
	for i := range f.Places {
		p := &f.Places[i]
		s.line("    thread (%d,%d,%d) in block (%d,%d,%d), address %s", p.Thread[0], p.Thread[1], p.Thread[2], p.Block[0], p.Block[1],
			p.Block[2], f.Memory())
	}
	s.line("")
}

func sanitizerAccess(does string) string {
	if strings.HasSuffix(does, "reads") || strings.HasSuffix(does, "read") {
		return "Read"
	}
	return "Write"
}

func sanitizerSpace(space isa.Space) string { return "__" + space.String() + "__" }

func sanitizerVerb(f *finding.Finding) string {
	if len(f.Places) == 0 {
		return "access"
	}
	switch f.Places[0].Does {
	case "reads":
		return "read"
	case "writes":
		return "write"
	}
	return "atomic"
}
