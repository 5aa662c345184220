package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Folders of our own: caches, whose programs and results we use without checking them, and temporary folders. Anyone else who could write
// there could make us run their code. So we use a folder only if it is a real folder of our own user, and others have no rights in it.

// Cache returns the folder for what is made once: the user's cache folder, or one among temporary files if that cannot be written. If
// neither is ours alone and writable, the error says why, and the caller goes on without a cache.
func Cache() (string, error) {
	var reasons []error
	var folders []string
	if folder, err := UserCache(); err == nil {
		folders = append(folders, folder)
	}
	if temporary, err := filepath.Abs(os.TempDir()); err == nil {
		folders = append(folders, filepath.Join(temporary, fmt.Sprintf("keplersim-%d", os.Getuid())))
	}
	for _, folder := range folders {
		err := makePrivate(folder)
		if err == nil {
			return folder, nil
		}
		reasons = append(reasons, err)
	}
	return "", errors.Join(reasons...)
}

// UserCache returns the program's folder in the user's cache folder. It need not exist.
func UserCache() (string, error) {
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "keplersim"), err
}

// makePrivate makes a folder if there is none, and checks that it is ours alone and writable. If others can read it, makePrivate closes it
// to them. If others can write to it, makePrivate fails, because they may have put anything there.
func makePrivate(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", folder)
	}
	if err := checkOwner(folder, info); err != nil {
		return err
	}
	return Writable(folder)
}

// Writable returns an error if no file can be made in a folder.
func Writable(folder string) error {
	f, err := os.CreateTemp(folder, "part-")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// Folder is a temporary folder for one run.
type Folder struct {
	Path string // absolute
	held *os.File
}

// Temporary makes a folder that no other user can read; its name begins with prefix. It also removes such folders of programs that were
// killed.
func Temporary(prefix string) (*Folder, error) {
	parent, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	RemoveStale(parent, prefix)
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	held, err := os.Open(path)
	if err != nil {
		os.RemoveAll(path)
		return nil, err
	}
	Hold(held)
	f := &Folder{path, held}
	pending.Lock()
	defer pending.Unlock()
	if pending.folders == nil {
		pending.folders = map[*Folder]bool{}
	}
	pending.folders[f] = true
	return f, nil
}

// Close removes the folder and its contents.
func (f *Folder) Close() {
	removeFolder(f.Path)
	f.held.Close()
	pending.Lock()
	defer pending.Unlock()
	delete(pending.folders, f)
}

// removeFolder removes a folder. It tries again for a while, as a compiler that was just killed may still write to it.
func removeFolder(path string) {
	for wait := time.Millisecond; os.RemoveAll(path) != nil && wait < time.Second/2; wait *= 2 {
		time.Sleep(wait)
	}
}

// Scratch opens a temporary file for reading and writing. unlinked says that the file has no name any more and disappears when the program
// ends; otherwise the caller removes it.
func Scratch() (file *os.File, unlinked bool, err error) {
	if file, err = os.CreateTemp("", "keplersim-*.tmp"); err != nil {
		return nil, false, err
	}
	return file, os.Remove(file.Name()) == nil, nil
}
