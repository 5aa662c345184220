package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a source includes is an input: by its own folder, by folders of headers, by headers of headers, whatever an inclusion looks like.
func TestHeadersAreInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"k.cu": "#include \"a.h\"\n # include <b.hpp> // sums\n#if 0\n#include \"sub/c.inl\"\n#endif\n#include <cuda.h>\n",
		"a.h":  "#pragma once\n#include \"a.h\"\n#include \"sub/d.h\"\n", "headers/b.hpp": "", "sub/c.inl": "",
		"sub/d.h": "#include \"e.h\"\n", "sub/e.h": "", "other.h": "", "notes.txt": "#include \"other.h\"\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	inputs := []string{"k.cu", "headers", "notes.txt"}
	for _, name := range []string{"a.h", "headers/b.hpp", "sub/c.inl", "sub/d.h", "sub/e.h", "./sub/../a.h"} {
		assert.ErrorContains(t, Claim(inputs, Target{"--output", name}), "would overwrite the input", name)
	}
	for _, name := range []string{"other.h", "new.h", "sub/new.h"} {
		assert.NoError(t, Claim(inputs, Target{"--output", name}), name)
	}
}
