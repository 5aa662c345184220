package files

import (
	"os"
	"path/filepath"
)

// Same reports whether two paths are one file: by another spelling, a symbolic link or a hard link, even if the file does not exist yet. A
// device such as /dev/null is never the same as anything, because writing it loses nothing.
func Same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	return errA != nil && errB != nil && Resolve(a) == Resolve(b)
}

// mostLinks bounds a chain of symbolic links, as in Linux.
const mostLinks = 40

// Resolve returns the path of the file that writing to path would write. It is absolute, and without symbolic links as far as its folders
// exist. A link to a missing file leads to that file.
func Resolve(path string) string {
	for range mostLinks {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	folder := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	return filepath.Join(folder, filepath.Base(path))
}
