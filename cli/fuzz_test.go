package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Runs over successive ranges of seeds add up in a file, and count no program twice.
func TestFuzzTally(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tally.json")
	for _, test := range []struct {
		arguments string
		code      int
		part      string
	}{
		{"--count 2", exitRan, "2 programs from seed 1 on gk110"},
		{"--count 1 --seed 2", exitBadInput, "seed 2 is counted already"},
		{"--count 1 --seed 3", exitRan, file + ": 3 programs, 0 differ"},
		{"--count 1 --seed 4 --config gk104", exitBadInput, "on gk104"},
		{"--count 1000000000 --seed 9 --within 1ns", exitRan, "0 programs"},
		{"--c --compiler gcc", exitBadInput, "--compiler is clang or builtin"},
	} {
		code, out, errOut := keplersim(t, strings.Fields("fuzz --tally "+file+" "+test.arguments)...)
		assert.Equal(t, test.code, code, test.arguments+errOut)
		assert.Contains(t, out+errOut, test.part)
	}
}
