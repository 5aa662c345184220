//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import (
	"io/fs"
	"os"
	"time"
)

// Hold marks an open file or folder as in use; here age alone tells.
func Hold(*os.File) {}

// abandoned reports whether what lies at a path is too old to be in use.
func abandoned(_ string, info fs.FileInfo) bool { return time.Since(info.ModTime()) > 24*time.Hour }
