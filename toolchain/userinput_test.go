package toolchain

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clang and its own compiler never take a file's name for an option or for a file of options. The files named after an @ define a macro, so
// that the test notices if clang reads them as options.
func TestFileNamesAreNoOptions(t *testing.T) {
	NeedClang(t)
	t.Chdir(t.TempDir())
	const kernel = "#include \"near.h\"\n#ifdef TAKEN\n#error an option was taken\n#endif\n__global__ void k(int *x) { *x = NEAR; }\n"
	for _, folder := range []string{"sub", "@sub", "-sub", "=sub"} {
		require.NoError(t, os.Mkdir("./"+folder, 0o755))
	}
	require.NoError(t, os.WriteFile("k.cu", []byte("x.cu -DTAKEN -fplugin=none.so\n"), 0o644))
	for _, name := range sample([]string{"@k.cu", "./@k.cu", "sub/@k.cu", "-Xclang.cu", "-DTAKEN.cu", "-.cu", "@sub/k.cu", "-sub/k.cu",
		"=sub/=.cu", "sub/a b'\"\\.cu", "sub/-fplugin=none.so.cu"}) {
		path := "./" + name
		require.NoError(t, os.WriteFile(path, []byte(kernel), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "near.h"), []byte("#define NEAR 7\n"), 0o644))
		absolute, err := filepath.Abs(path)
		require.NoError(t, err)
		for _, given := range []string{name, absolute} {
			result, err := Compile(context.Background(), given, Options{LineInfo: true})
			if assert.NoError(t, err, given) {
				assert.Contains(t, string(result.PTX), ".entry _Z1kPi", given)
				assert.Contains(t, string(result.PTX), filepath.Base(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name))+`"`,
					"the debug information names the file")
			}
		}
	}
	// Messages name the file as the user does.
	require.NoError(t, os.WriteFile("./@wrong.cu", []byte("__global__ void k(int *x) { y = 1; }\n"), 0o644))
	_, err := Compile(context.Background(), "@wrong.cu", Options{})
	assert.ErrorContains(t, err, "@wrong.cu:1:29: error: use of undeclared identifier 'y'")
}

func TestDefinitionsAndFoldersAreNoOptions(t *testing.T) {
	NeedClang(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("options", []byte("-DTAKEN -fplugin=none.so\n"), 0o644))
	require.NoError(t, os.WriteFile("k.cu", []byte("#include <mine.h>\n#ifdef TAKEN\n#error an option was taken\n#endif\n"+
		"__global__ void k(int *x) { *x = MINE; }\n"), 0o644))
	for _, folder := range []string{"@options", "-options", "=options", "plain"} {
		require.NoError(t, os.Mkdir("./"+folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join("./"+folder, "mine.h"), []byte("#define MINE 7\n"), 0o644))
		_, err := Compile(context.Background(), "k.cu", Options{IncludeDirs: []string{folder}})
		assert.NoError(t, err, folder)
	}
	for _, define := range []string{"", "@options", "-DTAKEN", "1=2", "A B", "=3", "A=1\n#define TAKEN", "A\x00"} {
		assert.ErrorContains(t, CheckUserOptions(Options{Defines: []string{define}}), "a macro is NAME or NAME=VALUE", define)
		_, err := Compile(context.Background(), "k.cu", Options{Defines: []string{define}, IncludeDirs: []string{"plain"}})
		assert.ErrorContains(t, err, "a macro is NAME or NAME=VALUE", define)
	}
	for _, define := range sample([]string{"MINE_TOO", "MINE_TOO=", "MINE_TOO=@options", "MINE_TOO=-1", "MINE_TOO(x)=x",
		"MINE_TOO(x, ...)=x", "_mine9=\"s\""}) {
		_, err := Compile(context.Background(), "k.cu", Options{Defines: []string{define}, IncludeDirs: []string{"plain"}})
		assert.NoError(t, err, define)
	}
	assert.ErrorContains(t, CheckUserOptions(Options{IncludeDirs: []string{""}}), "give the folder")
	assert.ErrorContains(t, CheckUserOptions(Options{IncludeDirs: []string{"none"}}), "-I none: there is no such folder")
	assert.ErrorContains(t, CheckUserOptions(Options{IncludeDirs: []string{"k.cu"}}), "-I k.cu: this is a file")
}

// An endless file is rejected before clang reads it.
func TestEndlessSources(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink("/dev/zero", "zero.cu"))
	_, err := Compile(context.Background(), "zero.cu", Options{})
	assert.ErrorContains(t, err, "zero.cu is longer than 8 MB")
	f, err := os.Create("long.cu")
	require.NoError(t, err)
	require.NoError(t, errors.Join(f.Truncate(9<<20), f.Close()))
	_, err = Compile(context.Background(), "long.cu", Options{})
	assert.ErrorContains(t, err, "long.cu is longer than 8 MB")
}

// A folder that cannot be written is not reported as an error in the source.
func TestNoFolderToCompileIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("TMPDIR is Unix's")
	}
	NeedClang(t)
	path := write(t, "kernel.cu", "__global__ void k() {}")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	_, err := Compile(context.Background(), path, Options{})
	var unwritable *Unwritable
	assert.ErrorAs(t, err, &unwritable)
}

// The next compilation removes the folders of compilations that were killed.
func TestFoldersOfKilledCompilationsAreRemoved(t *testing.T) {
	NeedClang(t)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	left := filepath.Join(folder, "keplersim-cuda-123")
	require.NoError(t, os.MkdirAll(filepath.Join(left, "system"), 0o755))
	old := time.Now().Add(-time.Hour * 48)
	require.NoError(t, os.Chtimes(left, old, old))
	compile(t, "__global__ void k() {}", Options{})
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		assert.False(t, strings.HasPrefix(e.Name(), "keplersim-cuda-"), e.Name())
	}
}

// If the user interrupts a compiler, this does not count as a missing library or a missing clang.
func TestAnInterruptIsNoMissingLibrary(t *testing.T) {
	for name, slow := range map[string]string{"version": "--version", "targets": "--print-targets", "library": "-fsyntax-only"} {
		folder := t.TempDir()
		script := "#!/bin/sh\ncase \"$*\" in *" + slow + "*) touch " + folder + "/asked; exec sleep 60;; esac\n" +
			"echo clang version 19.0.0; echo nvptx64\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, "clang"), []byte(script), 0o700))
		t.Setenv("PATH", folder+string(os.PathListSeparator)+"/usr/bin"+string(os.PathListSeparator)+"/bin")
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for {
				if _, err := os.Stat(filepath.Join(folder, "asked")); err == nil {
					cancel()
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		_, err := NewBuilder(ctx)
		assert.ErrorIs(t, err, context.Canceled, name)
		assert.NotErrorIs(t, err, ErrNoLibrary, name)
		assert.NotErrorIs(t, err, ErrNoClang, name)
	}
}
