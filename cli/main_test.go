package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPanicBecomesABugReport(t *testing.T) {
	before := subcommands
	defer func() { subcommands = before }()
	subcommands = append(subcommands[:len(subcommands):len(subcommands)], subcommand{"break", func() *cobra.Command {
		return &cobra.Command{Use: "break", RunE: func(*cobra.Command, []string) error { panic("scoreboard lost register R7") }}
	}, groupSelf})
	var out, errOut bytes.Buffer
	code := execute(context.Background(), []string{"break", "kernel.ptx"}, &out, &errOut)
	assert.Equal(t, exitFailed, code)
	for _, part := range []string{"this is a bug in keplersim", "scoreboard lost register R7", "command line: keplersim break kernel.ptx",
		"version:", "main_test.go", "Please report it"} {
		assert.Contains(t, errOut.String(), part)
	}
	assert.Empty(t, out.String())
}

// A command line makes only its own command, which behaves as it does among all others.
func TestCommandsAreMadeAsNeeded(t *testing.T) {
	for _, s := range subcommands {
		among, _, err := newRootCommand().Find([]string{s.name})
		require.NoError(t, err)
		assert.Equal(t, s.name, among.Name())
		alone, _, err := newRootFor([]string{s.name, "x"}).Find([]string{s.name})
		require.NoError(t, err)
		for _, make := range []func(*cobra.Command) string{(*cobra.Command).UsageString, (*cobra.Command).CommandPath} {
			assert.Equal(t, make(among), make(alone))
		}
	}
	for _, args := range [][]string{nil, {"--help"}, {"help", "run"}, {"--color", "never", "run"}, {"ran", "x"}, {"__complete", ""}} {
		assert.Greater(t, len(newRootFor(args).Commands()), len(subcommands), "%v", args)
	}
	for _, args := range [][]string{{"--version"}, {"version"}} {
		var out, errOut bytes.Buffer
		assert.Equal(t, exitRan, execute(context.Background(), args, &out, &errOut))
		assert.Contains(t, out.String(), strings.TrimPrefix(ownVersion(), "keplersim "))
	}
}

// Commands that run nothing explain mistakes as run does.
func TestErrorsOfDescribingCommands(t *testing.T) {
	t.Chdir("testdata")
	for _, test := range []struct{ line, want string }{
		{"lower no-such.ptx", "no-such.ptx: there is no such file"},
		{"debug no-such.ptx", "no-such.ptx: there is no such file"},
		{"sweep no-such.yaml", "no-such.yaml: there is no such file"},
		{"lower --kernel subtract add.ptx", `add.ptx has no kernel "subtract"; its kernels are`},
		{"inspect", "inspect takes a file or several"},
		{"add.ptx", `unknown command "add.ptx"; to run a file write keplersim run add.ptx`},
		{"inspekt add.ptx", `unknown command "inspekt"; did you mean inspect?`},
		{"fp eval", "keplersim fp eval --help shows examples"},
		{"fp sum --threads many", "--threads many: give whole numbers with commas between them"},
		{"simulate", "keplersim --help lists the commands"},
		{"lower --maxrregcount many add.ptx", "--maxrregcount many: give a whole number (keplersim lower --help lists the flags)"},
		{"inspect .", "is a folder"},
		{"inspect --format html no-such.ptx", "--format html: choose one of text, json, dot"},
	} {
		code, out, errOut := keplersim(t, strings.Fields(test.line)...)
		assert.Equal(t, exitBadInput, code, test.line)
		assert.Contains(t, errOut, test.want, test.line)
		assert.Empty(t, out, test.line)
	}
}
