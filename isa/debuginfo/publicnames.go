package debuginfo

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// PublicName is an entry of .debug_pubnames.
type PublicName struct {
	Name   string
	Offset uint32 // of its entry, within its unit in .debug_info
}

// publicNames reads .debug_pubnames: sets of a length, a version, the unit's place and size, and pairs of an offset and a name, ended by
// offset 0.
func publicNames(data []byte) ([]PublicName, error) {
	const header = 14
	var out []PublicName
	for len(data) > 0 {
		if len(data) < header {
			return nil, io.ErrUnexpectedEOF
		}
		length := binary.LittleEndian.Uint32(data)
		if uint64(length)+4 > uint64(len(data)) || length < header-4 {
			return nil, fmt.Errorf("a set of %d bytes does not fit the %d bytes left: %w", length, len(data), io.ErrUnexpectedEOF)
		}
		set := data[header : length+4]
		data = data[length+4:]
		for len(set) >= 4 {
			offset := binary.LittleEndian.Uint32(set)
			set = set[4:]
			if offset == 0 {
				break
			}
			name, rest, ended := strings.Cut(string(set), "\x00")
			if !ended {
				return nil, io.ErrUnexpectedEOF
			}
			out = append(out, PublicName{Name: name, Offset: offset})
			set = []byte(rest)
		}
	}
	return out, nil
}
