package sources

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/workload"
)

// Extensions are the extensions of code files.
var Extensions = []string{".ptx", ".cu", ".cubin", ".fatbin"}

// IsCode reports whether a file is code: by its extension, or as an executable, which may contain machine code.
func (r *Reader) IsCode(name string) bool {
	if slices.Contains(Extensions, strings.ToLower(filepath.Ext(name))) {
		return true
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [4]byte
	_, err = io.ReadFull(f, begin[:])
	return err == nil && cubin.IsMachineCode(begin[:])
}

// all returns the extensions of all files that can be run.
func all() []string { return slices.Concat(Extensions, workload.Extensions) }

// Check returns an error in the user's terms if a file that a command names does not exist, or is a folder. Standard input, once read,
// always exists.
func (r *Reader) Check(name string) error {
	if r.Piped.is(name) {
		return nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such file%s", name, similarFile(name))
	case err != nil:
		return fmt.Errorf("open the input: %w", err)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; give a .ptx, .cu or workload file in it%s", name, fileIn(name))
	}
	return nil
}

// Unknown returns the error for a file of unknown kind.
func Unknown(name string) error {
	return fmt.Errorf("%s: the name does not say what kind of file this is; it should end in %s", name, strings.Join(all(), ", "))
}

// similarFile returns the end of a message about a missing file: a file with the same name and another extension.
func similarFile(name string) string {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	for _, extension := range all() {
		if info, err := os.Stat(base + extension); err == nil && !info.IsDir() {
			return fmt.Sprintf("; there is %s", base+extension)
		}
	}
	if folder := filepath.Dir(name); folder != "." {
		if _, err := os.Stat(folder); err != nil {
			return fmt.Sprintf("; the folder %s is not there either", folder)
		}
	}
	return ""
}

// fileIn returns the end of a message about a folder: a file in it that can be run.
func fileIn(folder string) string {
	for _, extension := range all() {
		if found, err := filepath.Glob(filepath.Join(folder, "*"+extension)); err == nil && len(found) > 0 {
			return ", such as " + found[0]
		}
	}
	return ""
}
