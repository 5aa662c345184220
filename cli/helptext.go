package cli

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/debug"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/runtime/nvcc"
	"github.com/keplersim/keplersim/study/suite"
	"github.com/keplersim/keplersim/workload"
)

// helpTexts has a file for each command, named after its path, such as fp-sum.txt: a line that says what it does, the details
// and, after a line EXAMPLES, how it is called. For {{name}} it has a part of helpParts.
//
//go:embed help/*.txt
var helpTexts embed.FS

// examplesBelow is the line in front of the examples.
const examplesBelow = "\nEXAMPLES\n"

// helpPart matches the name of a part in a help text.
var helpPart = pattern.Lazy(`{{\w+}}`)

// helpParts are the parts of help texts that tables of the program hold or several commands share.
var helpParts = map[string]func() string{
	"arguments":        func() string { return workload.ArgHelp },
	"debuggerCommands": debug.Usage,
	"fuzzWays":         fuzzWays,
	"link":             func() string { return linkHelp },
	"nvccFlags":        nvcc.Flags,
	"plotKinds":        plotKinds,
	"suites":           func() string { return strings.Join(suite.Names(), " or ") },
}

func plotKinds() string {
	var kinds strings.Builder
	for _, k := range draw.Kinds {
		fmt.Fprintf(&kinds, "\n  %-10s %s", k.Name, k.Meaning)
	}
	return kinds.String()
}

// helpFile returns the name of a command's help text.
func helpFile(command *cobra.Command) string {
	path := strings.TrimPrefix(command.CommandPath(), "keplersim ")
	return "help/" + strings.ReplaceAll(path, " ", "-") + ".txt"
}

// takeHelp gives a command and those below it their help texts. Commands without a file keep theirs.
func takeHelp(command *cobra.Command) {
	if text, err := helpTexts.ReadFile(helpFile(command)); err == nil {
		short, details, _ := strings.Cut(string(text), "\n")
		long, examples, _ := strings.Cut(details, examplesBelow)
		long = helpPart().ReplaceAllStringFunc(long, func(part string) string { return helpParts[part[2:len(part)-2]]() })
		command.Short, command.Long, command.Example = short, strings.TrimSpace(long), strings.TrimRight(examples, "\n")
	}
	for _, below := range command.Commands() {
		takeHelp(below)
	}
}
