package command

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoWordIsAFileOfOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ word, safe string }{
		{"@x.o", "./@x.o"}, {"@", "./@"}, {"a@b.o", "a@b.o"}, {"./@x", "./@x"}, {"-o", "-o"}, {"-I@d", "-I./@d"}, {"-D@d", "-D./@d"},
		{"-U@d", "-U./@d"}, {"-isystem@d", "-isystem./@d"}, {"-include@d", "-include./@d"}, {"-MF@d", "-MF./@d"}, {"-L@d", "-L@d"},
		{"-Wl,-z,@d,@e", "-Wl,-z,./@d,./@e"}, {"-DA=@x", "-DA=@x"},
	} {
		assert.Equal(t, []string{"tool", test.safe}, Tool(t.Context(), "tool", test.word).Args)
	}
}

func TestAFileIsNoOption(t *testing.T) {
	t.Parallel()
	for path, safe := range map[string]string{"-x": "./-x", "@x": "./@x", "=x": "./=x", "+x": "./+x", "a": "a", "/-x": "/-x", "": ""} {
		assert.Equal(t, safe, File(path))
	}
}

// A program in the working folder is run, and not one of the same name on PATH.
func TestAProgramIsNotLookedForOnPath(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("ls", []byte("#!/bin/sh\necho \"$@\"\n"), 0o700))
	out, err := Program(t.Context(), "ls", "@x", "-y").CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "@x -y\n", string(out))
}

func TestALineOfAScript(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\nb", "a\rb", "a\x00b", "a\x1bb", "a\u0085b", "a\u2028b", "a\xffb"} {
		assert.ErrorContains(t, CheckLine("the name", text), "the name ", text)
	}
	assert.NoError(t, CheckLine("the name", "größe 1 'x' $y"))
}
