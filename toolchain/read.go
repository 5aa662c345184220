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

// dependencyFlags are the flags that make clang write the files it reads as a rule for make.
func dependencyFlags(rule string) []string { return []string{"-MD", "-MF", rule} }

// filesRead returns the files in a rule that clang wrote, without our headers, which are in the folder own.
func filesRead(rule, own string) (read []string, err error) {
	text, err := os.ReadFile(rule)
	if errors.Is(err, fs.ErrNotExist) { // the user's flags kept clang from writing one
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what clang has read: %w", err)
	}
	_, names, _ := strings.Cut(string(text), ": ")
	// make's escapes in names: joined lines first, then spaces, number signs and dollars.
	names = strings.NewReplacer("\\\n", " ", `\ `, "\x00", `\#`, "#", "$$", "$").Replace(names)
	for name := range strings.FieldsSeq(names) {
		name = strings.ReplaceAll(name, "\x00", " ")
		if name != "-" && !strings.HasPrefix(name, own+string(filepath.Separator)) {
			read = append(read, name)
		}
	}
	return read, nil
}

// WithoutOwn removes our headers from a rule for make: they are deleted when clang ends.
func (b *Builder) WithoutOwn(rule []byte) []byte {
	own := regexp.QuoteMeta(b.Dir) + `/(?:\\.|[^\s\\])+`
	rule = regexp.MustCompile(`(?m)^`+own+`:\n\n?`).ReplaceAll(rule, nil) // added by -MP
	return regexp.MustCompile(`(?:[ \t]|\\\n)+`+own).ReplaceAll(rule, nil)
}
