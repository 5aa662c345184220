//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// Hold marks an open file or folder as in use until it is closed or the program ends, however it ends.
func Hold(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) } // where there are no locks, age alone tells

// abandoned reports whether no living program holds what lies at a path.
func abandoned(path string, _ fs.FileInfo) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
