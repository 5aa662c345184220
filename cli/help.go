package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// helpWidth is the width of help texts, in columns.
const helpWidth = 100

// fitHelp breaks the help of a command and its subcommands to helpWidth columns.
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
		_, _ = io.WriteString(out, fit(text.String(), helpWidth)) // out records write errors
	})
}

var flagLine = regexp.MustCompile(`(?m)^ {2}(?:-\w, | {4})--([a-z-]+)`)

// withHeadings inserts headings before the flags that begin a part of the list.
func withHeadings(help string, headings map[string]string) string {
	return flagLine.ReplaceAllStringFunc(help, func(line string) string {
		if heading, ok := headings[flagLine.FindStringSubmatch(line)[1]]; ok {
			return "\n  " + heading + "\n" + line
		}
		return line
	})
}

// fit breaks lines of a help text that are too wide. Lines without indentation are paragraphs, which are refilled. An indented line
// continues below its last column, as behind a flag's name. A command continues after a backslash.
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

// textColumn returns the column of a line's text: behind its last gap of at least two spaces, or its indentation.
func textColumn(line string) int {
	column, runes := 0, []rune(line)
	for i := 2; i < len(runes); i++ {
		if runes[i] != ' ' && runes[i-1] == ' ' && runes[i-2] == ' ' {
			column = i
			// A gap within the text, as in "a b", separates no columns.
			if i > len(runes)-len(strings.TrimLeft(line, " ")) {
				break
			}
		}
	}
	return column
}

// continues reports whether a line continues an item whose text is at a column: it has text there, and no gap of its own.
func continues(line string, column int) bool {
	indentation := utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimLeft(line, " "))
	text := strings.TrimSpace(line)
	return text != "" && indentation == column && textColumn(line) == column && !strings.HasPrefix(text, "keplersim ")
}

// fill refills an item's text.
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

// fitCommand breaks a command line between arguments.
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

// arguments splits a command line at spaces, but keeps flags with their values, and quoted texts together.
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
