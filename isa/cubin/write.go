package cubin

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"slices"
)

// Constants of the ELF files that CUDA's toolkit 7 writes.
const (
	toolkitVersion = 0x46  // e_version
	abiCUDA        = 0x33  // EI_OSABI
	abiVersion     = 7     // EI_ABIVERSION
	flag64         = 0x500 // e_flags: 64-bit addresses; the architecture is in bits 0 to 7, that of the PTX in bits 16 to 23
	sectionInfo    = 0x70000000
	textAlignment  = 64
)

// section is a section of the file under construction.
type section struct {
	elf.Section64
	name string
	data []byte
}

// writer builds the sections and symbols of a file.
type writer struct {
	*Module
	sections []section
	names    table
	strings  table
	symbols  []elf.Sym64
	numbers  map[string]int    // by symbol
	texts    map[*Function]int // sections by function
}

// table is a string table.
type table struct{ bytes.Buffer }

func (t *table) add(name string) uint32 {
	if t.Len() == 0 {
		t.WriteByte(0)
	}
	at := t.Len()
	t.WriteString(name)
	t.WriteByte(0)
	return uint32(at)
}

func (w *writer) section(name string, kind, flags uint64, data []byte, align uint64) *section {
	w.sections = append(w.sections, section{name: name, data: data, Section64: elf.Section64{
		Name: w.names.add(name), Type: uint32(kind), Flags: flags, Size: uint64(len(data)), Addralign: align,
	}})
	return &w.sections[len(w.sections)-1]
}

// Write returns a module as a cubin, with the sections that Parse reads.
func Write(m *Module) []byte {
	w := &writer{Module: m, numbers: map[string]int{}, texts: map[*Function]int{}}
	w.section("", uint64(elf.SHT_NULL), 0, nil, 0)
	w.symbols = append(w.symbols, elf.Sym64{})
	w.strings.add("")
	var shared []byte // of .nv.info
	for _, f := range m.Functions {
		shared = append(shared, w.function(f)...)
	}
	w.section(".nv.info", sectionInfo, 0, shared, 4)
	w.variables()
	for _, f := range m.Functions {
		w.relocations(f)
	}
	w.lines()
	return w.file()
}

// relocations writes the relocations of a function's code.
func (w *writer) relocations(f *Function) {
	var data []byte
	for _, r := range f.Relocated {
		data = binary.LittleEndian.AppendUint64(data, uint64(r.Offset))
		data = binary.LittleEndian.AppendUint64(data, uint64(w.numbers[r.Symbol])<<32|uint64(r.Type))
		data = binary.LittleEndian.AppendUint64(data, uint64(r.Addend))
	}
	if len(data) > 0 {
		s := w.section(".rela.text."+f.Name, uint64(elf.SHT_RELA), 0, data, 8)
		s.Info, s.Entsize = uint32(w.texts[f]), 24
	}
}

// function writes a function's sections and symbol. It returns its attributes in the section of the whole module.
func (w *writer) function(f *Function) (attributes []byte) {
	const load, execute, write = uint64(elf.SHF_ALLOC), uint64(elf.SHF_EXECINSTR), uint64(elf.SHF_WRITE)
	number := uint32(len(w.symbols))
	text := len(w.sections)
	w.texts[f], w.numbers[f.Name] = text, len(w.symbols)
	s := w.section(".text."+f.Name, uint64(elf.SHT_PROGBITS), load|execute|uint64(f.Barriers)<<barrierShift, f.Code, textAlignment)
	s.Info = number | uint32(f.Registers)<<24
	symbol := elf.Sym64{Name: w.strings.add(f.Name), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: uint16(text),
		Size: uint64(len(f.Code))}
	if f.Kernel {
		symbol.Other = entryMark
	}
	w.symbols = append(w.symbols, symbol)
	w.section(".nv.constant0."+f.Name, uint64(elf.SHT_PROGBITS), load, make([]byte, f.Base+f.Bytes), 4).Info = uint32(text)
	if f.Literals != nil {
		w.section(".nv.constant2."+f.Name, uint64(elf.SHT_PROGBITS), load, f.Literals, 4).Info = uint32(text)
	}
	if f.Shared > 0 {
		w.section(".nv.shared."+f.Name, uint64(elf.SHT_NOBITS), load|write, nil, 16).Size = uint64(f.Shared)
	}
	w.section(".nv.info."+f.Name, sectionInfo, 0, f.attributes(number), 4).Info = uint32(text)
	for _, kind := range []byte{attributeMaxStack, attributeFrame, attributeMinStack} {
		attributes = append(attributes, sized(kind, number, uint32(f.Stack))...)
	}
	return attributes
}

// sized returns an attribute of some words.
func sized(kind byte, words ...uint32) []byte {
	out := []byte{formatSized, kind, byte(4 * len(words)), 0}
	for _, v := range words {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return out
}

// attributes returns the attributes of the function's own section.
func (f *Function) attributes(symbol uint32) []byte {
	out := sized(attributeParameterBank, symbol, uint32(f.Base)|uint32(f.Bytes)<<16)
	for n, p := range slices.Backward(f.Parameters) {
		const bank = 0x1f000 // parameters are in constant bank 0
		out = append(out, sized(attributeParameter, 0, uint32(n)|uint32(p.Offset)<<16, uint32(p.Bytes)<<18|bank)...)
	}
	for kind, n := range map[byte][3]int{attributeMaxThreads: f.MaxThreads} {
		if n != [3]int{} {
			out = append(out, sized(kind, uint32(n[0]), uint32(n[1]), uint32(n[2]))...)
		}
	}
	if n := f.ReqThreads; n != [3]int{} {
		out = append(out, sized(attributeReqThreads, uint32(n[0]), uint32(n[1]), uint32(n[2]))...)
	}
	return out
}

// variables writes the sections of global and constant memory.
func (w *writer) variables() {
	for space, name := range map[Space]string{Global: ".nv.global.init", Constant: ".nv.constant3"} {
		var data []byte
		list := slices.Clone(w.Variables)
		list = slices.DeleteFunc(list, func(v *Variable) bool { return v.Space != space })
		slices.SortStableFunc(list, func(a, b *Variable) int { return cmp.Compare(a.Offset, b.Offset) })
		for _, v := range list {
			if missing := int(v.Offset) + v.Bytes - len(data); missing > 0 {
				data = append(data, make([]byte, missing)...)
			}
			copy(data[v.Offset:], v.Initial)
			w.numbers[v.Name] = len(w.symbols)
			w.symbols = append(w.symbols, elf.Sym64{Name: w.strings.add(v.Name), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT),
				Shndx: uint16(len(w.sections)), Value: v.Offset, Size: uint64(v.Bytes)})
		}
		if len(list) > 0 {
			w.section(name, uint64(elf.SHT_PROGBITS), uint64(elf.SHF_ALLOC), data, 256)
		}
	}
}

// file writes the sections one after another, followed by the table of sections.
func (w *writer) file() []byte {
	symbols := &bytes.Buffer{}
	_ = binary.Write(symbols, binary.LittleEndian, w.symbols) // cannot fail: it writes to memory
	strings := len(w.sections)
	w.section(".strtab", uint64(elf.SHT_STRTAB), 0, w.strings.Bytes(), 1)
	s := w.section(".symtab", uint64(elf.SHT_SYMTAB), 0, symbols.Bytes(), 8)
	s.Link, s.Info, s.Entsize = uint32(strings), 1, elf.Sym64Size
	names := len(w.sections)
	w.section(".shstrtab", uint64(elf.SHT_STRTAB), 0, nil, 1)
	last := &w.sections[names]
	last.data = w.names.Bytes()
	last.Size = uint64(len(last.data))
	for n := range w.sections {
		if s := &w.sections[n]; len(s.name) > 8 && s.name[:8] == ".nv.info" || s.name == ".nv.info" ||
			s.Type == uint32(elf.SHT_RELA) || s.Type == uint32(elf.SHT_REL) {
			s.Link = uint32(strings + 1)
		}
	}
	const header = 64
	body := bytes.NewBuffer(make([]byte, header))
	for n := range w.sections {
		s := &w.sections[n]
		for s.Addralign > 1 && body.Len()%int(s.Addralign) != 0 {
			body.WriteByte(0)
		}
		if s.Off = uint64(body.Len()); n == 0 {
			s.Off = 0
		}
		body.Write(s.data)
	}
	for body.Len()%8 != 0 {
		body.WriteByte(0)
	}
	table := body.Len()
	for n := range w.sections {
		_ = binary.Write(body, binary.LittleEndian, w.sections[n].Section64)
	}
	h := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: machineCUDA, Version: toolkitVersion, Shoff: uint64(table), Ehsize: header, Phentsize: 56,
		Shentsize: 64,
		Flags:     uint32(w.Architecture) | uint32(w.Architecture)<<16 | flag64, Shnum: uint16(len(w.sections)), Shstrndx: uint16(names),
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	h.Ident[elf.EI_OSABI], h.Ident[elf.EI_ABIVERSION] = abiCUDA, abiVersion
	front := &bytes.Buffer{}
	_ = binary.Write(front, binary.LittleEndian, h)
	out := body.Bytes()
	copy(out, front.Bytes())
	return out
}
