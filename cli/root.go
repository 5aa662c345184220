package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/internal/spelling"
)

// subcommand is a command below keplersim: its name, its constructor, and its group in the help text.
type subcommand struct {
	name  string
	make  func() *cobra.Command
	group string
}

// Groups of commands, in the order of the help text.
const (
	groupRun      = "Run and understand a kernel:"
	groupPrograms = "Whole CUDA programs:"
	groupCode     = "Look at code:"
	groupChips    = "Chips and boards:"
	groupLearn    = "Learn and look up:"
	groupStudies  = "Studies and measurements:"
	groupSelf     = "The simulator itself:"
)

// subcommands are listed in the order of the help text.
var subcommands = []subcommand{
	{"run", newRunCommand, groupRun},
	{"debug", newDebugCommand, groupRun},
	{"nvcc", newNVCCCommand, groupPrograms},
	{"toolkit", newToolkitCommand, groupPrograms},
	{"nvprof", newNVProfCommand, groupPrograms},
	{"smi", newSMICommand, groupPrograms},
	{"compare", newCompareCommand, groupRun},
	{"explain", newExplainCommand, groupRun},
	{"advise", newAdviseCommand, groupRun},
	{"plot", newPlotCommand, groupRun},
	{"metrics", newMetricsCommand, groupLearn},
	{"glossary", newGlossaryCommand, groupLearn},
	{"lab", newLabCommand, groupLearn},
	{"grade", newGradeCommand, groupLearn},
	{"lesson", newLessonCommand, groupLearn},
	{"configs", newConfigsCommand, groupChips},
	{"clocks", newClocksCommand, groupChips},
	{"inspect", newInspectCommand, groupCode},
	{"disasm", newDisasmCommand, groupCode},
	{"lower", newLowerCommand, groupCode},
	{"occupancy", newOccupancyCommand, groupRun},
	{"sweep", newSweepCommand, groupStudies},
	{"tune", newTuneCommand, groupStudies},
	{"suite", newSuiteCommand, groupPrograms},
	{"fp", newFPCommand, groupLearn},
	{"validate", newValidateCommand, groupStudies},
	{"fuzz", newFuzzCommand, groupSelf},
	{"doctor", newDoctorCommand, groupSelf},
	{"schema", newSchemaCommand, groupSelf},
	{"version", newVersionCommand, groupSelf},
	{"serve", newServeCommand, groupSelf},
}

// newRootFor makes the command for a command line: with only the subcommand that it begins with, or else with all. Defining the flags of
// all of them takes longer than simulating a small kernel.
func newRootFor(args []string) *cobra.Command {
	if slices.Equal(args, []string{"--version"}) {
		return newRootWith(nil)
	}
	for i, s := range subcommands {
		if len(args) > 0 && args[0] == s.name {
			return newRootWith(subcommands[i : i+1])
		}
	}
	return newRootCommand()
}

// newRootCommand makes the command with all subcommands.
func newRootCommand() *cobra.Command { return newRootWith(subcommands) }

func init() { cobra.EnableCommandSorting = false } // the help lists the most used commands first

// newRootWith makes the command with some subcommands.
func newRootWith(below []subcommand) *cobra.Command {
	root := &cobra.Command{
		Use:           "keplersim",
		Version:       strings.TrimPrefix(ownVersion(), "keplersim "),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SuggestionsMinimumDistance = 2 // edits
	root.SetFlagErrorFunc(explainFlag)
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(root, args[0])
		}
		return nil
	}
	root.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	for _, group := range []string{groupRun, groupPrograms, groupCode, groupChips, groupLearn, groupStudies, groupSelf} {
		root.AddGroup(&cobra.Group{ID: group, Title: group})
	}
	for _, s := range below {
		command := s.make()
		command.GroupID = s.group
		root.AddCommand(command)
	}
	root.SetHelpCommandGroupID(groupSelf)
	root.SetCompletionCommandGroupID(groupSelf)
	takeHelp(root)
	takeColor(root)
	nameValues(root)
	explainStandardCommands(root)
	explainArguments(root)
	fitHelp(root)
	return root
}

// explainStandardCommands makes cobra's own commands, help and completion, fail on unknown words.
func explainStandardCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, command := range root.Commands() {
		switch command.Name() {
		case "help":
			command.Args = func(_ *cobra.Command, args []string) error {
				if topic, _, _ := root.Find(args); len(args) > 0 && topic == root {
					return unknownCommand(root, args[0])
				}
				return nil
			}
		case "completion":
			command.Args = func(c *cobra.Command, args []string) error {
				if len(args) == 0 {
					return nil
				}
				var shells []string
				for _, s := range c.Commands() {
					shells = append(shells, s.Name())
				}
				return fmt.Errorf("there is no completion for %q; there is for %s", args[0], strings.Join(shells, ", "))
			}
			command.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// foreignFlags are flags of nvprof, nvcc and GPGPU-Sim, as pflag reports them when they are unknown, with their counterparts here.
var foreignFlags = []struct{ flag, ours string }{
	{"--events", "--metrics, which has nvprof's events too"}, {"--query-metrics", "keplersim metrics"},
	{"--query-events", "keplersim metrics"}, {"--csv", "--format csv"}, {"--print-gpu-trace", "--format csv"},
	{"--print-gpu-summary", "the beginning of the report"}, {"--log-file", "-o FILE"}, {"--export-profile", "--format json -o FILE"},
	{"--kernels", "--kernel NAME"}, {"--racecheck", "--check"}, {"--tool", "--check"}, {"--gpu-architecture", "--config"},
	{"-arch", "--config"}, {"-gencode", "--config"}, {"-maxrregcount", "--maxrregcount"}, {"-use_fast_math", "--use-fast-math"},
	{"-fmad", "--fmad"}, {"-Xptxas", "--dlcm for -dlcm, and keplersim lower for -v"}, {"-lineinfo", "always so"}, {"-G", "always so"},
	{"-ptx", "keplersim lower"}, {"-std", "C++17, always so"}, {"-O", "-O3, always so"}, {"-gpgpu_max_cycle", "--max-cycles"},
	{"-gpgpu_ptx_sim_mode", "--functional"}, {"--device", "--config"},
}

// counterpart returns what replaces another tool's flag here, "" if the message names none.
func counterpart(command *cobra.Command, message string) string {
	for _, f := range foreignFlags {
		if name, flag := strings.CutPrefix(strings.FieldsFunc(f.ours, func(r rune) bool {
			return r == ' ' || r == ','
		})[0], "--"); flag && command.Flags().Lookup(name) == nil {
			continue // this command does not have it
		}
		if wrong, long := strings.CutPrefix(f.flag, "--"); long && message == "unknown flag: --"+wrong {
			return f.ours
		}
		_, given, short := strings.Cut(message, " in -")
		if name := strings.TrimPrefix(f.flag, "-"); short && strings.HasPrefix(given, name) && !strings.HasPrefix(f.flag, "--") {
			return f.ours
		}
	}
	return ""
}

// explainFlag adds to an error in a flag what the user may have meant, and where the flags are listed.
func explainFlag(command *cobra.Command, err error) error {
	meant := ""
	if invalid := new(pflag.InvalidValueError); errors.As(err, &invalid) {
		if wants := map[string]string{"int": "a whole number", "float64": "a number", "intSlice": "whole numbers with commas between them",
			"bool": "true or false"}[invalid.GetFlag().Value.Type()]; wants != "" {
			err = fmt.Errorf("--%s %s: give %s", invalid.GetFlag().Name, invalid.GetValue(), wants)
		}
	}
	if ours := counterpart(command, err.Error()); ours != "" {
		meant = "; that is " + ours + " here"
	} else if wrong, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		var flags []string
		command.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		if near := spelling.Nearest(wrong, flags); near != "" {
			meant = fmt.Sprintf("; did you mean --%s?", near)
		}
	}
	return fmt.Errorf("%w%s (%s --help lists the flags)", err, meant, command.CommandPath())
}

// unknownCommand returns the error for an unknown command. It suggests a similar one, or running a file.
func unknownCommand(root *cobra.Command, word string) error {
	meant := "keplersim --help lists the commands"
	if names := root.SuggestionsFor(word); len(names) > 0 && word != "" {
		meant = "did you mean " + strings.Join(names, " or ") + "?"
	} else if strings.ContainsAny(word, "./") {
		meant = "to run a file write keplersim run " + word
	}
	return fmt.Errorf("unknown command %q; %s", word, meant)
}

// explainArguments makes the commands below one name their help when the number of arguments is wrong.
func explainArguments(parent *cobra.Command) {
	for _, command := range parent.Commands() {
		if check := command.Args; check != nil {
			command.Args = func(c *cobra.Command, args []string) error {
				err := check(c, args)
				if err != nil && !strings.Contains(err.Error(), "--help") {
					err = fmt.Errorf("%w; %s --help shows examples", err, c.CommandPath())
				}
				return err
			}
		}
		explainArguments(command)
	}
}
