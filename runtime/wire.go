package runtime

import (
	"encoding/binary"
	"fmt"
	"io"
)

// operation is what a program asks for; the order is that of native/wire.h.
type operation uint32

const (
	opHello operation = iota
	opModule
	opKernel
	opLaunch
	opAllocate
	opFree
	opCopy
	opFill
	opSynchronize
	opSymbol
	opWriteConstant
	opReadConstant
	opStreamCreate
	opStreamDestroy
	opStreamQuery
	opStreamWait
	opEventCreate
	opEventDestroy
	opEventRecord
	opEventQuery
	opEventElapsed
	opAttributes
	opMemory
	opOccupancy
	opTexture
	opTextureDestroy
	opReset
	opPointer
	opNote
	opProfiler
	opLimit
	opCallback
	opCallbackDone
	opProgress
	opPeer
	opGoodbye
	opSleep
	operations
)

// request is one of a program's, with its numbers and what follows them.
type request struct {
	operation operation
	call      uint32 // the API function's number, 0 for none
	device    int
	a         [8]uint64
	payload   []byte
}

// response is what goes back.
type response struct {
	err    Error
	sticky bool
	// callback tells that this is no answer yet: the program calls back function r[0] with status r[1], and says opCallbackDone.
	callback bool
	r        [6]uint64
	data     []byte
	text     []byte // what kernels have printed
}

const (
	requestBytes = 16 + 8*8
	answerBytes  = 16 + 6*8
	// mostPayload bounds what one request may carry: a module's PTX, or a constant variable.
	mostPayload = 1 << 30
)

func readRequest(from io.Reader, head []byte) (*request, error) {
	if _, err := io.ReadFull(from, head[:requestBytes]); err != nil {
		return nil, err
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(head[4*i:]) }
	q := &request{operation: operation(word(0)), call: word(1), device: int(int32(word(2)))}
	for i := range q.a {
		q.a[i] = binary.LittleEndian.Uint64(head[16+8*i:])
	}
	n := word(3)
	if n > mostPayload {
		return nil, fmt.Errorf("a request of %d bytes", n)
	}
	if n > 0 {
		q.payload = make([]byte, n)
		if _, err := io.ReadFull(from, q.payload); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// bytes is the answer as it is sent.
func (a *response) bytes() []byte {
	out := make([]byte, answerBytes, answerBytes+len(a.data)+len(a.text))
	binary.LittleEndian.PutUint32(out, uint32(a.err))
	binary.LittleEndian.PutUint32(out[4:], uint32(len(a.data)))
	binary.LittleEndian.PutUint32(out[8:], uint32(len(a.text)))
	if a.sticky {
		out[12] = 1
	}
	if a.callback {
		out[12] = 2
	}
	for i, r := range a.r {
		binary.LittleEndian.PutUint64(out[16+8*i:], r)
	}
	return append(append(out, a.data...), a.text...)
}
