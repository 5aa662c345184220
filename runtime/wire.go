package runtime

import (
	"encoding/binary"
	"fmt"
	"io"
)

// operation is a request's kind, in the order of native/wire.h.
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

// request is a request of the program: numbers and a payload.
type request struct {
	operation operation
	call      uint32 // the API function's number, 0 for none
	device    int
	a         [8]uint64
	payload   []byte
}

// response is the answer.
type response struct {
	err    Error
	sticky bool
	// callback means that the answer comes later: the program first calls function r[0] with status r[1] and sends opCallbackDone.
	callback bool
	r        [6]uint64
	data     []byte
	text     []byte // output of kernels
}

const (
	requestBytes = 16 + 8*8
	answerBytes  = 16 + 6*8
	// mostPayload bounds a request's payload, in bytes: a module's PTX, or a constant variable.
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

// bytes is the answer in wire format.
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
