package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MostCode bounds PTX, CUDA C and piped input, in bytes. Compilers write many times less for one program, and a text of this length still
// parses within 1 GB of memory.
const MostCode = 8 << 20

// TooLarge is the error for a file that is longer than its bound.
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

// Read is os.ReadFile with a bound in bytes. A longer or endless file gives a *TooLarge error.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadFrom(f, path, most)
}

// ReadNamed is Read for a file that a user named. The error says that there is no such file, or, with what, which action failed.
func ReadNamed(path, what string, most int64) ([]byte, error) {
	data, err := Read(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file", path)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return data, nil
}

// ReadFrom is io.ReadAll with a bound in bytes. Errors call the source by name.
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
