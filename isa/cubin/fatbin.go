package cubin

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/pierrec/lz4/v4"
)

// Limits on what a file may ask for.
const (
	// MostBytes is the largest size of a file, and of everything unpacked from one, in bytes.
	MostBytes = 256 << 20
	mostRatio = 255 // the highest compression ratio of LZ4: one byte of length is this many bytes
	mostSize  = 64 << 20
)

// Image is a file's content for one architecture: machine code or PTX.
type Image struct {
	Architecture int    // 35 for sm_35
	Name         string // of the source file, if the file has it
	ELF          []byte // machine code; nil for PTX
	PTX          []byte
}

// Constants of the fatbin format.
const (
	containerMagic = 0xba55ed50
	containerBytes = 16 // of its header
	imagePTX       = 1
	imageELF       = 2
	imageBytes     = 64 // of the shortest header
	flagCompressed = 0x2000
	machineCUDA    = 190
)

// IsMachineCode reports a cubin, a fatbin, an executable or an object file: the files that Images reads.
func IsMachineCode(data []byte) bool {
	return bytes.HasPrefix(data, []byte(elf.ELFMAG)) || len(data) >= 4 && binary.LittleEndian.Uint32(data) == containerMagic
}

// Images returns the images in a cubin, a fatbin, or an executable with fatbins inside, in file order.
func Images(data []byte) ([]Image, error) {
	switch {
	case len(data) > MostBytes:
		return nil, fmt.Errorf("%d bytes: at most %d", len(data), MostBytes)
	case !bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return containers(data)
	}
	f, err := openELF(data)
	if err != nil {
		return nil, err
	}
	if f.Machine == machineCUDA {
		architecture, err := architecture(data)
		return []Image{{Architecture: architecture, ELF: data}}, err
	}
	var all []Image
	for _, s := range f.Sections {
		if s.Name != ".nv_fatbin" && s.Name != "__nv_relfatbin" || s.Type == elf.SHT_NOBITS {
			continue
		}
		content, err := sectionData(s, len(data))
		if err != nil {
			return nil, err
		}
		list, err := containers(content)
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil, errors.New("no section .nv_fatbin: it holds no code for a GPU")
	}
	return all, nil
}

// openELF opens an ELF file. A cubin's e_version is its toolkit's version, which debug/elf refuses, so openELF replaces it.
func openELF(data []byte) (*elf.File, error) {
	const version = 20 // offset of e_version
	if len(data) > version+4 {
		data = slices.Clone(data)
		binary.LittleEndian.PutUint32(data[version:], uint32(elf.EV_CURRENT))
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("no readable ELF file: %w", err)
	}
	return f, nil
}

// containers reads a sequence of fatbins.
func containers(data []byte) (all []Image, err error) {
	unpacked := 0
	for len(data) >= containerBytes {
		if binary.LittleEndian.Uint32(data) != containerMagic {
			if data[0] != 0 { // padding
				break
			}
			data = data[1:]
			continue
		}
		header, size := uint64(binary.LittleEndian.Uint16(data[6:])), binary.LittleEndian.Uint64(data[8:])
		if rest := uint64(len(data)); header < containerBytes || header > rest || size > rest-header {
			return nil, fmt.Errorf("a fatbin of %d bytes in %d", size, len(data))
		}
		images, err := images(data[header:header+size], &unpacked)
		if err != nil {
			return nil, err
		}
		all = append(all, images...)
		data = data[header+size:]
	}
	if len(all) == 0 {
		return nil, errors.New("no fatbin with an image")
	}
	return all, nil
}

// images returns the images in one fatbin.
func images(data []byte, unpacked *int) (all []Image, err error) {
	for len(data) >= imageBytes {
		kind, size := binary.LittleEndian.Uint16(data), binary.LittleEndian.Uint64(data[8:])
		header := uint64(binary.LittleEndian.Uint32(data[4:]))
		if rest := uint64(len(data)); header < imageBytes || header > rest || size > rest-header {
			return nil, fmt.Errorf("an image of %d bytes in %d", size, len(data))
		}
		content := data[header : header+size]
		if binary.LittleEndian.Uint64(data[40:])&flagCompressed != 0 {
			if content, err = unpack(data[:header], content, unpacked); err != nil {
				return nil, err
			}
		}
		image := Image{Architecture: int(binary.LittleEndian.Uint32(data[28:])), Name: imageName(data[:header])}
		switch kind {
		case imagePTX:
			image.PTX = bytes.TrimRight(content, "\x00")
			all = append(all, image)
		case imageELF:
			image.ELF = content
			all = append(all, image)
		}
		data = data[header+size:]
	}
	return all, nil
}

// WriteFatbin returns a fatbin with images, uncompressed.
func WriteFatbin(all []Image) []byte {
	const version, imageVersion, wide, linux, toolkit = 1, 0x101, 0x01, 0x10, 0x0003_0004
	var body []byte
	for _, image := range all {
		kind, content := uint16(imageELF), image.ELF
		if content == nil {
			kind, content = imagePTX, append(slices.Clone(image.PTX), 0)
		}
		pad := func(b []byte) []byte { return append(b, make([]byte, (8-len(b)%8)%8)...) }
		name := pad(append([]byte(image.Name), 0))
		content = pad(slices.Clone(content))
		header := make([]byte, imageBytes)
		binary.LittleEndian.PutUint16(header, kind)
		binary.LittleEndian.PutUint16(header[2:], imageVersion)
		binary.LittleEndian.PutUint32(header[4:], uint32(imageBytes+len(name)))
		binary.LittleEndian.PutUint64(header[8:], uint64(len(content)))
		binary.LittleEndian.PutUint32(header[24:], toolkit)
		binary.LittleEndian.PutUint32(header[28:], uint32(image.Architecture))
		binary.LittleEndian.PutUint32(header[32:], imageBytes)
		binary.LittleEndian.PutUint32(header[36:], uint32(len(image.Name)))
		binary.LittleEndian.PutUint64(header[40:], wide|linux)
		body = slices.Concat(body, header, name, content)
	}
	out := binary.LittleEndian.AppendUint32(nil, containerMagic)
	out = binary.LittleEndian.AppendUint16(out, version)
	out = binary.LittleEndian.AppendUint16(out, containerBytes)
	return append(binary.LittleEndian.AppendUint64(out, uint64(len(body))), body...)
}

// imageName returns the source's name, which follows the header's fixed part.
func imageName(header []byte) string {
	at, length := uint64(binary.LittleEndian.Uint32(header[32:])), uint64(binary.LittleEndian.Uint32(header[36:]))
	if at < imageBytes || at+length > uint64(len(header)) {
		return ""
	}
	return string(bytes.TrimRight(header[at:at+length], "\x00"))
}

// unpack decompresses an image, an LZ4 block.
func unpack(header, content []byte, unpacked *int) ([]byte, error) {
	packed, size := uint64(binary.LittleEndian.Uint32(header[16:])), binary.LittleEndian.Uint64(header[56:])
	if packed > uint64(len(content)) || size > packed*mostRatio+64 || size > mostSize {
		return nil, fmt.Errorf("an image of %d bytes is said to unpack to %d", packed, size)
	}
	if *unpacked += int(size); *unpacked > MostBytes {
		return nil, fmt.Errorf("images unpack to more than %d bytes", MostBytes)
	}
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(content[:packed], out)
	if err != nil || uint64(n) != size {
		return nil, fmt.Errorf("an image of %d bytes does not unpack to %d: %w", packed, size, errors.Join(err, errors.New("LZ4")))
	}
	return out, nil
}

// sectionData returns a section's data, after a check against the file's size in bytes.
func sectionData(s *elf.Section, file int) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS || s.Size == 0 {
		return nil, nil
	}
	if s.FileSize > uint64(file) || s.Offset > uint64(file)-s.FileSize || s.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, fmt.Errorf("section %s has %d bytes from %d on in a file of %d", s.Name, s.FileSize, s.Offset, file)
	}
	data, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", s.Name, err)
	}
	return data, nil
}
