package files

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Targets are refused before any work: if they are an input under any name, if two are one file, and if they cannot be written. Nothing
// changes.
func TestClaim(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "in", "input")
	write(t, ".", "out", "earlier")
	require.NoError(t, os.Link("in", "hard"))
	if err := os.Symlink("in", "soft"); err != nil {
		t.Skip("no links: ", err)
	}
	require.NoError(t, os.Mkdir("folder", 0o755))
	inputs := []string{"in", "not-there", "-"}
	for _, c := range []struct {
		targets []Target
		want    string // "" for none
	}{
		{[]Target{{"--output", ""}, {"--output", "new"}, {"--report", "out"}}, ""},
		{[]Target{{"-o", os.DevNull}, {"--report", os.DevNull}}, ""},
		{[]Target{{"--output", "in"}}, "--output in would overwrite the input"},
		{[]Target{{"--output", "folder/../in"}}, "--output folder/../in would overwrite the input"},
		{[]Target{{"--output", "hard"}}, "--output hard would overwrite the input, which is in"},
		{[]Target{{"--dump y=", "soft"}}, "--dump y=soft would overwrite the input, which is in"},
		{[]Target{{"--output", "new"}, {"--svg", "./new"}}, "--output and --svg write the same file ./new"},
		{[]Target{{"--output", "folder"}}, "--output folder: folder is a folder; name a file in it"},
		{[]Target{{"--output", filepath.Join("none", "x")}}, "--output " + filepath.Join("none", "x") + ": there is no folder none"},
	} {
		err := Claim(inputs, c.targets...)
		if c.want == "" {
			assert.NoError(t, err, c.targets)
		} else {
			assert.EqualError(t, err, c.want)
		}
	}
	assert.Equal(t, "folder hard in out soft", names(t, "."))
	text, err := os.ReadFile("out")
	require.NoError(t, err)
	assert.Equal(t, "earlier", string(text))
}

// The hash depends on names and contents: moving text from one to the other changes it.
func TestHash(t *testing.T) {
	hash := func(names ...string) string {
		files := fstest.MapFS{}
		for i := 0; i < len(names); i += 2 {
			files[names[i]] = &fstest.MapFile{Data: []byte(names[i+1])}
		}
		return Hash(files)
	}
	assert.Len(t, hash("a", "text"), 64)
	assert.Equal(t, hash("a", "1", "b/c", "2"), hash("b/c", "2", "a", "1"))
	assert.NotEqual(t, hash("a", "1"), hash("a", "2"))
	assert.NotEqual(t, hash("a", "1"), hash("b", "1"))
	assert.NotEqual(t, hash("a", "1", "b", ""), hash("a", "", "b", "1"))
}

// A file without a name can be written and read, and leaves nothing behind.
func TestScratch(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	file, gone, err := Scratch()
	require.NoError(t, err)
	_, err = file.WriteString("text")
	require.NoError(t, err)
	text := make([]byte, 4)
	_, err = file.ReadAt(text, 0)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
	require.NoError(t, file.Close())
	if gone {
		assert.Empty(t, names(t, folder))
	}
}
