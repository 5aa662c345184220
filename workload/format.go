package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// YAML writes the workload's modules, buffers, symbols and launches as a workload file. It is for made-up workloads, to save next to the
// kernel and edit. They never have other steps, textures or expectations, so these are not written.
func (w *Workload) YAML() string {
	var out strings.Builder
	fmt.Fprintf(&out, "name: %s\n", quoted(w.Name))
	if w.Module != "" {
		fmt.Fprintf(&out, "module: %s\n", quoted(w.Module))
	}
	if w.Config != "" {
		fmt.Fprintf(&out, "config: %s\n", quoted(w.Config))
	}
	if len(w.Link) > 0 {
		names := make([]string, len(w.Link))
		for i, name := range w.Link {
			names[i] = quoted(name)
		}
		fmt.Fprintf(&out, "link: [%s]\n", strings.Join(names, ", "))
	}
	for _, section := range []string{"buffers", "symbols"} {
		heading := section + ":\n"
		for _, b := range w.Buffers {
			if (b.Symbol != nil) == (section == "symbols") {
				fmt.Fprintf(&out, "%s  %s: {type: %s, count: %d%s}\n", heading, quoted(b.Name), b.Type, b.Count, b.Init.yaml())
				heading = ""
			}
		}
	}
	out.WriteString("steps:\n")
	for _, l := range w.Launches() {
		fmt.Fprintf(&out, "  - launch: {kernel: %s, grid: %s, block: %s", quoted(l.Kernel), extentText(l.Grid), extentText(l.Block))
		if l.Shared != 0 {
			fmt.Fprintf(&out, ", shared: %d", l.Shared)
		}
		if l.Repeat != 1 {
			fmt.Fprintf(&out, ", repeat: %d", l.Repeat)
		}
		args := make([]string, len(l.Args))
		for i, a := range l.Args {
			args[i] = a.String()
		}
		fmt.Fprintf(&out, ",\n             args: [%s]}\n", strings.Join(args, ", "))
	}
	return out.String()
}

// yaml is the ", init: ..." of a buffer; "" for the default.
func (i Init) yaml() string {
	switch i.Kind {
	case InitZero, InitUnset:
		return ", init: " + string(i.Kind)
	case InitFill:
		return fmt.Sprintf(", init: {fill: %v}", i.Values[0])
	case InitValues:
		words := make([]string, len(i.Values))
		for n, v := range i.Values {
			words[n] = v.String()
		}
		return fmt.Sprintf(", init: {values: [%s]}", strings.Join(words, ", "))
	case InitRamp:
		return fmt.Sprintf(", init: {ramp: {start: %v, step: %v}}", i.Start, i.Step)
	case InitRandom:
		bounds := ""
		if i.Min != nil {
			bounds += fmt.Sprintf(", min: %v", *i.Min)
		}
		if i.Max != nil {
			bounds += fmt.Sprintf(", max: %v", *i.Max)
		}
		return fmt.Sprintf(", init: {random: {seed: %d%s}}", i.Seed, bounds)
	case InitPointers:
		words := make([]string, len(i.Pointers))
		for n, a := range i.Pointers {
			words[n] = a.String()
		}
		return fmt.Sprintf(", init: {pointers: [%s]}", strings.Join(words, ", "))
	case InitFile:
		return fmt.Sprintf(", init: {file: %s}", quoted(i.File))
	}
	return ""
}

// extentText formats a grid or block without trailing ones.
func extentText(e [3]int) string {
	n := 3
	for n > 1 && e[n-1] == 1 {
		n--
	}
	words := make([]string, n)
	for i := range n {
		words[i] = strconv.Itoa(e[i])
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// quoted quotes a text unless it is a plain word or path.
func quoted(s string) string {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/' || c == '.' && i > 0
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-') {
			return strconv.Quote(s)
		}
	}
	switch strings.ToLower(s) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return strconv.Quote(s)
	}
	return s
}
