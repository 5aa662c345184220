package files

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// inclusion is a line of C that includes a file by name. One that a macro names is not found.
var inclusion = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)

// sourceEndings are those of files that may include others.
var sourceEndings = []string{".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inl"}

// mostSource is how much of a source is looked at, in bytes, mostIncluded how many files.
const (
	mostSource   = 16 << 20
	mostIncluded = 10_000
)

// withIncluded returns the inputs with the files that C sources among them include, and those that these do, whatever conditions an
// inclusion stands under: files next to the one that includes them, and in folders among the inputs.
func withIncluded(inputs []string) []string {
	var folders []string
	seen := map[string]bool{}
	for _, input := range inputs {
		if info, err := os.Stat(input); err == nil && info.IsDir() {
			folders = append(folders, input)
		}
		seen[filepath.Clean(input)] = true
	}
	all := slices.Clone(inputs)
	for i := 0; i < len(all) && len(all) < mostIncluded; i++ {
		if !slices.Contains(sourceEndings, strings.ToLower(filepath.Ext(all[i]))) {
			continue
		}
		if info, err := os.Stat(all[i]); err != nil || !info.Mode().IsRegular() { // a pipe is read once
			continue
		}
		text, err := Read(all[i], mostSource)
		if err != nil {
			continue // whoever reads it says so
		}
		for _, match := range inclusion.FindAllSubmatch(text, -1) {
			for _, folder := range append([]string{filepath.Dir(all[i])}, folders...) {
				name := filepath.Join(folder, string(match[1]))
				if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !seen[name] {
					seen[name], all = true, append(all, name)
				}
			}
		}
	}
	return all
}
