package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The plotting library imports twelve fonts of 4.4 MB. Drawings need only one: report/plots.FontVariant.
const (
	fontModule = "codeberg.org/go-fonts/liberation"
	fontInUse  = "liberationsansregular"
)

// replaceFonts writes a copy of go.mod and go.sum that replaces the fonts by one: every other font's package has the bytes of fontInUse. It
// returns the copy's name, for -modfile. The folder's name is relative to the repository's root, where the command runs, because the
// program's list of modules contains it.
func replaceFonts(folder string) (modfile string, err error) {
	described, err := output("go", "mod", "download", "-json", fontModule)
	if err != nil {
		return "", err
	}
	var module struct{ Dir, GoMod string }
	if err := json.Unmarshal([]byte(described), &module); err != nil {
		return "", err
	}
	fonts := filepath.Join(folder, "liberation")
	if err := os.RemoveAll(fonts); err != nil {
		return "", err
	}
	packages, err := filepath.Glob(filepath.Join(module.Dir, "liberation*", "data.go"))
	if err != nil || len(packages) == 0 {
		return "", errors.Join(err, fmt.Errorf("%s has no fonts", module.Dir))
	}
	for _, data := range packages {
		name := filepath.Base(filepath.Dir(data))
		if name == fontInUse {
			err = os.CopyFS(filepath.Join(fonts, name), os.DirFS(filepath.Dir(data)))
		} else if err = os.MkdirAll(filepath.Join(fonts, name), 0o755); err == nil {
			text := fmt.Sprintf("package %s\n\nimport %q\n\nvar TTF = %s.TTF\n", name, fontModule+"/"+fontInUse, fontInUse)
			err = os.WriteFile(filepath.Join(fonts, name, "data.go"), []byte(text), 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	replace := fmt.Sprintf("\nreplace %s => ./%s\n", fontModule, filepath.ToSlash(fonts))
	modfile = filepath.Join(folder, "go.mod")
	return modfile, errors.Join(
		appended(filepath.Join(fonts, "go.mod"), module.GoMod, ""),
		appended(modfile, "go.mod", replace),
		appended(strings.TrimSuffix(modfile, "mod")+"sum", "go.sum", ""))
}

// appended writes a copy of a file with text added at the end.
func appended(path, from, text string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, text...), 0o644)
}
