package machinecode

import (
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Variable is the environment variable that turns generated code off, whatever its value.
const Variable = "KEPLERSIM_INTERPRET"

// Supported reports whether code can run: the processor has AVX2, FMA and BMI, the operating system provides executable memory, and the
// environment does not turn it off. A program for other processors does not contain the code that depends on it.
func Supported() bool { return hostRuns && allowed() }

var allowed = sync.OnceValue(func() bool {
	if _, off := os.LookupEnv(Variable); off {
		return false
	}
	var a Assembler
	a.Return()
	_, err := Place(a.Finish())
	return err == nil
})

// Code is executable memory. The garbage collector frees it.
type Code struct {
	memory views
}

// Place copies an Assembler's finished code to executable memory.
func Place(code []byte) (*Code, error) {
	memory, err := place(code)
	if err != nil {
		return nil, err
	}
	c := &Code{memory}
	runtime.AddCleanup(c, release, memory)
	return c, nil
}

// Address returns the address of an offset, for jumps.
func (c *Code) Address(offset int) uintptr { return uintptr(unsafe.Pointer(&c.memory.run[offset])) }

// Call runs the code from an offset to its Return, with a pointer in DI. Meanwhile something other than the code must keep the pointer's
// target reachable. The code may change every register except SP, BP and R14.
func (c *Code) Call(offset int, argument unsafe.Pointer) {
	call(c.Address(offset), argument)
	runtime.KeepAlive(c)
}
