package sass

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// formNames describe the second and third sources of an operation, by form.
var formNames = map[byte]string{'r': "register", 'c': "constant", 'x': "third source a constant", 'i': "number of 20 bits",
	'f': "f32 of 20 bits",
	'd': "f64 of 20 bits", 'g': "number of 6 bits", '0': "", '1': "", '2': ""}

// WriteOperations prints the table of operations and the values of their modifiers.
func (e *Encoding) WriteOperations(to io.Writer) error {
	w := bufio.NewWriter(to)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", e)
	fmt.Fprintln(table, "MATCH\tMASK\tSECOND SOURCE\tTEXT")
	for _, o := range e.operations().list {
		fmt.Fprintf(table, "%016x\t%016x\t%s\t%s\n", o.match, o.mask, formNames[o.Form], o.Format)
	}
	fmt.Fprintln(table, "\nMODIFIER\tVALUES FROM 0 ON")
	seen := map[string]bool{}
	for _, o := range e.operations().list {
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
			fmt.Fprintf(table, "%s\t%s\n", f.Name, strings.Join(values, " "))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return w.Flush()
}
