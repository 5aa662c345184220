package occupancy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Fingerprint returns the hash of a list of inputs, in hexadecimal. Each is hashed with its length, so that no two lists are
// taken for each other.
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

// resultCache is the folder that keeps results from run to run, by their keys; "" keeps none.
type resultCache string

// file returns where a key's result lies: folders of the first two letters keep each of them small.
func (c resultCache) file(key string) string { return filepath.Join(string(c), key[:2], key+".json") }

// read finds a result. One that cannot be read is as good as none: it is made again.
func (c resultCache) read(key string) (Measured, bool) {
	var m Measured
	if c == "" {
		return m, false
	}
	text, err := os.ReadFile(c.file(key))
	return m, err == nil && json.Unmarshal(text, &m) == nil && m.Cycles > 0
}

// write keeps a result. The file appears whole or not at all, whenever the program is killed.
func (c resultCache) write(key string, m Measured) error {
	if c == "" {
		return nil
	}
	path := c.file(key)
	text, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	var part *os.File
	if err == nil {
		part, err = os.CreateTemp(filepath.Dir(path), "part-")
	}
	if err != nil {
		return fmt.Errorf("cannot keep the result: %w", err)
	}
	_, err = part.Write(append(text, '\n'))
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		os.Remove(part.Name())
		return fmt.Errorf("cannot keep the result: %w", err)
	}
	return nil
}
