package sass

import (
	"fmt"
	"strings"
)

// Constant returns the bank and byte offset of a constant operand.
func (f *Field) Constant(word uint64) (bank, offset uint64) {
	v := f.Value(word)
	return v >> 14, v & (1<<14 - 1) << 2
}

func constantText(format string) func(*Field, uint64, uint64) string {
	return func(f *Field, word, _ uint64) string {
		bank, offset := f.Constant(word)
		return fmt.Sprintf(format, bank, offset)
	}
}

func scanConstant(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	bank, rest, ok := scanHexBetween(text, "c[", "]")
	if !ok {
		return text, false
	}
	offset, rest, ok := scanHexBetween(strings.TrimPrefix(rest, " "), "[", "]")
	f.place.put(word, bank<<14|offset>>2)
	return rest, ok && bank < 32 && offset < 1<<16 && offset%4 == 0
}

// Memory returns the base register and the offset of an address.
func (f *Field) Memory(word uint64) (register uint64, offset int64) {
	if f.Name == "ldg" {
		return f.encoding.register(f.encoding.base, word), 0
	}
	return f.encoding.register(f.encoding.base, word), signed(f.Value(word), f.place.width())
}

func memoryText(f *Field, word, _ uint64) string {
	register, offset := f.Memory(word)
	if offset == 0 {
		return "[" + registerName(register) + "]"
	}
	return "[" + registerName(register) + "+" + hexNumber(offset) + "]"
}

func scanMemory(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	rest, ok := strings.CutPrefix(text, "[")
	if !ok {
		return text, false
	}
	register, rest, ok := numbered("R", zeroRegister, rest)
	offset := int64(0)
	if cut, more := strings.CutPrefix(rest, "+"); ok && more {
		offset, rest, ok = scanHex(cut)
	}
	if !ok || f.Name == "ldg" && offset != 0 || f.Name != "ldg" && signed(uint64(offset), f.place.width()) != offset {
		return text, false
	}
	if f.Name != "ldg" {
		f.place.put(word, uint64(offset))
	}
	if !f.encoding.putRegister(f.encoding.base, word, register) {
		return text, false
	}
	return strings.CutPrefix(rest, "]")
}

// Indexed returns the bank, the offset and the index register of an LDC.
func (f *Field) Indexed(word uint64) (bank uint64, offset int64, register uint64) {
	v := f.Value(word)
	return v >> 16, signed(v&0xffff, 16), f.encoding.register(f.encoding.base, word)
}

func indexedText(f *Field, word, _ uint64) string {
	bank, offset, register := f.Indexed(word)
	switch {
	case register == zeroRegister:
		return fmt.Sprintf("c[0x%x][%s]", bank, hexNumber(offset))
	case offset == 0:
		return fmt.Sprintf("c[0x%x][%s]", bank, registerName(register))
	}
	return fmt.Sprintf("c[0x%x][%s+%s]", bank, registerName(register), hexNumber(offset))
}

func scanIndexed(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	bank, rest, ok := scanHexBetween(text, "c[", "][")
	register, offset := zeroRegister, int64(0)
	if ok && strings.HasPrefix(rest, "R") {
		register, rest, ok = numbered("R", zeroRegister, rest)
		if cut, more := strings.CutPrefix(rest, "+"); ok && more {
			offset, rest, ok = scanHex(cut)
		}
	} else if ok {
		offset, rest, ok = scanHex(rest)
	}
	if !ok || bank > 31 || signed(uint64(offset), 16) != offset {
		return text, false
	}
	f.place.put(word, bank<<16|uint64(offset)&0xffff)
	if !f.encoding.putRegister(f.encoding.base, word, register) {
		return text, false
	}
	return strings.CutPrefix(rest, "]")
}
