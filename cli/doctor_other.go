//go:build !(linux || darwin || freebsd)

package cli

import "io/fs"

// stateOf returns the state of a folder, without owner and free space, which this system does not report.
func stateOf(path string, info fs.FileInfo) folderState {
	return folderState{Path: path, Writable: info.Mode().Perm()&0o200 != 0}
}
