package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// Output is a file that is being written. It appears under its name, whole, with Commit. Until then, and if Commit never comes, an earlier
// file of that name stays as it was.
type Output struct {
	file *os.File
	path string // the final path; "" if it is written in place
	done bool
}

// pending are the outputs that are neither committed nor closed, and the temporary folders.
var pending struct {
	sync.Mutex
	set     map[*Output]bool
	folders map[*Folder]bool
}

// Create begins an output. It writes in place to devices and pipes, and where no file can be made in the folder. Otherwise it writes to a
// temporary file in the same folder, with the permissions of the file that it will replace.
func Create(path string) (*Output, error) {
	// Open for writing without truncating: only that shows whether the file may be written.
	existing, err := os.OpenFile(path, os.O_WRONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createTemporary(Resolve(path), nil)
	case err != nil:
		return nil, err
	}
	info, err := existing.Stat()
	if err != nil {
		existing.Close()
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return &Output{file: existing}, nil
	}
	o, err := createTemporary(Resolve(path), info)
	if errors.Is(err, fs.ErrPermission) {
		if err = existing.Truncate(0); err == nil {
			return &Output{file: existing}, nil
		}
	}
	existing.Close()
	return o, err
}

// temporaryPrefix begins the names of a path's temporary files; a number follows. It is cut because file systems take names of 255 bytes.
func temporaryPrefix(path string) string {
	base := filepath.Base(path)
	return "." + base[:min(len(base), 200)] + ".keplersim-"
}

// createTemporary begins an output in a temporary file next to path. replaced is the file there, nil for none. It also removes temporary
// files whose writers were killed.
func createTemporary(path string, replaced fs.FileInfo) (*Output, error) {
	RemoveStale(filepath.Dir(path), temporaryPrefix(path))
	var file *os.File
	var err error
	mode := os.FileMode(0o666)
	if replaced != nil {
		mode = 0o600 // until Chmod below gives it the permissions of the file that it replaces
	}
	for range 100 {
		name := fmt.Sprint(temporaryPrefix(path), rand.Uint64())
		if file, err = os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); !errors.Is(err,
			fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, renamed(err, path)
	}
	Hold(file)
	if replaced != nil {
		if err := file.Chmod(replaced.Mode().Perm()); err != nil {
			file.Close()
			os.Remove(file.Name())
			return nil, renamed(err, path)
		}
	}
	o := &Output{file: file, path: path}
	pending.Lock()
	defer pending.Unlock()
	if pending.set == nil {
		pending.set = map[*Output]bool{}
	}
	pending.set[o] = true
	return o, nil
}

// renamed replaces a temporary file's name in an error by the name that the user knows.
func renamed(err error, path string) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return err
}

// File returns the file behind the output if it is written in place, such as a terminal; nil otherwise.
func (o *Output) File() *os.File {
	if o.path == "" {
		return o.file
	}
	return nil
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	return n, renamed(err, o.name())
}

func (o *Output) name() string {
	if o.path != "" {
		return o.path
	}
	return o.file.Name()
}

// Commit moves the output to its path once all of it is on the disk.
func (o *Output) Commit() error {
	if o.done {
		return nil
	}
	o.done = true
	if o.path == "" {
		return o.file.Close()
	}
	err := o.file.Sync()
	if closed := o.file.Close(); err == nil {
		err = closed
	}
	// The lock keeps Discard from removing the file during the rename.
	pending.Lock()
	defer pending.Unlock()
	delete(pending.set, o)
	if err == nil {
		err = os.Rename(o.file.Name(), o.path)
	}
	if err != nil {
		os.Remove(o.file.Name())
		return renamed(err, o.path)
	}
	if folder, err := os.Open(filepath.Dir(o.path)); err == nil {
		_ = folder.Sync() // some file systems cannot sync folders; the file itself is safe
		folder.Close()
	}
	return nil
}

// Close abandons the output unless it is committed.
func (o *Output) Close() {
	if o.done {
		return
	}
	o.done = true
	o.file.Close()
	pending.Lock()
	defer pending.Unlock()
	delete(pending.set, o)
	if o.path != "" {
		os.Remove(o.file.Name())
	}
}

// Write writes a file whole or not at all; the function write provides its contents.
func Write(path string, write func(io.Writer) error) error {
	o, err := Create(path)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := write(o); err != nil {
		return err
	}
	return o.Commit()
}

// Discard removes the temporary files of uncommitted outputs, and temporary folders. A program calls it before it exits early.
func Discard() {
	pending.Lock()
	defer pending.Unlock()
	for o := range pending.set {
		os.Remove(o.file.Name())
	}
	for f := range pending.folders {
		removeFolder(f.Path)
	}
	pending.set, pending.folders = nil, nil
}
