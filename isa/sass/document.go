package sass

import (
	"fmt"
	"io"
	"strings"
)

// formNames say what an operation's second and third sources are.
var formNames = map[byte]string{'r': "register", 'c': "constant", 'x': "third source a constant", 'i': "number of 20 bits",
	'f': "f32 of 20 bits",
	'd': "f64 of 20 bits", 'g': "number of 6 bits", '0': "", '1': "", '2': ""}

// WriteDocument writes docs/sass.md: the table of operations, as it is.
func WriteDocument(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Machine code of sm_35 and sm_37\n\n" +
		"`keplersim disasm FILE` prints the machine code of a cubin, a fatbin or an executable. `keplersim run FILE` runs it on a " +
		"chip of compute\n" +
		"capability 3.5 or 3.7. This page lists every operation that is known. Most of them run. The others are printed, and a " +
		"kernel that has one is\n" +
		"refused with the operation and its bits.\n\n" +
		"A word has 64 bits. Every eighth word is a control word for the seven operations behind it: a byte each. It says how long " +
		"the warp waits\n" +
		"before its next operation, or that the two issue together (`0x04`). `0x20` plus *n* waits *n* + 1 cycles, `0x00` waits 16.\n\n" +
		"In the column *text*, `{name N}` is a field from bit N on: a modifier or an operand. Signs behind it name the bits that " +
		"negate (`-`), take\n" +
		"the absolute value (`|`), invert (`~`) or complement (`!`). `d`, `a` and `c` are registers at bits 2, 10 and 42, `b` is the " +
		"second source.\n" +
		"Capital letters are 64-bit registers. `match` and `mask` are of the whole word. Guards are at bits 18 to 21, and bit 22 is " +
		"`.S`.\n\n" +
		"| text | second source | match | mask |\n|---|---|---|---|\n")
	for _, o := range list {
		fmt.Fprintf(&b, "| `%s` | %s | `%016x` | `%016x` |\n", strings.ReplaceAll(o.Format, "|", "\\|"), formNames[o.Form], o.match, o.mask)
	}
	b.WriteString("\n## Modifiers\n\nIn the order of their values; - is one that prints nothing, ? one that does not exist.\n\n| " +
		"field | values |\n|---|---|\n")
	seen := map[string]bool{}
	for _, o := range list {
		for n := range o.Fields {
			f := &o.Fields[n]
			if f.texts == nil || seen[f.Name] {
				continue
			}
			seen[f.Name] = true
			values := make([]string, len(f.texts))
			for k, text := range f.texts {
				if values[k] = strings.TrimSpace(text); text == "" {
					values[k] = "-"
				}
			}
			fmt.Fprintf(&b, "| %s | %s |\n", f.Name, strings.Join(values, " "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
