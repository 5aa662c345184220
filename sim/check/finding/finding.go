// Package finding describes what checks find: the broken rule, the accesses, their threads and lines. Checkers make findings and reports
// print them. The package knows neither a run nor a format.
package finding

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// Severity is the severity of a finding.
type Severity uint8

// Severities.
const (
	// Error is a mistake on every GPU that can run the program.
	Error Severity = iota
	// Warning is allowed on Kepler but not on later GPUs, or seldom intended. It makes no run fail.
	Warning
)

// String returns the severity's name.
func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// Place is one side of a finding: a thread, its action and its line.
type Place struct {
	// Does is the action, as in "reads" or "writes atomically".
	Does string
	// Kernel is the kernel's name for people; "" for the host.
	Kernel string
	// Stream is the kernel's stream, Launch counts the device's launches from 0.
	Stream int
	Launch uint64
	Block  [3]uint32
	Thread [3]uint32
	// Warp is the warp's number in the block. Lanes: several of its lanes did it, and Thread is the first of them.
	Warp  int
	Lanes bool
	// File and Line are the source's if known, else the PTX's. PTXFile and PTXLine are the PTX's.
	File    string
	Line    int
	PTXFile string
	PTXLine int
	// Calls are the active calls, innermost first.
	Calls []string
	// Field Who replaces kernel, block and thread for others: the host, a copy.
	Who string
}

// Where returns the place as file:line, with the PTX's beside it if they differ.
func (p *Place) Where() string {
	if p.File == "" {
		return "an unknown line"
	}
	text := fmt.Sprintf("%s:%d", p.File, p.Line)
	if p.PTXFile != "" && (p.PTXFile != p.File || p.PTXLine != p.Line) {
		text += fmt.Sprintf(" (%s:%d)", p.PTXFile, p.PTXLine)
	}
	return text
}

// Name returns the thread, or Who.
func (p *Place) Name() string {
	if p.Who != "" {
		return p.Who
	}
	thread := "thread"
	if p.Lanes {
		thread = "several threads from"
	}
	return fmt.Sprintf("%s (%d,%d,%d) of block (%d,%d,%d)", thread, p.Thread[0], p.Thread[1], p.Thread[2], p.Block[0], p.Block[1],
		p.Block[2])
}

// Finding is one mistake. It describes the first occurrence and counts later ones at the same lines.
type Finding struct {
	Rule *Rule
	// Places are the accesses, the later one first. The second is the earlier one that it conflicts with.
	Places []Place
	// Space, Address and Bytes are the memory accessed; Bytes is 0 without an access. Name is its variable or allocation.
	Space   isa.Space
	Address uint64
	Bytes   int
	Name    string
	// Detail adds to the rule: the nearest allocation, which bytes of an access were unwritten.
	Detail string
	// Count is the number of occurrences.
	Count uint64
	// Known: a baseline has it. It is reported, but fails no run.
	Known bool
}

// Memory describes the memory accessed, as in "4 bytes of y+128 (global 0x100000080)".
func (f *Finding) Memory() string {
	if f.Bytes == 0 {
		return ""
	}
	at := fmt.Sprintf("%s %#x", f.Space, f.Address)
	if f.Name != "" {
		at = fmt.Sprintf("%s (%s)", f.Name, at)
	}
	unit := "bytes"
	if f.Bytes == 1 {
		unit = "byte"
	}
	return fmt.Sprintf("%d %s at %s", f.Bytes, unit, at)
}

// Title returns the finding in a line: the kernel, the rule, and the memory.
func (f *Finding) Title() string {
	var b strings.Builder
	if len(f.Places) > 0 && f.Places[0].Kernel != "" {
		b.WriteString(f.Places[0].Kernel + ": ")
	}
	switch {
	case f.Known:
		b.WriteString("known: ")
	case f.Rule.Severity == Warning:
		b.WriteString("warning: ")
	}
	b.WriteString(f.Rule.Title)
	if m := f.Memory(); m != "" {
		b.WriteString(": " + m)
	}
	return b.String()
}

// String returns the whole finding for people: title, places with their calls, and the cure.
func (f *Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Title())
	for i := range f.Places {
		p := &f.Places[i]
		fmt.Fprintf(&b, "\n  %s %s", p.Name(), p.Does)
		if p.File != "" {
			b.WriteString(" at " + p.Where())
		}
		if i > 0 && p.Kernel != "" && (p.Kernel != f.Places[0].Kernel || p.Launch != f.Places[0].Launch) {
			fmt.Fprintf(&b, ", in %s of stream %d (launch %d)", p.Kernel, p.Stream, p.Launch)
		}
		for _, call := range p.Calls {
			b.WriteString("\n    " + call)
		}
	}
	if f.Detail != "" {
		b.WriteString("\n  " + f.Detail)
	}
	if f.Rule.Cure != "" {
		b.WriteString("\n  " + f.Rule.Cure)
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, "\n  %d times in all", f.Count)
	}
	return b.String()
}

// Errors returns how many findings are neither warnings nor known.
func Errors(list []*Finding) (n int) {
	for _, f := range list {
		if f.Rule.Severity == Error && !f.Known {
			n++
		}
	}
	return n
}

// Key is equal for findings of one rule at the same lines.
func (f *Finding) Key() string {
	key := f.Rule.ID
	for i := range f.Places {
		key += fmt.Sprintf(" %s:%d", f.Places[i].File, f.Places[i].Line)
	}
	return key
}
