package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/keplersim/keplersim/internal/version"
)

// treeFile is a file of this repository, for a module's zip.
type treeFile string

func (f treeFile) Path() string                 { return string(f) }
func (f treeFile) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join("../..", string(f))) }
func (f treeFile) Open() (io.ReadCloser, error) { return os.Open(filepath.Join("../..", string(f))) }

// go install of a version, through a proxy that is a folder, makes a program that reports this version. Its dependencies come from this
// machine's module cache, not from the network.
func TestInstallOfAVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program under another name: a minute")
	}
	list, err := exec.Command("git", "-C", "../..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("needs git and a clone: ", err)
	}
	const path = "github.com/keplersim/keplersim"
	number := "v" + version.Number
	proxy := t.TempDir()
	folder := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	for name, text := range map[string]string{"list": number + "\n", number + ".mod": string(mod),
		number + ".info": `{"Version":"` + number + `","Time":"2026-11-23T12:00:00Z"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	var files []modzip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if info, err := treeFile(name).Lstat(); err == nil && info.Mode().IsRegular() { // it may have been deleted since the commit
			files = append(files, treeFile(name))
		}
	}
	packed, err := os.Create(filepath.Join(folder, number+".zip"))
	require.NoError(t, err)
	require.NoError(t, modzip.Create(packed, module.Version{Path: path, Version: number}, files))
	require.NoError(t, packed.Close())

	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	downloads := filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
	bin := t.TempDir()
	install := exec.Command("go", "install", path+"/cmd/keplersim@"+number)
	install.Dir = bin
	// The flags are those of other builds, so that Go's cache has the packages of the standard library and of dependencies.
	install.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(downloads), "GOSUMDB=off",
		"GONOPROXY=", "GOPRIVATE=", "GOFLAGS="+os.Getenv("GOFLAGS")+" -modcacherw", "GOBIN="+bin, "GOMODCACHE="+t.TempDir())
	text, err := install.CombinedOutput()
	require.NoError(t, err, string(text))
	out, err := exec.Command(filepath.Join(bin, "keplersim"), "version").Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "keplersim "+version.Number+", ")
	noted, err := exec.Command("go", "version", "-m", filepath.Join(bin, "keplersim")).Output()
	require.NoError(t, err)
	assert.Regexp(t, `\tmod\t`+path+`\t`+number+`\t`, string(noted))
}
