package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MostCode bounds PTX and CUDA C, and what is piped to a command, in bytes: many times what compilers write of one program, and what
// still fits 1 GB of memory when it has been parsed.
const MostCode = 8 << 20

// TooLarge is the error of a file that is longer than what it is read for.
type TooLarge struct {
	Name string
	Most int64 // bytes
}

// Error names the file and the bound.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s is longer than %s, the most that is read here", e.Name, size(e.Most))
}

// size returns a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Read is os.ReadFile of at most so many bytes. Of a longer file, and of one that never ends, the error is a *TooLarge.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadFrom(f, path, most)
}

// ReadNamed is Read of a file that a user has named: the error says that it is not there, or what could not be done.
func ReadNamed(path, what string, most int64) ([]byte, error) {
	data, err := Read(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file", path)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return data, nil
}

// ReadFrom is io.ReadAll of at most so many bytes; name is what an error calls the source.
func ReadFrom(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = &TooLarge{name, most}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
