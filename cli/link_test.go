package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every command that reads a program links modules, in any order and with any spelling of the flags.
func TestLink(t *testing.T) {
	t.Chdir("testdata")
	for _, test := range []struct {
		args  []string
		parts []string
	}{
		{[]string{"run", "--link", "link-library.ptx", "link-main.ptx"}, []string{"as expected: data", "scale(int)"}},
		{[]string{"run", "link-main.ptx", "--link", "link-library.ptx"}, []string{"as expected: data"}},
		{[]string{"run", "link-main.ptx", "--link", "./link-main.ptx", "link-library.ptx"}, []string{"as expected: data"}},
		{[]string{"run", "link-main.yaml", "--link", "link-library.ptx"}, []string{"as expected: data"}},
		{[]string{"run", "link-library.ptx", "--link", "link-main.ptx"}, []string{"as expected: data"}},
		{[]string{"lower", "link-main.ptx", "--link", "link-library.ptx"},
			[]string{"shift(int*) (_Z5shiftPi): ", "link-library.ptx:12 scale(int), inlined at link-main.ptx:"}},
		{[]string{"inspect", "link-main.ptx", "--link", "link-library.ptx"}, []string{"kernel shift(int*)", "function scale(int)"}},
		{[]string{"inspect", "link-main.ptx", "link-library.ptx"}, []string{"kernel shift(int*)", "function scale(int)"}},
		{[]string{"occupancy", "link-main.ptx", "--link", "link-library.ptx"}, []string{"Occupancy of shift(int*)"}},
	} {
		args := test.args
		if args[0] == "run" {
			args = append(args, append([]string{"--format", "full"}, small...)...)
		}
		code, out, errOut := keplersim(t, args...)
		assert.Zero(t, code, "%v: %s", test.args, errOut)
		for _, part := range test.parts {
			assert.Contains(t, out, part, "%v", test.args)
		}
	}
}

// Symbols that are missing or defined twice are named with file and line.
func TestLinkErrors(t *testing.T) {
	t.Chdir("testdata")
	undefined := []string{"link-main.ptx:22:17: `_Z5scalei` is declared but not defined: link the module that defines it as well",
		"link-main.ptx:25:2: `table` is declared .extern and no module defines it"}
	for _, command := range []string{"run", "lower", "occupancy"} {
		code, _, errOut := keplersim(t, command, "link-main.ptx")
		assert.Equal(t, exitBadInput, code, command)
		for _, part := range undefined {
			assert.Contains(t, errOut, part, command)
		}
	}
	for _, command := range []string{"run", "lower", "inspect", "occupancy"} {
		for _, test := range []struct {
			args  []string
			parts []string
		}{
			{[]string{"link-main.ptx", "--link", "link-library.ptx", "link-again.ptx"},
				[]string{"link-again.ptx:6:37: `_Z5scalei` is defined twice; the first definition is at link-library.ptx:8"}},
			{[]string{"link-main.ptx", "--link", "nothing.ptx"}, []string{"nothing.ptx", "no such file"}},
		} {
			code, _, errOut := keplersim(t, append([]string{command}, test.args...)...)
			assert.Equal(t, exitBadInput, code, "%s %v", command, test.args)
			for _, part := range test.parts {
				assert.Contains(t, errOut, part, "%s %v", command, test.args)
			}
		}
	}
	code, _, errOut := keplersim(t, "run", "link-main.ptx", "link-library.ptx")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "keplersim run link-main.ptx --link link-library.ptx")
}
