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

// Output is a file that is being written. It appears under its name, whole, with Commit; until then, and where that never comes, a
// file that was there before stays as it was.
type Output struct {
	file *os.File
	path string // where it will be; "" where it is written in place
	done bool
}

// pending are the outputs that are neither committed nor closed, and the temporary folders.
var pending struct {
	sync.Mutex
	set     map[*Output]bool
	folders map[*Folder]bool
}

// Create begins an output. Devices and pipes are written in place, as a file in a folder in which no other can be made; all else is
// written to a temporary file beside, which has the permissions of the file that it will replace.
func Create(path string) (*Output, error) {
	// Opened for writing, but not emptied: that alone says whether it may be written.
	there, err := os.OpenFile(path, os.O_WRONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return beside(Resolve(path), nil)
	case err != nil:
		return nil, err
	}
	info, err := there.Stat()
	if err != nil {
		there.Close()
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return &Output{file: there}, nil
	}
	o, err := beside(Resolve(path), info)
	if errors.Is(err, fs.ErrPermission) {
		if err = there.Truncate(0); err == nil {
			return &Output{file: there}, nil
		}
	}
	there.Close()
	return o, err
}

// temporaryPrefix begins the names of the temporary files of a path; a number follows. File systems take names of 255 bytes.
func temporaryPrefix(path string) string {
	base := filepath.Base(path)
	return "." + base[:min(len(base), 200)] + ".keplersim-"
}

// beside begins an output in a temporary file in the folder of path; replaced is the file there, nil for none. Temporary files of
// writers that were killed are removed.
func beside(path string, replaced fs.FileInfo) (*Output, error) {
	RemoveStale(filepath.Dir(path), temporaryPrefix(path))
	var file *os.File
	var err error
	mode := os.FileMode(0o666)
	if replaced != nil {
		mode = 0o600 // until it has the permissions of the file that it replaces
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

// renamed returns an error about the temporary file as one about the file that the user knows.
func renamed(err error, path string) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return err
}

// File returns the file behind the output where it is written in place, as a terminal is; nil elsewhere.
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

// Commit puts the output in its place, when all of it is on the disk.
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
	// Discard must not remove what is being put in place.
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
		_ = folder.Sync() // some file systems cannot; the file itself is safe
		folder.Close()
	}
	return nil
}

// Close gives the output up, unless it is committed.
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

// Write writes a file whole: what write writes to it, or nothing.
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

// Discard removes what is written of outputs that are not committed, and temporary folders, for a program that ends at once.
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
