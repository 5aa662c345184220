package toolchain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/keplersim/keplersim/internal/pattern"
)

// Launches with spaces in their brackets. nvcc takes `kernel << <grid, block>> >(arguments)`, as an editor's formatter may leave it, for a
// launch; clang does not. A file that clang refuses at such a place is compiled once more, and clang is given another text in its place:
// with the spaces behind the brackets, so that every column but those stays.

var (
	spacedComplaint = pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: expected expression\n.*<<[ \t]+<`)
	// spacedToken also matches what is to be stepped over: strings, characters and comments.
	spacedToken = pattern.Lazy(`(?s)"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/|<<[ \t]+<|>>[ \t]+>`)
)

// closeBrackets moves the spaces inside the brackets of launches behind them.
func closeBrackets(text []byte) []byte {
	return spacedToken().ReplaceAllFunc(text, func(token []byte) []byte {
		if token[0] != '<' && token[0] != '>' {
			return token
		}
		last := len(token) - 1
		return append([]byte{token[0], token[0], token[last]}, token[2:last]...)
	})
}

// closed returns flags by which clang reads the files that it complains of with their launches' brackets closed; done removes what they
// name. Without such a complaint there are none.
func closed(messages string) (flags []string, done func(), err error) {
	var names []string
	for _, found := range spacedComplaint().FindAllStringSubmatch(messages, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	done = func() {}
	if len(names) == 0 {
		return nil, done, nil
	}
	folder, err := temporaryFolder()
	if err != nil {
		return nil, done, err
	}
	done = folder.Close
	type entry struct {
		Name     string  `json:"name"`
		Type     string  `json:"type"`
		External string  `json:"external-contents,omitempty"`
		Contents []entry `json:"contents,omitempty"`
	}
	var roots []entry
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // standard input, or a name of a #line
		}
		path, err := filepath.Abs(name)
		if err != nil {
			continue
		}
		other := filepath.Join(folder.Path, fmt.Sprint(i))
		if err := os.WriteFile(other, closeBrackets(text), 0o600); err != nil {
			return nil, done, &Unwritable{err}
		}
		file := entry{Name: filepath.Base(path), Type: "file", External: other}
		roots = append(roots, entry{Name: filepath.Dir(path), Type: "directory", Contents: []entry{file}})
	}
	if len(roots) == 0 {
		return nil, done, nil
	}
	overlay, err := json.Marshal(map[string]any{"version": 0, "use-external-names": "false", "roots": roots}) // YAML has JSON in it
	if err != nil {
		return nil, done, err
	}
	list := filepath.Join(folder.Path, "overlay.yaml")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return nil, done, &Unwritable{err}
	}
	return []string{"-ivfsoverlay", list}, done, nil
}
