//go:build unix && !linux

package machinecode

import (
	"os"

	"github.com/keplersim/keplersim/internal/files"
)

// memoryFile opens a file without a name.
func memoryFile() (*os.File, error) {
	file, _, err := files.Scratch()
	return file, err
}
