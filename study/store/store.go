package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
)

// format is the version of the folder's layout; formatFile is the file that records it.
const (
	format     = 1
	formatFile = "format"
	formatText = "keplersim results, format %d\n"
)

// Store is a folder of results, with further folders to read from.
type Store struct {
	folder  string
	sources []string
	// Temporary says that the folder and its outcomes are deleted when the command ends.
	Temporary bool
}

// Fingerprint returns the hash of a list of inputs, in hexadecimal. It includes each input's length, so that different lists differ.
func Fingerprint(inputs ...[]byte) string {
	h := sha256.New()
	for _, input := range inputs {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(input)))
		h.Write(length[:])
		h.Write(input)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Default returns the folder for results where the user names none. The error says why there is none.
func Default() (string, error) {
	folder, err := files.Cache()
	if err != nil {
		return "", fmt.Errorf("no folder to keep results in: %w", err)
	}
	return filepath.Join(folder, "results"), nil
}

// Open returns the store in a folder, and makes the folder if needed. Results are also read from the sources, which may be read-only. Open
// fails if a folder is of another version, or if the store cannot be written.
func Open(folder string, sources ...string) (*Store, error) {
	s := &Store{folder: folder, sources: sources}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("results cannot be kept in %s: %w; name another folder", folder, reason(err))
	}
	present, err := checkFormat(folder)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		found, err := checkFormat(source)
		if err == nil && !found {
			err = fmt.Errorf("%s holds no results of keplersim", source)
		}
		if err != nil {
			return nil, err
		}
	}
	if !present {
		if err := files.Put(filepath.Join(folder, formatFile), 0o644, fmt.Appendf(nil, formatText, format)); err != nil {
			return nil, fmt.Errorf("results cannot be kept in %s: %w; name another folder", folder, reason(err))
		}
		return s, nil
	}
	if err := files.Writable(folder); err != nil {
		return nil, fmt.Errorf("results cannot be kept in %s: %w; name another folder", folder, reason(err))
	}
	return s, nil
}

// checkFormat reports whether a folder has results. It fails if they have a format other than this version's.
func checkFormat(folder string) (present bool, err error) {
	text, err := os.ReadFile(filepath.Join(folder, formatFile))
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return false, fmt.Errorf("read the results in %s: %w", folder, reason(err))
		}
		for _, e := range entries {
			if e.IsDir() && len(e.Name()) == 2 {
				if _, err := os.Stat(filepath.Join(folder, formatFile)); err == nil {
					return checkFormat(folder) // another process has just made it
				}
				return false, fmt.Errorf("%s keeps results of an older keplersim, which cannot be used: name another folder, or delete it",
					folder)
			}
		}
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the results in %s: %w", folder, reason(err))
	}
	var version int
	if _, err := fmt.Sscanf(string(text), formatText, &version); err != nil {
		return false, fmt.Errorf("%s is not a folder of results: its file %s says %q", folder, formatFile, strings.TrimSpace(string(text)))
	}
	switch {
	case version < format:
		return false, fmt.Errorf("%s keeps results of format %d of an older keplersim; this one has format %d: name another folder, or "+
			"delete it",
			folder, version, format)
	case version > format:
		return false, fmt.Errorf("%s keeps results of format %d of a newer keplersim; this one has format %d: name another folder",
			folder, version, format)
	}
	return true, nil
}

// entry is a result as its file has it. The key is part of it, so that a damaged or renamed file is not mistaken for another result.
type entry struct {
	Key    string          `json:"key"`
	Result json.RawMessage `json:"result"`
}

// file returns the path of a key's result. Folders named by the key's first two letters keep each folder small.
func file(folder, key string) string { return filepath.Join(folder, key[:2], key+".json") }

// Get reads the result of a key, and reports whether there is one. A result that cannot be read counts as missing, and is made again.
func (s *Store) Get(key string, into any) bool {
	for _, folder := range append([]string{s.folder}, s.sources...) {
		text, err := os.ReadFile(file(folder, key))
		if err != nil {
			continue
		}
		var e entry
		if json.Unmarshal(text, &e) != nil || e.Key != key || json.Unmarshal(e.Result, into) != nil {
			continue
		}
		return true
	}
	return false
}

// Put stores a result. The file appears whole or not at all, even if the program is killed.
func (s *Store) Put(key string, result any) error {
	text, err := json.Marshal(result)
	if err == nil {
		text, err = json.Marshal(entry{key, text})
	}
	if err != nil {
		return fmt.Errorf("cannot keep the result: %w", err)
	}
	path := file(s.folder, key)
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = files.Put(path, 0o644, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot keep a result in %s: %w", s.folder, reason(err))
	}
	return nil
}

// Folder returns the folder of the store.
func (s *Store) Folder() string { return s.folder }

// reason returns an error without the file's name, for messages that name it already.
func reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	return err
}
