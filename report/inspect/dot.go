package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits of a node's text.
const (
	longestLine = 64 // characters
	mostLines   = 14 // PTX lines of a block
)

// looks are Graphviz's attributes of nodes and edges by kind.
var looks = map[string]string{
	"kernel": `fillcolor="#e8f0fe", color="#1a56c4"`, "function": `color="#555555"`, "block": `color="#555555"`,
	"entry": `fillcolor="#e8f0fe", color="#1a56c4"`, "exit": `fillcolor="#f0f0f0", color="#555555"`,
	"parting": `fillcolor="#fff6e0", color="#b07800"`, "next": `color="#555555"`, "taken": `color="#1a7f37"`,
	"loop": `color="#c4241a"`, howInlined: `color="#555555", style=dashed`, howCall: `color="#1a56c4"`,
	howIndirect: `color="#b07800", style=dotted`, howSystem: `color="#999999"`, howMissing: `color="#999999", style=dashed`,
}

// DOT writes, for Graphviz, the call graph if there are calls, and every function's control-flow graph. Edges that close loops are red,
// taken branches green. In a yellow block a warp may diverge; it names the block of reconvergence.
func (p *Program) DOT(w io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph program {\n  node [shape=box, style=filled, fillcolor=white, fontname=monospace];\n")
	p.calls(&b)
	for i := range p.Functions {
		p.Functions[i].flow(&b, i)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// kind returns kernel or function.
func (f *Function) kind() string {
	if f.Kernel {
		return "kernel"
	}
	return "function"
}

// calls writes a node for each function and each called name, and an edge for each call.
func (p *Program) calls(b *strings.Builder) {
	if !slices.ContainsFunc(p.Functions, func(f Function) bool { return len(f.Callees) > 0 }) {
		return
	}
	b.WriteString("  subgraph cluster_calls {\n    label=calls;\n")
	for _, f := range p.Functions {
		fmt.Fprintf(b, "    %s [%s];\n", quote(f.Demangled), looks[f.kind()])
	}
	for _, f := range p.Functions {
		for _, c := range f.Callees {
			fmt.Fprintf(b, "    %s -> %s [label=%s, %s];\n", quote(f.Demangled), quote(c.Demangled), c.How, looks[c.How])
		}
	}
	b.WriteString("  }\n")
}

// flow writes a node for each block of the nth function, and an edge for each successor.
func (f *Function) flow(b *strings.Builder, n int) {
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%s;\n", n, quote(f.kind()+" "+f.Demangled))
	for i := range f.Blocks {
		k := &f.Blocks[i]
		look := "block"
		switch {
		case len(k.Successors) > 1:
			look = "parting"
		case len(k.Successors) == 0:
			look = "exit"
		case i == 0:
			look = "entry"
		}
		fmt.Fprintf(b, "    f%d_%d [label=%s, %s];\n", n, k.ID, quote(f.lines(k)...), looks[look])
		for j, s := range k.Successors {
			edge := "next"
			switch {
			case s <= k.ID:
				edge = "loop"
			case j < len(k.Successors)-1:
				edge = "taken"
			}
			fmt.Fprintf(b, "    f%d_%d -> f%d_%d [%s];\n", n, k.ID, n, s, looks[edge])
		}
	}
	b.WriteString("  }\n")
}

// lines returns the text of a block's node: its name and counts, its source lines, its PTX.
func (f *Function) lines(k *Block) []string {
	head := strings.TrimSpace(fmt.Sprintf("B%d %s", k.ID, k.Label))
	if k.Executed != nil {
		head += fmt.Sprintf("  executed by %d warps", *k.Executed)
	}
	if len(k.Successors) > 1 && k.Reconverge >= 0 {
		head += fmt.Sprintf("  (lanes meet at B%d)", k.Reconverge)
	}
	lines := []string{head}
	if place := blockPlace(k); place != "" && f.hasSource() {
		lines = append(lines, place)
	}
	if len(k.code) <= mostLines {
		return append(lines, k.code...)
	}
	lines = append(lines, k.code[:mostLines-1]...)
	return append(lines, fmt.Sprintf("      … %d lines more", len(k.code)-mostLines+1))
}

// quote returns lines as a DOT string, left-aligned and cut to longestLine.
func quote(lines ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var b strings.Builder
	b.WriteByte('"')
	for i, line := range lines {
		if r := []rune(line); len(r) > longestLine && len(lines) > 1 {
			line = string(r[:longestLine-1]) + "…"
		}
		b.WriteString(escape.Replace(line))
		if i > 0 || len(lines) > 1 {
			b.WriteString(`\l`)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// blockPlace returns the first and the last source line of a block in each file.
func blockPlace(b *Block) string {
	var parts []string
	seen := map[string]bool{}
	for _, s := range b.Source {
		if seen[s.File] {
			continue
		}
		seen[s.File] = true
		first, last := s.Line, s.Line
		for _, o := range b.Source {
			if o.File == s.File {
				first, last = min(first, o.Line), max(last, o.Line)
			}
		}
		part := fmt.Sprintf("%s:%d", s.File, first)
		if last > first {
			part += fmt.Sprintf("-%d", last)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
