//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import (
	"io/fs"
	"os"
	"time"
)

// Hold would mark an open file or folder as in use; on this system age alone decides.
func Hold(*os.File) {}

// abandoned reports whether a file or folder is too old to be in use.
func abandoned(_ string, info fs.FileInfo) bool { return time.Since(info.ModTime()) > 24*time.Hour }
