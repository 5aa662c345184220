package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Target is a file to be written. Name is how the user names it, as in --output, or --dump y=. A target without a path is ignored.
type Target struct{ Name, Path string }

// String returns the target as the user wrote it.
func (t Target) String() string {
	if strings.HasSuffix(t.Name, "=") {
		return t.Name + t.Path
	}
	return t.Name + " " + t.Path
}

// Claim checks, before any work, that targets can be written. It fails if a target is an input under any name, if two are the same file,
// and if one is a folder, or in a folder that is missing or not writable. Inputs that do not exist are ignored. Claim changes nothing.
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

// otherName says that a file also has another name; "" if it has the same.
func otherName(file, name string) string {
	if filepath.Clean(file) == filepath.Clean(name) {
		return ""
	}
	return ", which is " + name
}

// writable returns an error if a file visibly cannot be written. It does not open devices and pipes.
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
	o, err := createTemporary(Resolve(path), nil)
	if err == nil {
		o.Close()
	}
	return err
}
