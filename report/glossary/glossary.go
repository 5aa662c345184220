// Package glossary holds the words of the reports and of the field, with their meanings, for `keplersim glossary` and docs/glossary.md. It
// also finds metrics, stall reasons and configuration keys, in their own tables.
package glossary

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/sim/stats"
)

// Find returns the terms with a name or other word equal to word: of the glossary, the stall reasons, the metrics and the configuration's
// keys. It ignores case and a plural s, and takes - and _ as spaces. The error suggests a similar word.
func Find(word string) ([]Term, error) {
	var found []Term
	for _, t := range All() {
		if slices.ContainsFunc(append([]string{t.Name}, t.Also...), func(name string) bool { return normal(name) == normal(word) }) {
			found = append(found, t)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	message := fmt.Sprintf("no entry %q; 'keplersim glossary' lists them all", word)
	if near := spelling.Nearest(word, words()); near != "" {
		message += fmt.Sprintf("; did you mean %s?", near)
	}
	return nil, fmt.Errorf("%s", message)
}

// normal returns a word in the form in which Find compares it.
func normal(word string) string {
	word = strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(strings.TrimSpace(word)))
	if len(word) > 3 && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") {
		word = strings.TrimSuffix(word, "s")
	}
	return word
}

// words returns all names and other words of the glossary itself.
func words() []string {
	var list []string
	for _, subject := range terms() {
		for _, t := range subject.terms {
			list = append(append(list, t.Name), t.Also...)
		}
	}
	for s := range stats.StallCount {
		list = append(list, s.String())
	}
	return list
}

// All returns every entry: the glossary's, then stall reasons, metrics and configuration keys.
func All() []Term {
	var list []Term
	for _, subject := range terms() {
		list = append(list, subject.terms...)
	}
	for s := range stats.StallCount {
		list = append(list, Term{Name: s.String(), Also: []string{"stall_" + s.String()}, Meaning: "A stall reason: " + s.Meaning() + ".",
			See: []string{"stall reason"}})
	}
	for _, d := range stats.Metrics() {
		list = append(list, Term{
			Name: d.Name, Meaning: fmt.Sprintf("A metric (%s): %s", d.Unit, d.Meaning), See: []string{"keplersim metrics"},
		})
	}
	for _, k := range configs.Keys() {
		meaning := "A configuration key"
		if k.Unit != "" {
			meaning += ", in " + k.Unit
		}
		list = append(list, Term{
			Name: k.Path, Meaning: meaning + "; docs/configs.md says what it is, and `keplersim configs show` what each board has.",
		})
	}
	return list
}

// Write writes terms as text, wrapped at a number of columns.
func Write(w io.Writer, list []Term, columns int) error {
	for i, t := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		head := t.Name
		if len(t.Also) > 0 {
			head += " (" + strings.Join(t.Also, ", ") + ")"
		}
		fmt.Fprintln(w, head)
		for _, line := range Wrap(t.Meaning, columns-2) {
			fmt.Fprintln(w, "  "+line)
		}
		if len(t.See) > 0 {
			if _, err := fmt.Fprintln(w, "  see: "+strings.Join(t.See, ", ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// Wrap breaks a text into lines of at most a number of columns.
func Wrap(text string, columns int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= columns:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// WriteList writes the names in the glossary by subject.
func WriteList(w io.Writer, columns int) error {
	for _, subject := range terms() {
		var names []string
		for _, t := range subject.terms {
			names = append(names, t.Name)
		}
		fmt.Fprintln(w, subject.subject)
		for _, line := range Wrap(strings.Join(names, ", "), columns-2) {
			if _, err := fmt.Fprintln(w, "  "+line); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(w, "Stall reasons, metrics and configuration keys have entries by their names.")
	return err
}
