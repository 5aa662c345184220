package machine

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Operation is a machine operation over virtual registers.
type Operation struct {
	isa.MachineOp
	// Uses and Defines are the registers of the hardware's operation, as virtual registers or parts; those of Effect are separate.
	Uses, Defines []isa.Register
	Constants     []uint32 // constant addresses read
	Path          *SlowPath
	Local         bool             // everything that it writes is read only under the same guard
	Origin        *isa.Instruction // the instruction that it was expanded from
	Ways          []isa.BlockID
	join          isa.BlockID
}

// SlowPath links the operations of one slow path.
type SlowPath struct {
	Path isa.SlowPath
}

// Overwrites reports that no one can read the old values of the destinations afterwards.
func (op *Operation) Overwrites() bool { return !op.Guard.Present || op.Local }

// ReadConstant records that the operation reads a word of an operand from a constant bank; literals are among them.
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

// finishConstants sets the operation's constant access.
func (op *Operation) finishConstants() {
	if len(op.Constants) > 0 {
		op.ReadsConstant, op.ConstantAddress = true, op.Constants[0]
	}
}

// String returns the operation for messages.
func (op *Operation) String() string {
	return fmt.Sprintf("%s %v : %v", op.Mnemonic, op.Defines, op.Uses)
}
