//go:build linux || darwin || freebsd

package cli

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// stateOf returns the state of a folder.
func stateOf(path string, info fs.FileInfo) folderState {
	s := folderState{Path: path, Writable: unix.Access(path, unix.W_OK) == nil, Open: info.Mode().Perm()&0o022 != 0}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Ours, s.Owner = int(owner.Uid) == os.Getuid(), strconv.Itoa(int(owner.Uid))
		if u, err := user.LookupId(s.Owner); err == nil {
			s.Owner = u.Username
		}
	}
	var disk unix.Statfs_t
	if unix.Statfs(path, &disk) == nil {
		s.Free = uint64(disk.Bavail) * uint64(disk.Bsize)
	}
	return s
}
