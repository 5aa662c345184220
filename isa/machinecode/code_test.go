package machinecode

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A loop with a constant doubles eight words as often as a counter says.
func TestCodeRuns(t *testing.T) {
	if !Supported() {
		t.Skip("this host runs no code made here")
	}
	var a Assembler
	again, end := a.NewLabel(), a.NewLabel()
	a.Load(CX, At(DI, 32))
	a.Get(1, At(DI, 0))
	a.Bind(again)
	a.Test(CX, CX)
	a.JumpIf(Equal, end)
	a.V(PADDD, 1, 1, 1)
	a.AddImmediate(CX, -1)
	a.Jump(again)
	a.Bind(end)
	a.VM(PXOR, 1, 1, a.Broadcast(1))
	a.Put(At(DI, 0), 1)
	a.Return()
	code, err := Place(a.Finish())
	require.NoError(t, err)
	var state struct {
		words [8]uint32
		count uint32
	}
	for i := range state.words {
		state.words[i] = uint32(i)
	}
	state.count = 3
	runtime.GC()
	code.Call(0, unsafe.Pointer(&state))
	require.Equal(t, [8]uint32{1, 9, 17, 25, 33, 41, 49, 57}, state.words)
}

func TestLabelsMustBeBound(t *testing.T) {
	var a Assembler
	a.Jump(a.NewLabel())
	require.Panics(t, func() { a.Finish() })
}
