package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Folders of our own: caches, from which programs and results are taken without another look, and folders for the time of one run.
// Anyone else who could write there could have us run their code. So a folder is used only if it is a real folder of our own user in
// which others have no rights.

// Cache returns the folder that keeps what is made once: the user's cache folder, or one among temporary files where that cannot be
// written.
// Where neither is ours alone and writable, the error says why, and the caller goes on without.
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
		err := own(folder)
		if err == nil {
			return folder, nil
		}
		reasons = append(reasons, err)
	}
	return "", errors.Join(reasons...)
}

// UserCache names the program's folder in the user's cache folder, whether or not it is there.
func UserCache() (string, error) {
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "keplersim"), err
}

// own makes a folder where there is none, and makes sure that it is ours alone and takes files. One that others could read is closed to
// them; one that they could write to is refused, as nobody knows what lies in it.
func own(folder string) error {
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
	if err := ours(folder, info); err != nil {
		return err
	}
	return Writable(folder)
}

// Writable says why no file can be made in a folder.
func Writable(folder string) error {
	f, err := os.CreateTemp(folder, "part-")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// Folder is a folder for the time of a run.
type Folder struct {
	Path string // absolute
	held *os.File
}

// Temporary makes a folder that nobody else can look into; its name begins with prefix. Those that programs left that were killed are
// removed.
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

// Close removes the folder and what is in it.
func (f *Folder) Close() {
	removeFolder(f.Path)
	f.held.Close()
	pending.Lock()
	defer pending.Unlock()
	delete(pending.folders, f)
}

// removeFolder removes a folder into which a compiler that has just been killed may still write.
func removeFolder(path string) {
	for wait := time.Millisecond; os.RemoveAll(path) != nil && wait < time.Second/2; wait *= 2 {
		time.Sleep(wait)
	}
}

// Scratch opens a temporary file for reading and writing. gone says that it has no name any more, and ends with the program; else the
// caller removes it.
func Scratch() (file *os.File, gone bool, err error) {
	if file, err = os.CreateTemp("", "keplersim-*.tmp"); err != nil {
		return nil, false, err
	}
	return file, os.Remove(file.Name()) == nil, nil
}
