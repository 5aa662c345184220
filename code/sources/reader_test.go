package sources

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

const kernel = ".version 4.2\n.target sm_30\n.address_size 64\n.visible .entry k() { ret; }\n"

// The name of standard input means its text, for code and for any other file. Other names are files.
func TestReaderTakesStandardInputForItsNameAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.ptx")
	require.NoError(t, os.WriteFile(file, []byte("of the file"), 0o600))
	r := Reader{Piped: Piped{Name: "<stdin>.ptx", Text: []byte(kernel)}}

	p, err := r.PTX(t.Context(), "<stdin>.ptx", "sm_35")
	require.NoError(t, err)
	assert.Equal(t, kernel, string(p.Source.Text))
	assert.Equal(t, "<stdin>.ptx", p.Source.Name)
	assert.Empty(t, p.Command)
	text, err := r.Read(file)
	require.NoError(t, err)
	assert.Equal(t, "of the file", string(text))

	_, err = (&Reader{}).PTX(t.Context(), "<stdin>.ptx", "sm_35")
	assert.EqualError(t, err, "<stdin>.ptx: there is no such file")
	_, ok := (&Reader{}).PipedText("")
	assert.False(t, ok, "no standard input has no name, not an empty one")
}

// The user's options for .cu files reach the compiler, for text from standard input too.
func TestReaderCompilesAsTheUserSays(t *testing.T) {
	need.Clang(t)
	r := Reader{
		Compile: toolchain.Options{Defines: []string{"VALUE=77"}},
		Piped:   Piped{Name: "<stdin>.cu", Text: []byte("extern \"C\" __global__ void k(int *p) { *p = VALUE; }\n")},
	}
	p, err := r.PTX(t.Context(), "<stdin>.cu", "sm_30")
	require.NoError(t, err)
	assert.Contains(t, string(p.Source.Text), "77")
	assert.Contains(t, string(p.Source.Text), ".target sm_30")
	assert.Equal(t, "<stdin>.cu (its PTX)", p.Source.Name)
	assert.Contains(t, p.Command, "VALUE=77")

	r.Compile.Defines = nil
	p, err = r.PTX(t.Context(), "<stdin>.cu", "sm_30")
	assert.ErrorContains(t, err, "VALUE")
	assert.NotEmpty(t, p.Command, "the command that failed")
}

// The error about a missing file suggests a similar name.
func TestCheckSaysWhatMayBeMeant(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("add.ptx", []byte(kernel), 0o600))
	require.NoError(t, os.Mkdir("folder", 0o700))
	r := &Reader{}
	assert.NoError(t, r.Check("add.ptx"))
	assert.EqualError(t, r.Check("add.cu"), "add.cu: there is no such file; there is add.ptx")
	assert.EqualError(t, r.Check("no/add.cu"), "no/add.cu: there is no such file; the folder no is not there either")
	assert.EqualError(t, r.Check("folder"), "folder is a folder; give a .ptx, .cu or workload file in it")
	assert.ErrorContains(t, Unknown("k.txt"), "it should end in .ptx, .cu, .cubin, .fatbin, .yaml")
}

// A file is code by its ending, or by its first bytes, like an executable that may have machine code inside.
func TestIsCode(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	var r Reader
	for name, text := range map[string]string{"k.ptx": "", "K.CU": "", "a.cubin": "", "b.fatbin": "",
		"program": "\x7fELF\x02\x01\x01", "fat": "\x50\xed\x55\xba"} {
		assert.True(t, r.IsCode(write(name, text)), name)
	}
	for name, text := range map[string]string{"w.yaml": "\x50\xed", "readme": "text", "short": "\x7f", "empty": ""} {
		assert.False(t, r.IsCode(write(name, text)), name)
	}
	assert.False(t, r.IsCode(filepath.Join(folder, "none")))
	assert.False(t, r.IsCode(folder), "a folder is no code")
}

// Errors about unreadable files are in the user's terms, with a suggestion.
func TestCheckSaysWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "k.ptx")
	require.NoError(t, os.WriteFile(file, []byte(kernel), 0o600))
	r := Reader{Piped: Piped{Name: "<stdin>.ptx", Text: []byte(kernel)}}
	assert.NoError(t, r.Check(file))
	assert.NoError(t, r.Check("<stdin>.ptx"))
	assert.EqualError(t, r.Check(filepath.Join(folder, "k.cu")), filepath.Join(folder, "k.cu")+": there is no such file; there is "+file)
	none := filepath.Join(folder, "none")
	assert.ErrorContains(t, r.Check(filepath.Join(none, "k.ptx")), "the folder "+none+" is not there either")
	assert.EqualError(t, r.Check(folder), folder+" is a folder; give a .ptx, .cu or workload file in it, such as "+file)
	assert.ErrorContains(t, Unknown("k.txt"), "k.txt: the name does not say what kind of file this is; it should end in .ptx, .cu")
}
