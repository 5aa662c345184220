package recording

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// magic begins every file. A byte with the format's version follows.
const magic = "keplersim recording\n"

// section is the kind of a part of a file. A part has a kind and number, its length before and after compression, and a zstd frame.
type section uint8

const (
	sectionHeader section = 'H' // JSON
	sectionSMX    section = 'S'
	sectionMemory section = 'M'
	sectionEnd    section = 'E'
)

// Part is an encoded track: an SMX's, or a device memory's, for which SMX is -1.
type Part struct {
	Device, SMX int
	*Encoder
}

// section is the part's kind of section and the SMX's number in its head.
func (p *Part) section() (kind section, smx int) {
	if p.SMX < 0 {
		return sectionMemory, 0
	}
	return sectionSMX, p.SMX
}

// Write writes a recording: the header, and the tracks in the given order.
func Write(w io.Writer, h *Header, parts []Part) error {
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("header of the recording: %w", err)
	}
	// A single goroutine makes the output the same in every run.
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithSingleSegment(true))
	if err != nil {
		return fmt.Errorf("compression of the recording: %w", err)
	}
	defer func() { _ = compressor.Close() }() // Close itself writes nothing
	if _, err := w.Write(append([]byte(magic), Version)); err != nil {
		return err
	}
	if err := writeSection(w, compressor, sectionHeader, 0, 0, text); err != nil {
		return err
	}
	for _, p := range parts {
		kind, smx := p.section()
		if err := writeSection(w, compressor, kind, p.Device, smx, p.bytes); err != nil {
			return err
		}
	}
	return writeSection(w, compressor, sectionEnd, 0, 0, nil)
}

func writeSection(w io.Writer, compressor *zstd.Encoder, kind section, device, smx int, data []byte) error {
	packed := compressor.EncodeAll(data, nil)
	head := []byte{uint8(kind)}
	for _, n := range []int{device, smx, len(data), len(packed)} {
		head = binary.AppendUvarint(head, uint64(n))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(packed)
	return err
}
