package files

import (
	"os"
	"path/filepath"
)

// Same reports whether two names are one file: by another spelling of the path, by a symbolic link or by a hard link, also where
// nothing is there yet. A device, as /dev/null, holds nothing that could be lost, and is the same as nothing.
func Same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	return errA != nil && errB != nil && Resolve(a) == Resolve(b)
}

// mostLinks bounds a chain of symbolic links, as Linux does.
const mostLinks = 40

// Resolve returns the path of the file that is written when path is: absolute, without symbolic links as far as its folders are there. A
// link to a file that is not there yet leads to that file.
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
