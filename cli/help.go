package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// helpWidth is the most columns that help texts take.
const helpWidth = 100

// fitHelp lets the help of a command and of those below it keep to helpWidth columns, however long the lines of their texts are.
func fitHelp(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(command *cobra.Command, args []string) {
		out := command.OutOrStdout()
		var text bytes.Buffer
		command.SetOut(&text)
		defer command.SetOut(out)
		help(command, args)
		if command.Name() == "run" {
			text = *bytes.NewBufferString(withHeadings(text.String(), runHeadings))
		}
		_, _ = io.WriteString(out, fit(text.String(), helpWidth)) // the output remembers that it could not be written
	})
}

var flagLine = regexp.MustCompile(`(?m)^ {2}(?:-\w, | {4})--([a-z-]+)`)

// withHeadings puts a heading before each flag that begins a part of the list.
func withHeadings(help string, headings map[string]string) string {
	return flagLine.ReplaceAllStringFunc(help, func(line string) string {
		if heading, ok := headings[flagLine.FindStringSubmatch(line)[1]]; ok {
			return "\n  " + heading + "\n" + line
		}
		return line
	})
}

// fit breaks the lines of a help text that are wider than so many columns. Lines without indentation are paragraphs, which are filled
// anew; of an indented line what follows stands under its last column, as behind the name of a flag; a command goes on behind a backslash.
func fit(text string, width int) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); {
		item := []string{lines[i]}
		column := textColumn(lines[i])
		for i++; strings.TrimSpace(item[0]) != "" && i < len(lines) && continues(lines[i], column); i++ {
			item = append(item, lines[i])
		}
		wide := false
		for _, line := range item {
			wide = wide || utf8.RuneCountInString(line) > width
		}
		switch {
		case !wide:
			out = append(out, item...)
		case strings.HasPrefix(strings.TrimSpace(item[0]), "keplersim ") && column > 0:
			out = append(out, fitCommand(item[0], width)...)
			out = append(out, item[1:]...)
		default:
			out = append(out, fill(item, column, width)...)
		}
	}
	return strings.Join(out, "\n")
}

// textColumn returns where the text of a line stands: behind its last gap of two spaces or more, or behind its indentation.
func textColumn(line string) int {
	column, runes := 0, []rune(line)
	for i := 2; i < len(runes); i++ {
		if runes[i] != ' ' && runes[i-1] == ' ' && runes[i-2] == ' ' {
			column = i
			// What is in the text itself, as in "a  b", is no gap of a table.
			if i > len(runes)-len(strings.TrimLeft(line, " ")) {
				break
			}
		}
	}
	return column
}

// continues reports that a line belongs to an item whose text stands at a column: it has text there, and no gap of its own.
func continues(line string, column int) bool {
	indentation := utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimLeft(line, " "))
	text := strings.TrimSpace(line)
	return text != "" && indentation == column && textColumn(line) == column && !strings.HasPrefix(text, "keplersim ")
}

// fill breaks an item's text anew between its words.
func fill(item []string, column, width int) (lines []string) {
	head := []rune(item[0])
	line := string(head[:column])
	empty := true
	put := func(word string) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line, empty = strings.Repeat(" ", column), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	for _, word := range strings.Fields(string(head[column:])) {
		put(word)
	}
	for _, more := range item[1:] {
		for _, word := range strings.Fields(more) {
			put(word)
		}
	}
	return append(lines, line)
}

// fitCommand breaks a command line between its arguments.
func fitCommand(command string, width int) (lines []string) {
	indentation := command[:len(command)-len(strings.TrimLeft(command, " "))]
	line := indentation
	for i, argument := range arguments(command) {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(argument) > width-len(` \`) {
			lines = append(lines, line+` \`)
			line = indentation + "   "
		}
		if i > 0 {
			line += " "
		}
		line += argument
	}
	return append(lines, line)
}

// arguments splits a command line at its spaces; a flag keeps its value, and what is quoted stays together.
func arguments(command string) (all []string) {
	var open string
	for _, word := range strings.Fields(command) {
		switch last := len(all) - 1; {
		case open != "" || last > 0 && strings.HasPrefix(all[last], "--") && !strings.Contains(all[last], " ") &&
			!strings.HasPrefix(word, "-"):
			all[last] += " " + word
		default:
			all = append(all, word)
		}
		if strings.Count(all[len(all)-1], "'")%2 == 1 {
			open = "'"
		} else {
			open = ""
		}
	}
	return all
}
