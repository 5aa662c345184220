package toolchain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Untrusted texts could read any file that we can with #include and #embed, and find files with __has_include. So clang gets a file system
// (LLVM's VFS overlay) with one folder of ours and nothing else. clang's output does not go through it.

// onlyWithin is the flag before the name of the file that describes this file system.
const onlyWithin = "-ivfsoverlay"

const overlayName = "overlay.yaml"

// confine writes the description of a file system that contains only folder.
func confine(folder string) error {
	overlay, err := json.Marshal(map[string]any{ // JSON is valid YAML
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
