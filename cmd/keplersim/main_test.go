package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

func TestPanicBecomesABugReport(t *testing.T) {
	before := subcommands
	defer func() { subcommands = before }()
	subcommands = append(subcommands[:len(subcommands):len(subcommands)], func() *cobra.Command {
		return &cobra.Command{Use: "break", RunE: func(*cobra.Command, []string) error { panic("scoreboard lost register R7") }}
	})
	var out, errOut bytes.Buffer
	code := execute(context.Background(), []string{"break", "kernel.ptx"}, &out, &errOut)
	assert.Equal(t, exitFailed, code)
	for _, part := range []string{"this is a bug in keplersim", "scoreboard lost register R7", "command line: keplersim break kernel.ptx", "version:", "main_test.go", "Please report it"} {
		assert.Contains(t, errOut.String(), part)
	}
	assert.Empty(t, out.String())
}
