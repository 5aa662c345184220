package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Target is a file that is to be written, and how the user names it, as in --output or --dump y=. One without a path is none.
type Target struct{ Name, Path string }

// String returns what the user wrote.
func (t Target) String() string {
	if strings.HasSuffix(t.Name, "=") {
		return t.Name + t.Path
	}
	return t.Name + " " + t.Path
}

// Claim makes sure, before any work, that targets can be written: over no input, whatever name that goes by; no two to one file; none to a
// folder, to a folder that is not there, or where writing is not allowed. Inputs that are no files are passed over. Nothing is changed.
func Claim(inputs []string, targets ...Target) error {
	for i, t := range targets {
		if t.Path == "" {
			continue
		}
		for _, input := range inputs {
			if _, err := os.Stat(input); err == nil && Same(t.Path, input) {
				return fmt.Errorf("%s would overwrite the input%s", t, otherName(t.Path, input))
			}
		}
		for _, earlier := range targets[:i] {
			if earlier.Path != "" && (Same(t.Path, earlier.Path) || t.Path != os.DevNull &&
				filepath.Clean(t.Path) == filepath.Clean(earlier.Path)) {
				return fmt.Errorf("%s and %s write the same file %s%s", strings.TrimSuffix(earlier.Name, "="),
					strings.TrimSuffix(t.Name, "="), t.Path, otherName(t.Path, earlier.Path))
			}
		}
		if err := writable(t.Path); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return nil
}

// otherName says that a file has another name, too.
func otherName(file, name string) string {
	if filepath.Clean(file) == filepath.Clean(name) {
		return ""
	}
	return ", which is " + name
}

// writable says why a file cannot be written, as far as that shows before. Devices and pipes are not opened.
func writable(path string) error {
	folder := filepath.Dir(Resolve(path))
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	case err == nil:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			f.Close()
		}
		return err
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s", filepath.Dir(path))
	}
	o, err := beside(Resolve(path), nil)
	if err == nil {
		o.Close()
	}
	return err
}
