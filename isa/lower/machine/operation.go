package machine

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Operation is a machine operation over virtual registers.
type Operation struct {
	isa.MachineOp
	// reads and writes are what the hardware's operation touches, as virtual registers or parts of them; Effect has its own.
	Uses, Defines []isa.Register
	Constants     []uint32 // constant addresses read
	Path          *SlowPath
	Local         bool             // everything it writes is read only under its own guard
	Origin        *isa.Instruction // the instruction whose expansion the operation belongs to
	Ways          []isa.BlockID
	join          isa.BlockID
}

// SlowPath ties the operations of one slow path together.
type SlowPath struct {
	Path isa.SlowPath
}

// Overwrites reports an operation that leaves nothing of its destinations' old values that anything could read.
func (op *Operation) Overwrites() bool { return !op.Guard.Present || op.Local }

// ReadConstant notes that the operation reads a word of an operand that lies in a constant bank, a number's among them.
func (op *Operation) ReadConstant(o *isa.Operand, word int) {
	switch o.Kind {
	case isa.OperandConstant:
		op.Constants = append(op.Constants, uint32(o.Bank)<<16|(o.Offset+4*uint32(word)))
	case isa.OperandImmediate:
		if o.Bank == isa.ConstantBankLiterals {
			op.Constants = append(op.Constants, uint32(o.Bank)<<16|(o.Offset+4*uint32(word)))
		}
	case isa.OperandSpecial:
		if offset, ok := virtual.LaunchConstants[o.Special]; ok {
			op.Constants = append(op.Constants, offset)
		}
	}
}

// finishConstants marks the operation's reading of the constant bank.
func (op *Operation) finishConstants() {
	if len(op.Constants) > 0 {
		op.ReadsConstant, op.ConstantAddress = true, op.Constants[0]
	}
}

// String returns the operation for messages.
func (op *Operation) String() string {
	return fmt.Sprintf("%s %v : %v", op.Mnemonic, op.Defines, op.Uses)
}
