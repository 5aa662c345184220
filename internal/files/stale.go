package files

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// minStaleAge is the age from which a file or folder can be stale. A younger one's program may be alive and not hold it yet.
const minStaleAge = time.Minute

// RemoveStale removes a folder's files and folders whose names begin with prefix and whose program no longer runs, so that no one holds
// them (see Hold). It ignores failures.
func RemoveStale(folder, prefix string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < minStaleAge || !info.IsDir() && !info.Mode().IsRegular() || !isOurs(info) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if abandoned(path, info) {
			os.RemoveAll(path)
		}
	}
}
