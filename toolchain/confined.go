package toolchain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Texts of strangers. #include and #embed would read any file that we can read, and __has_include tell which there are. So clang gets a
// file system (LLVM's VFS overlay) that has a folder of ours and nothing else. What clang writes does not go through it.

// onlyWithin is the flag before the name of the file that says what clang may read.
const onlyWithin = "-ivfsoverlay"

const overlayName = "overlay.yaml"

// confine writes the description of a file system that has a folder alone.
func confine(folder string) error {
	overlay, err := json.Marshal(map[string]any{ // YAML has JSON in it
		"version": 0, "fallthrough": "false", "use-external-names": "false",
		"roots": []map[string]string{{"name": folder, "type": "directory-remap", "external-contents": folder}},
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, overlayName), overlay, 0o600); err != nil {
		return &Unwritable{fmt.Errorf("say what clang may read: %w", err)}
	}
	return nil
}
