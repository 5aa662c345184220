package sass

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// GroupOperations is the number of operations behind a control word.
const GroupOperations = 7

// Control is the byte for one operation in a control word.
type Control uint8

// Controls splits a control word; ok is false for any other word.
func (e *Encoding) Controls(word uint64) (list [GroupOperations]Control, ok bool) {
	for n := range list {
		list[n] = Control(word >> (e.first + 8*n))
	}
	return list, word&e.markMask == e.mark
}

// ControlWord joins the control bytes of seven operations.
func (e *Encoding) ControlWord(list [GroupOperations]Control) uint64 {
	word := e.mark
	for n, c := range list {
		word |= uint64(c) << (e.first + 8*n)
	}
	return word
}

// Bits of a control byte (Mesa, nak/sm30_instr_latencies.rs; the disassembly of binaries).
const (
	controlDual  = 0x04 // alone: the next operation issues in the same cycle
	controlWait  = 0x20 // with the number of cycles less one
	controlLong  = 16   // cycles for a zero byte
	controlCount = 0x1f
)

// Pairs reports that the next operation issues in the same cycle.
func (c Control) Pairs() bool { return c == controlDual }

// Cycles returns the least number of cycles that the warp waits before its next operation.
func (c Control) Cycles() int {
	switch {
	case c.Pairs():
		return 0
	case c == 0:
		return controlLong
	case c&controlWait == 0:
		return 1
	}
	return int(c&controlCount) + 1
}

// Wait returns the control byte of an operation after which the warp waits 1 to 32 cycles.
func Wait(cycles int) Control { return controlWait | Control(max(1, min(cycles, 32))-1) }

// TextureBarrier is the control byte of a TEXDEPBAR (Mesa, nak/sm30_instr_latencies.rs).
const TextureBarrier = Control(0xc2)

// Dual is the control byte of the first operation of a pair.
const Dual = Control(controlDual)

// Walk visits the operations of code with their control bytes. If a control word's place holds another word, as in functions compiled by
// nvcc -G, that word is an operation too, and the group has no control bytes.
func (e *Encoding) Walk(code []byte, control func(at int, word uint64), operation func(at int, word uint64, c Control)) {
	var list [GroupOperations]Control
	for at := 0; at+WordBytes <= len(code); at += WordBytes {
		word, n := binary.LittleEndian.Uint64(code[at:]), at/WordBytes%(GroupOperations+1)
		if n == 0 {
			controls, ok := e.Controls(word)
			if list = controls; ok {
				control(at, word)
				continue
			}
			list = [GroupOperations]Control{}
			operation(at, word, 0)
			continue
		}
		operation(at, word, list[n-1])
	}
}

// Address returns the address of a function's operation n, control words included.
func Address(n int) int { return (n + n/GroupOperations + 1) * WordBytes }

// Print writes code like cuobjdump -sass, with unknown words marked.
func (e *Encoding) Print(out io.Writer, code []byte) error {
	w := bufio.NewWriter(out)
	e.Walk(code, func(_ int, word uint64) {
		fmt.Fprintf(w, "%72s/* 0x%016x */\n", "", word)
	}, func(at int, word uint64, _ Control) {
		text := fmt.Sprintf("UNKNOWN 0x%016x", word)
		if i, err := e.Decode(word); err == nil {
			text = i.Text(uint64(at))
		}
		fmt.Fprintf(w, "        /*%04x*/                   %-36s /* 0x%016x */\n", at, text+";", word)
	})
	return w.Flush()
}
