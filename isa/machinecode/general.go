package machinecode

// Instructions on general registers. Names that end in 64 use all 64 bits, the others 32.

func (a *Assembler) general(wide bool, opcode []byte, register uint8, m Memory) {
	index, base := m.high()
	if rex := register>>3<<2 | index<<1 | base; rex != 0 || wide {
		if wide {
			rex |= 8
		}
		a.bytes(uint64(0x40|rex), 1)
	}
	a.byte(opcode...)
	a.memory(register, m)
}

func (a *Assembler) registers(wide bool, opcode []byte, register, other General) {
	rex := byte(register)>>3<<2 | byte(other)>>3
	if wide {
		rex |= 8
	}
	if rex != 0 {
		a.bytes(uint64(0x40|rex), 1)
	}
	a.byte(opcode...)
	a.bytes(uint64(0xc0|byte(register)&7<<3|byte(other)&7), 1)
}

// Load reads a word.
func (a *Assembler) Load(d General, m Memory) { a.general(false, []byte{0x8b}, uint8(d), m) }

// Load64 reads 64 bits.
func (a *Assembler) Load64(d General, m Memory) { a.general(true, []byte{0x8b}, uint8(d), m) }

// Store writes a word.
func (a *Assembler) Store(m Memory, s General) { a.general(false, []byte{0x89}, uint8(s), m) }

// Store64 writes 64 bits.
func (a *Assembler) Store64(m Memory, s General) { a.general(true, []byte{0x89}, uint8(s), m) }

// Store8 writes a byte of a register; not of SI or DI.
func (a *Assembler) Store8(m Memory, s General) { a.general(false, []byte{0x88}, uint8(s), m) }

// Store16 writes half a word.
func (a *Assembler) Store16(m Memory, s General) {
	a.byte(0x66)
	a.general(false, []byte{0x89}, uint8(s), m)
}

// StoreImmediate writes a constant word.
func (a *Assembler) StoreImmediate(m Memory, value uint32) {
	if m.constant > 0 {
		panic("a store to the code's constants")
	}
	a.general(false, []byte{0xc7}, 0, m)
	a.word(value)
}

// Move copies a word and clears the high word.
func (a *Assembler) Move(d, s General) { a.registers(false, []byte{0x89}, s, d) }

// Move64 copies 64 bits.
func (a *Assembler) Move64(d, s General) { a.registers(true, []byte{0x89}, s, d) }

// Or64 combines 64 bits.
func (a *Assembler) Or64(d, s General) { a.registers(true, []byte{0x09}, s, d) }

// Subtract64 subtracts 64 bits.
func (a *Assembler) Subtract64(d, s General) { a.registers(true, []byte{0x29}, s, d) }

// MoveImmediate sets a register to a constant word.
func (a *Assembler) MoveImmediate(d General, value uint32) {
	if d >= R8 {
		a.byte(0x41)
	}
	a.byte(0xb8 | byte(d)&7)
	a.word(value)
}

// MoveImmediate64 sets a register to a constant.
func (a *Assembler) MoveImmediate64(d General, value uint64) {
	a.byte(0x48|byte(d)>>3, 0xb8|byte(d)&7)
	a.word(uint32(value))
	a.word(uint32(value >> 32))
}

// Address computes an operand's address.
func (a *Assembler) Address(d General, m Memory) { a.general(true, []byte{0x8d}, uint8(d), m) }

// And combines words.
func (a *Assembler) And(d, s General) { a.registers(false, []byte{0x21}, s, d) }

// Or combines words.
func (a *Assembler) Or(d, s General) { a.registers(false, []byte{0x09}, s, d) }

// Xor combines words.
func (a *Assembler) Xor(d, s General) { a.registers(false, []byte{0x31}, s, d) }

// Not inverts a word.
func (a *Assembler) Not(d General) { a.registers(false, []byte{0xf7}, 2, d) }

// Test sets the conditions by the bitwise and of two words.
func (a *Assembler) Test(x, y General) { a.registers(false, []byte{0x85}, x, y) }

// Test64 sets the conditions by the bitwise and of two registers.
func (a *Assembler) Test64(x, y General) { a.registers(true, []byte{0x85}, x, y) }

// Compare sets the conditions by x - y.
func (a *Assembler) Compare(x, y General) { a.registers(false, []byte{0x39}, y, x) }

// CompareWide sets the conditions by x - y, of 64 bits.
func (a *Assembler) CompareWide(x, y General) { a.registers(true, []byte{0x39}, y, x) }

// CompareMemory sets the conditions by m minus a constant.
func (a *Assembler) CompareMemory(m Memory, value uint32) {
	a.general(false, []byte{0x81}, 7, m)
	a.word(value)
}

// CompareWith sets the conditions by x minus a word in memory.
func (a *Assembler) CompareWith(x General, m Memory) { a.general(false, []byte{0x3b}, uint8(x), m) }

// CompareByte sets the conditions by a byte in memory minus a constant.
func (a *Assembler) CompareByte(m Memory, value uint8) {
	a.general(false, []byte{0x80}, 7, m)
	a.byte(value)
}

// CompareImmediate sets the conditions by x minus a constant.
func (a *Assembler) CompareImmediate(x General, value uint32) {
	a.registers(false, []byte{0x81}, 7, x)
	a.word(value)
}

// TestImmediate sets the conditions by the bitwise and of a word and a constant.
func (a *Assembler) TestImmediate(x General, value uint32) {
	a.registers(false, []byte{0xf7}, 0, x)
	a.word(value)
}

// AndImmediate ands a word with a constant.
func (a *Assembler) AndImmediate(d General, value uint32) {
	a.registers(false, []byte{0x81}, 4, d)
	a.word(value)
}

// AddTo adds a word to memory.
func (a *Assembler) AddTo(m Memory, s General) { a.general(false, []byte{0x01}, uint8(s), m) }

// AddTo64 adds 64 bits to memory.
func (a *Assembler) AddTo64(m Memory, s General) { a.general(true, []byte{0x01}, uint8(s), m) }

// OrTo ors a register into a word in memory.
func (a *Assembler) OrTo(m Memory, s General) { a.general(false, []byte{0x09}, uint8(s), m) }

// Increment64 adds one to 64 bits in memory.
func (a *Assembler) Increment64(m Memory) { a.general(true, []byte{0xff}, 0, m) }

// ExchangeAdd adds a register to a word in memory, and sets the register to the old value.
func (a *Assembler) ExchangeAdd(m Memory, s General) {
	a.general(false, []byte{0x0f, 0xc1}, uint8(s), m)
}

// AddImmediate adds a constant to a word.
func (a *Assembler) AddImmediate(d General, value int32) {
	a.registers(false, []byte{0x81}, 0, d)
	a.word(uint32(value))
}

// AddImmediate64 adds a constant.
func (a *Assembler) AddImmediate64(d General, value int32) {
	a.registers(true, []byte{0x81}, 0, d)
	a.word(uint32(value))
}

// SubtractImmediate64 subtracts a constant.
func (a *Assembler) SubtractImmediate64(d General, value int32) {
	a.registers(true, []byte{0x81}, 5, d)
	a.word(uint32(value))
}

// SubtractMemory64 subtracts 64 bits in memory.
func (a *Assembler) SubtractMemory64(d General, m Memory) {
	a.general(true, []byte{0x2b}, uint8(d), m)
}

// ShiftLeft shifts a word by a constant.
func (a *Assembler) ShiftLeft(d General, by uint8) {
	a.registers(false, []byte{0xc1}, 4, d)
	a.byte(by)
}

// ShiftLeft64 shifts 64 bits by a constant.
func (a *Assembler) ShiftLeft64(d General, by uint8) {
	a.registers(true, []byte{0xc1}, 4, d)
	a.byte(by)
}

// ShiftRight64 shifts 64 bits by a constant.
func (a *Assembler) ShiftRight64(d General, by uint8) {
	a.registers(true, []byte{0xc1}, 5, d)
	a.byte(by)
}

// Population counts the bits of a word.
func (a *Assembler) Population(d, s General) {
	a.byte(0xf3)
	a.registers(false, []byte{0x0f, 0xb8}, d, s)
}

// TrailingZeros counts the zeros below the lowest set bit of a word.
func (a *Assembler) TrailingZeros(d, s General) {
	a.byte(0xf3)
	a.registers(false, []byte{0x0f, 0xbc}, d, s)
}

// ClearLowest clears the lowest set bit of a word, and sets the conditions by the result.
func (a *Assembler) ClearLowest(d, s General) {
	// BLSR: the destination takes the place of the second source.
	a.bytes(vexBytes(0, 0, byte(s)>>3, 2, false, byte(d), false, 0)|vexRegisters(0xf3, 1, byte(s)), 5)
}

// Jump jumps to a label.
func (a *Assembler) Jump(l Label) {
	a.byte(0xe9)
	a.distance(int32(l), false)
}

// JumpMemory jumps to an address in memory.
func (a *Assembler) JumpMemory(m Memory) { a.general(false, []byte{0xff}, 4, m) }

// JumpIf jumps to a label if a condition holds.
func (a *Assembler) JumpIf(c Condition, l Label) {
	a.byte(0x0f, 0x80|byte(c))
	a.distance(int32(l), false)
}

// Return returns to the caller.
func (a *Assembler) Return() { a.byte(0xc3) }
