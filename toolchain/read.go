package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// noting are the flags by which clang writes what it reads as a rule for make.
func noting(rule string) []string { return []string{"-MD", "-MF", rule} }

// filesRead returns the files of a rule that clang wrote, without those of our own folder, where our headers are.
func filesRead(rule, own string) (read []string, err error) {
	text, err := os.ReadFile(rule)
	if errors.Is(err, fs.ErrNotExist) { // the user's own flags had clang write none
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what clang has read: %w", err)
	}
	_, names, _ := strings.Cut(string(text), ": ")
	// make's way of writing names: line ends within a rule, then what stands for a space, a number sign and a dollar.
	names = strings.NewReplacer("\\\n", " ", `\ `, "\x00", `\#`, "#", "$$", "$").Replace(names)
	for name := range strings.FieldsSeq(names) {
		name = strings.ReplaceAll(name, "\x00", " ")
		if name != "-" && !strings.HasPrefix(name, own+string(filepath.Separator)) {
			read = append(read, name)
		}
	}
	return read, nil
}

// WithoutOwn returns a rule for make without our headers, which are gone when clang has ended.
func (b *Builder) WithoutOwn(rule []byte) []byte {
	own := regexp.QuoteMeta(b.Dir) + `/(?:\\.|[^\s\\])+`
	rule = regexp.MustCompile(`(?m)^`+own+`:\n\n?`).ReplaceAll(rule, nil) // what -MP adds
	return regexp.MustCompile(`(?:[ \t]|\\\n)+`+own).ReplaceAll(rule, nil)
}
