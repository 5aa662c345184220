package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoCheckout is in the error of a row whose program is missing from the sources.
var ErrNoCheckout = errors.New("not checked out")

// checkout finds a repository's folder in sources: OWNER/NAME@COMMIT with the first seven digits of COMMIT, OWNER/NAME, or NAME.
func checkout(sources, repository, commit string) (string, error) {
	_, name, _ := strings.Cut(repository, "/")
	for _, folder := range []string{repository + "@" + commit[:min(len(commit), 7)], repository, name} {
		path := filepath.Join(sources, filepath.FromSlash(folder))
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("%w: no folder %s or %s in %s", ErrNoCheckout, repository, name, sources)
}

// checkFile compares a file with its SHA-256, so that only the measured code runs.
func checkFile(path, sum string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrNoCheckout, err)
	}
	if err != nil {
		return fmt.Errorf("the kernel's source: %w", err)
	}
	got := sha256.Sum256(data)
	if hex.EncodeToString(got[:]) != sum {
		return fmt.Errorf("%s is another version than the measured one: its SHA-256 is %x, not %s", path, got, sum)
	}
	return nil
}

// unit is the text to compile for a row: lines that include the checkout's files, with the row's own lines around them.
func (r *Row) unit(folder string) (string, error) {
	if r.Kernel.Own != "" {
		text, err := kernelFiles.ReadFile("kernels/" + r.Kernel.Own)
		return string(text), err
	}
	var b strings.Builder
	for _, line := range r.Kernel.Before {
		fmt.Fprintln(&b, line)
	}
	for _, file := range r.Kernel.Files {
		path := filepath.Join(folder, filepath.FromSlash(file))
		if err := checkFile(path, r.Program.Files[file]); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "#include %q\n", path)
	}
	for _, line := range r.Append {
		fmt.Fprintln(&b, line)
	}
	return b.String(), nil
}

// Inputs returns the existing files of the row's program in a folder of checkouts.
func (r *Row) Inputs(sources string) (list []string) {
	folder, err := checkout(sources, r.Program.Repository, r.Program.Commit)
	if err != nil {
		return nil
	}
	for file := range r.Program.Files {
		list = append(list, filepath.Join(folder, filepath.FromSlash(file)))
	}
	return list
}

// source returns the folder of the row's checkout, "" for our own kernel, and the text to compile.
func (r *Row) source(sources string) (folder, unit string, err error) {
	if r.Kernel.Own == "" {
		if folder, err = checkout(sources, r.Program.Repository, r.Program.Commit); err != nil {
			return "", "", err
		}
	}
	unit, err = r.unit(folder)
	return folder, unit, err
}
