//go:build unix && !linux

package machinecode

import "os"

// memoryFile opens a file without a name.
func memoryFile() (*os.File, error) {
	file, err := os.CreateTemp("", "keplersim")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}
