package files

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// youngest is the age from which what lies about may be of a program that is gone: a live one has had the time to take hold of it.
const youngest = time.Minute

// RemoveStale removes the files and folders of a folder whose names begin so, as far as the program that made them, and that holds
// them with Hold, is gone. What cannot be removed stays.
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
		if err != nil || time.Since(info.ModTime()) < youngest || !info.IsDir() && !info.Mode().IsRegular() || !isOurs(info) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if abandoned(path, info) {
			os.RemoveAll(path)
		}
	}
}
