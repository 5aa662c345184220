package cubin

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Line is the source line of the code from an offset on.
type Line struct {
	Offset int // in bytes
	File   string
	Line   int
}

// functionBytes is the address space of one function in a line table: function n has addresses from n times this on.
const functionBytes = 1 << 32

// lines reads the line table from nvcc -lineinfo: DWARF 2 with relocations that name each address's function.
func (r *reader) lines() error {
	s := r.sections[".debug_line"]
	if s == nil {
		return nil
	}
	data, err := sectionData(s, r.bytes)
	if err != nil {
		return err
	}
	if err := r.placeLines(data); err != nil {
		return err
	}
	for at := 0; at+4 <= len(data); {
		size := uint64(binary.LittleEndian.Uint32(data[at:]))
		if size > uint64(len(data)-at-4) {
			return fmt.Errorf("section %s: a table of %d bytes in %d", s.Name, size, len(data)-at-4)
		}
		if err := r.table(data, at); err != nil {
			return fmt.Errorf("section %s: %w", s.Name, err)
		}
		at += 4 + int(size)
	}
	for _, f := range r.Functions {
		slices.SortStableFunc(f.Lines, func(a, b Line) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	return nil
}

// placeLines writes the functions' numbers into the addresses that relocations name.
func (r *reader) placeLines(data []byte) error {
	s := r.sections[".rel.debug_line"]
	if s == nil {
		return nil
	}
	list, err := sectionData(s, r.bytes)
	if err != nil {
		return err
	}
	numbers := map[string]uint64{}
	for n, f := range r.Functions {
		numbers[f.Name] = uint64(n + 1)
	}
	for ; len(list) >= 16; list = list[16:] {
		at, symbol := binary.LittleEndian.Uint64(list), binary.LittleEndian.Uint64(list[8:])>>32
		if symbol == 0 || symbol > uint64(len(r.symbols)) || at > uint64(len(data)) || uint64(len(data))-at < 8 {
			return fmt.Errorf("section %s: a relocation at 0x%x of symbol %d", s.Name, at, symbol)
		}
		binary.LittleEndian.PutUint64(data[at:], numbers[r.symbols[symbol-1].Name]*functionBytes)
	}
	return nil
}

// table reads one line table of the section. Package dwarf reads only tables of units, so this makes a unit with nothing else.
func (r *reader) table(data []byte, at int) error {
	abbreviations := []byte{1, 0x11, 0, 0x10, 0x06, 0, 0, 0} // 1: a unit without children, with DW_AT_stmt_list in 4 bytes
	unit := []byte{12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 1}
	unit = binary.LittleEndian.AppendUint32(unit, uint32(at))
	d, err := dwarf.New(abbreviations, nil, nil, unit, data, nil, nil, nil)
	if err != nil {
		return err
	}
	entry, err := d.Reader().Next()
	if err != nil {
		return err
	}
	reader, err := d.LineReader(entry)
	if err != nil || reader == nil {
		return err
	}
	for {
		var line dwarf.LineEntry
		if err := reader.Next(&line); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		n := line.Address / functionBytes
		if n == 0 || n > uint64(len(r.Functions)) || line.EndSequence || line.File == nil {
			continue
		}
		f := r.Functions[n-1]
		f.Lines = append(f.Lines, Line{int(line.Address % functionBytes), line.File.Name, line.Line})
	}
}

// Opcodes of line tables (DWARF 2, section 6.2.5).
const (
	lineExtended   = 0
	lineCopy       = 1
	lineAdvancePC  = 2
	lineAdvance    = 3
	lineFile       = 4
	lineSpecial    = 10 // the first special opcode; the earlier ones have the operand counts that nvcc writes
	lineEnd        = 1  // extended
	lineSetAddress = 2  // extended
)

// relocate64 is the type of a 64-bit address (R_CUDA_64).
const relocate64 = 2

// lines writes the line table of all functions with source lines.
func (w *writer) lines() {
	var files []string
	var program []byte
	places := map[int]*Function{} // function by offset of an address in program
	number := func(file string) uint64 {
		n := slices.Index(files, file)
		if n < 0 {
			n, files = len(files), append(files, file)
		}
		return uint64(n + 1)
	}
	for _, f := range w.Functions {
		if len(f.Lines) == 0 {
			continue
		}
		program = append(program, lineExtended, 9, lineSetAddress, 0, 0, 0, 0, 0, 0, 0, 0)
		places[len(program)-8] = f
		last := Line{Line: 1}
		for _, l := range f.Lines {
			program = binary.AppendUvarint(append(program, lineFile), number(l.File))
			program = binary.AppendUvarint(append(program, lineAdvancePC), uint64(l.Offset-last.Offset))
			program = append(appendSigned(append(program, lineAdvance), l.Line-last.Line), lineCopy)
			last = l
		}
		program = binary.AppendUvarint(append(program, lineAdvancePC), uint64(len(f.Code)-last.Offset))
		program = append(program, lineExtended, 1, lineEnd)
	}
	if len(program) == 0 {
		return
	}
	front := []byte{1, 1, 0xfb, 14, lineSpecial, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0} // and no directories
	for _, file := range files {
		front = append(append(front, file...), 0, 0, 0, 0)
	}
	front = append(front, 0)
	data := binary.LittleEndian.AppendUint32(nil, uint32(6+len(front)+len(program)))
	data = append(data, 2, 0)
	data = append(append(binary.LittleEndian.AppendUint32(data, uint32(len(front))), front...), program...)
	var relocations []byte
	for _, at := range slices.Sorted(maps.Keys(places)) {
		relocations = binary.LittleEndian.AppendUint64(relocations, uint64(len(data)-len(program)+at))
		relocations = binary.LittleEndian.AppendUint64(relocations, uint64(w.numbers[places[at].Name])<<32|relocate64)
	}
	table := len(w.sections)
	w.section(".debug_line", uint64(elf.SHT_PROGBITS), 0, data, 1)
	s := w.section(".rel.debug_line", uint64(elf.SHT_REL), 0, relocations, 8)
	s.Info, s.Entsize = uint32(table), 16
}

// appendSigned appends a number in DWARF's signed form.
func appendSigned(data []byte, v int) []byte {
	for v < -64 || v > 63 {
		data = append(data, byte(v)&0x7f|0x80)
		v >>= 7
	}
	return append(data, byte(v)&0x7f)
}
