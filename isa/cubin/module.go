// Package cubin reads and writes the files that contain machine code for NVIDIA's GPUs: cubins, which are ELF files, fatbins with cubins
// and PTX for several architectures, and executables with fatbins inside. It deals with sections and attributes; isa/sass with the words of
// code.
//
// Files are untrusted: sizes are checked against the file before they are used, and a contradiction in a file is an error.
package cubin

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Module is a cubin.
type Module struct {
	Architecture int // 35 for sm_35
	Functions    []*Function
	Variables    []*Variable // in global and constant memory
}

// Function is a kernel, or a device function with a section of its own.
type Function struct {
	Name       string
	Kernel     bool
	Code       []byte
	Registers  int // per thread
	Barriers   int
	Shared     int // static shared memory of a block, in bytes
	Stack      int // local memory of a thread, in bytes
	Parameters []Parameter
	Base       int    // of the parameters in constant bank 0
	Bytes      int    // of all parameters
	Literals   []byte // constant bank 2
	MaxThreads [3]int // 0: not given
	ReqThreads [3]int
	Relocated  []Relocation   // of Code
	Lines      []Line         // source lines of Code, if the file has them
	Textures   map[int]string // names of texture references, by the offset in constant bank 0 of their numbers
	symbol     int
}

// Function returns the device function with a name, nil if there is none.
func (m *Module) Function(name string) *Function {
	for _, f := range m.Functions {
		if f.Name == name && !f.Kernel {
			return f
		}
	}
	return nil
}

// Parameter is a kernel's parameter.
type Parameter struct{ Offset, Bytes int }

// Space is a variable's memory.
type Space uint8

// Spaces of variables.
const (
	Global Space = iota
	Constant
)

// Variable is a variable of a module.
type Variable struct {
	Name    string
	Space   Space
	Offset  uint64 // in its section; in the bank, for constant memory
	Bytes   int
	Initial []byte // nil: zero
}

// Relocation is an address to write into code or data.
type Relocation struct {
	Offset int    // in the section, bytes
	Type   uint32 // R_CUDA_…
	Symbol string
	Addend int64
}

// Types of relocations (R_CUDA_…): 32 bits of an address, or its low or high half, from bit 23 or 26 of a word on.
const (
	Relocate32From26 = 5
	relocateTexture  = 6 // R_CUDA_TEX_HEADER_INDEX: the number of a texture
	RelocateLow26    = 10
	RelocateHigh26   = 11
	Relocate32From23 = 12
	RelocateLow23    = 13
	RelocateHigh23   = 14
)

// Attributes of .nv.info.
const (
	attributeMaxThreads    = 0x05
	attributeParameterBank = 0x0a
	attributeReqThreads    = 0x10
	attributeFrame         = 0x11
	attributeMinStack      = 0x12
	attributeParameter     = 0x17
	attributeMaxStack      = 0x23
	formatSized            = 4 // a size, and that many bytes
)

// Section flags: the number of a kernel's barriers, in 7 bits.
const (
	barrierShift = 20
	barrierMask  = 0x7f
	entryMark    = 0x10 // in a symbol's st_other: a kernel
)

// architecture returns the sm number of a cubin from its ELF flags.
func architecture(data []byte) (int, error) {
	const flags = 48 // offset of e_flags in an ELF64 header
	if len(data) < flags+4 {
		return 0, fmt.Errorf("a cubin of %d bytes", len(data))
	}
	return int(binary.LittleEndian.Uint32(data[flags:]) & 0xff), nil
}

// reader reads a module.
type reader struct {
	*Module
	file     *elf.File
	bytes    int
	symbols  []elf.Symbol // by number, from 1 on; number 1 is at [0]
	sections map[string]*elf.Section
}

// Parse reads a cubin.
func Parse(data []byte) (*Module, error) {
	f, err := openELF(data)
	if err != nil {
		return nil, err
	}
	if f.Machine != machineCUDA || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		return nil, fmt.Errorf("an ELF file for %v (%v): no cubin with 64-bit addresses", f.Machine, f.Class)
	}
	r := &reader{Module: &Module{}, file: f, bytes: len(data), sections: map[string]*elf.Section{}}
	if r.Architecture, err = architecture(data); err != nil {
		return nil, err
	}
	for _, s := range f.Sections {
		if r.sections[s.Name] != nil && s.Name != "" {
			return nil, fmt.Errorf("two sections %s", s.Name)
		}
		r.sections[s.Name] = s
	}
	if r.symbols, err = f.Symbols(); err != nil && r.sections[".symtab"] != nil {
		return nil, fmt.Errorf("symbols: %w", err)
	}
	for n, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok {
			if err := r.function(n, s, name); err != nil {
				return nil, fmt.Errorf("function %s: %w", name, err)
			}
		}
	}
	if err := errors.Join(r.variables(), r.lines()); err != nil {
		return nil, err
	}
	return r.Module, r.attributes(".nv.info", nil)
}

// function reads a function's section and the sections that belong to it.
func (r *reader) function(number int, s *elf.Section, name string) (err error) {
	f := &Function{Name: name, Registers: int(s.Info >> 24), Barriers: int(s.Flags >> barrierShift & barrierMask),
		symbol: int(s.Info & 0xffffff)}
	for _, symbol := range r.symbols {
		if int(symbol.Section) == number && symbol.Name == name && symbol.Other&entryMark != 0 {
			f.Kernel = true
		}
	}
	if f.Code, err = sectionData(s, r.bytes); err != nil {
		return err
	}
	if f.Code == nil || len(f.Code)%8 != 0 {
		return fmt.Errorf("%d bytes of code: no whole number of words", len(f.Code))
	}
	if c := r.sections[".nv.constant2."+name]; c != nil {
		if f.Literals, err = sectionData(c, r.bytes); err != nil {
			return err
		}
	}
	if shared := r.sections[".nv.shared."+name]; shared != nil {
		const most = 48 << 10
		if shared.Size > most {
			return fmt.Errorf("%d bytes of shared memory: at most %d", shared.Size, most)
		}
		f.Shared = int(shared.Size)
	}
	if err := errors.Join(r.relocations(f), r.textures(f)); err != nil {
		return err
	}
	r.Functions = append(r.Functions, f)
	return r.attributes(".nv.info."+name, f)
}

// relocations reads the relocations of a function's code.
func (r *reader) relocations(f *Function) error {
	for _, prefix := range []string{".rel.text.", ".rela.text."} {
		s := r.sections[prefix+f.Name]
		if s == nil {
			continue
		}
		data, err := sectionData(s, r.bytes)
		if err != nil {
			return err
		}
		size := map[bool]int{true: 24, false: 16}[prefix == ".rela.text."]
		for ; len(data) >= size; data = data[size:] {
			at, info := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
			symbol := info >> 32
			if symbol == 0 || symbol > uint64(len(r.symbols)) || at >= uint64(len(f.Code)) {
				return fmt.Errorf("a relocation at 0x%x of symbol %d", at, symbol)
			}
			item := Relocation{Offset: int(at), Type: uint32(info), Symbol: r.symbols[symbol-1].Name}
			if size == 24 {
				item.Addend = int64(binary.LittleEndian.Uint64(data[16:]))
			}
			f.Relocated = append(f.Relocated, item)
		}
	}
	return nil
}

// textures reads the texture references that the driver stores in a function's constant bank 0.
func (r *reader) textures(f *Function) error {
	s := r.sections[".rel.nv.constant0."+f.Name]
	if s == nil {
		return nil
	}
	data, err := sectionData(s, r.bytes)
	for ; err == nil && len(data) >= 16; data = data[16:] {
		at, info := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		if symbol := info >> 32; uint32(info) == relocateTexture && at < 1<<16 && symbol > 0 && symbol <= uint64(len(r.symbols)) {
			if f.Textures == nil {
				f.Textures = map[int]string{}
			}
			f.Textures[int(at)] = r.symbols[symbol-1].Name
		}
	}
	return err
}

// attributes reads a section of attributes: of one function, or of the module, where attributes name a function's symbol.
func (r *reader) attributes(section string, f *Function) error {
	s := r.sections[section]
	if s == nil {
		return nil
	}
	data, err := sectionData(s, r.bytes)
	if err != nil {
		return err
	}
	for len(data) >= 4 {
		format, kind, size := data[0], data[1], int(binary.LittleEndian.Uint16(data[2:]))
		if data = data[4:]; format != formatSized {
			continue
		}
		if size > len(data) {
			return fmt.Errorf("section %s: an attribute 0x%02x of %d bytes in %d", section, kind, size, len(data))
		}
		words := make([]uint32, size/4)
		for n := range words {
			words[n] = binary.LittleEndian.Uint32(data[4*n:])
		}
		if data = data[size:]; f == nil {
			r.ofSymbol(kind, words)
		} else {
			f.attribute(kind, words)
		}
	}
	if f != nil {
		slices.SortStableFunc(f.Parameters, func(a, b Parameter) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	return nil
}

// attribute reads one attribute of a function.
func (f *Function) attribute(kind byte, words []uint32) {
	switch {
	case kind == attributeParameter && len(words) >= 3:
		f.Parameters = append(f.Parameters, Parameter{Offset: int(words[1] >> 16), Bytes: int(words[2] >> 18)})
	case kind == attributeParameterBank && len(words) >= 2:
		f.Base, f.Bytes = int(words[1]&0xffff), int(words[1]>>16)
	case kind == attributeMaxThreads && len(words) >= 3:
		f.MaxThreads = [3]int{int(words[0]), int(words[1]), int(words[2])}
	case kind == attributeReqThreads && len(words) >= 3:
		f.ReqThreads = [3]int{int(words[0]), int(words[1]), int(words[2])}
	}
}

// ofSymbol reads an attribute of the function whose symbol it names.
func (r *reader) ofSymbol(kind byte, words []uint32) {
	if len(words) < 2 || kind != attributeFrame && kind != attributeMinStack && kind != attributeMaxStack {
		return
	}
	const most = 512 << 10 // local memory of a thread
	for _, f := range r.Functions {
		if f.symbol == int(words[0]) && words[1] <= most {
			f.Stack = max(f.Stack, int(words[1]))
		}
	}
}

// variables reads the variables in global and constant memory: the named objects of their sections.
func (r *reader) variables() error {
	for n, s := range r.file.Sections {
		space := Global
		switch s.Name {
		case ".nv.global", ".nv.global.init":
		case ".nv.constant3":
			space = Constant
		default:
			continue
		}
		if s.Size > mostSize {
			return fmt.Errorf("section %s has %d bytes: at most %d", s.Name, s.Size, mostSize)
		}
		data, err := sectionData(s, r.bytes)
		if err != nil {
			return err
		}
		for _, symbol := range r.symbols {
			if int(symbol.Section) != n || elf.ST_TYPE(symbol.Info) != elf.STT_OBJECT {
				continue
			}
			if symbol.Value > s.Size || symbol.Size > s.Size-symbol.Value {
				return fmt.Errorf("variable %s has %d bytes from %d on in a section of %d", symbol.Name, symbol.Size, symbol.Value, s.Size)
			}
			v := &Variable{Name: symbol.Name, Space: space, Offset: symbol.Value, Bytes: int(symbol.Size)}
			if data != nil {
				v.Initial = data[symbol.Value : symbol.Value+symbol.Size]
			}
			r.Variables = append(r.Variables, v)
		}
	}
	return nil
}
