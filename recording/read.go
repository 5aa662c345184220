package recording

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// mostBytes bounds a section, before and after compression: more than the recorder writes.
const mostBytes = 1 << 29

// ReadFile reads a recording from a file.
func ReadFile(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was read
	r, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Read reads a recording. Its errors say what is wrong with the file.
func Read(from io.Reader) (*Recording, error) {
	in := bufio.NewReader(from)
	head := make([]byte, len(magic)+1)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, errors.New("this is not a recording of keplersim: make one with 'keplersim run --record FILE'")
	}
	if version := head[len(magic)]; version != Version {
		return nil, fmt.Errorf("a recording of version %d, and this keplersim reads version %d: record it again", version, Version)
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostBytes))
	if err != nil {
		return nil, fmt.Errorf("compression of the recording: %w", err)
	}
	defer unpack.Close()
	r := &Recording{}
	for number := 0; ; number++ {
		kind, device, smx, data, err := readSection(in, unpack)
		if err != nil {
			return nil, fmt.Errorf("section %d of the recording: %w", number, err)
		}
		if number == 0 != (kind == sectionHeader) {
			return nil, errors.New("the header of the recording is not at its beginning")
		}
		switch kind {
		case sectionHeader:
			err = r.readHeader(data)
		case sectionSMX, sectionMemory:
			err = r.add(kind, device, smx, data)
		case sectionEnd:
			return r, nil
		default:
			err = fmt.Errorf("%q is not a kind of section", rune(kind))
		}
		if err != nil {
			return nil, err
		}
	}
}

// Assemble makes a recording from a header and tracks, as if read from a file.
func Assemble(h *Header, parts []Part) (*Recording, error) {
	r := &Recording{Header: *h}
	for _, p := range parts {
		kind, smx := p.section()
		if err := r.add(kind, p.Device, smx, p.bytes); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// add decodes the track of an SMX or of a device's memory.
func (r *Recording) add(kind section, device, smx int, data []byte) error {
	if kind == sectionMemory {
		m := &Memory{Device: device}
		r.Memory = append(r.Memory, m)
		return decodeMemory(m, data)
	}
	t := &Track{Device: device, SMX: smx}
	r.Tracks = append(r.Tracks, t)
	return decodeTrack(&r.Header, t, data)
}

func readSection(in *bufio.Reader, unpack *zstd.Decoder) (kind section, device, smx int, data []byte, err error) {
	first, err := in.ReadByte()
	if err != nil {
		return 0, 0, 0, nil, errors.New("the file ends too early")
	}
	var numbers [4]uint64
	for i := range numbers {
		if numbers[i], err = binary.ReadUvarint(in); err != nil || numbers[i] > mostBytes {
			return 0, 0, 0, nil, errors.New("a length is damaged")
		}
	}
	raw, packed := numbers[2], numbers[3]
	bytes, err := io.ReadAll(io.LimitReader(in, int64(packed)))
	if err != nil || uint64(len(bytes)) != packed {
		return 0, 0, 0, nil, errors.New("the file ends too early")
	}
	var frame zstd.Header
	if packed > 0 {
		if err := frame.Decode(bytes); err != nil || !frame.HasFCS || frame.FrameContentSize != raw {
			return 0, 0, 0, nil, errors.New("its frame is damaged")
		}
	}
	if data, err = unpack.DecodeAll(bytes, nil); err != nil || uint64(len(data)) != raw {
		return 0, 0, 0, nil, errors.New("its contents are damaged")
	}
	return section(first), int(numbers[0]), int(numbers[1]), data, nil
}

// readHeader reads the header and checks its indices.
func (r *Recording) readHeader(data []byte) error {
	if err := json.Unmarshal(data, &r.Header); err != nil {
		return fmt.Errorf("header of the recording: %w", err)
	}
	for i := range r.Grids {
		if k := r.Grids[i].Kernel; k < 0 || k >= len(r.Kernels) {
			return fmt.Errorf("header of the recording: grid %d has no kernel", i)
		}
		if d := r.Grids[i].Dim; d[0] == 0 || d[1] == 0 || d[2] == 0 {
			return fmt.Errorf("header of the recording: grid %d has no blocks", i)
		}
	}
	return nil
}
