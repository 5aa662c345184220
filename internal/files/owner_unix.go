//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// checkOwner returns an error unless a folder belongs to our user and no one else can write to it; info comes from Lstat. If others have
// rights but cannot write, checkOwner takes those rights away.
func checkOwner(folder string, info fs.FileInfo) error {
	if !isOurs(info) {
		return fmt.Errorf("%s belongs to another user", folder)
	}
	if parent, err := os.Stat(filepath.Dir(folder)); err != nil || parent.Mode().Perm()&0o002 != 0 && parent.Mode()&os.ModeSticky == 0 {
		return fmt.Errorf("%s is in a folder in which everybody may replace it", folder)
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o022 != 0:
		return fmt.Errorf("other users may write to %s; remove it, and a new one is made", folder)
	case mode&0o077 != 0:
		return os.Chmod(folder, 0o700)
	}
	return nil
}

// isOurs reports whether a file belongs to the user who runs this.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == uint32(os.Geteuid())
}
