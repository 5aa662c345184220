package machinecode

import (
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Variable is the name of the environment variable that turns generated code off, whatever its value.
const Variable = "KEPLERSIM_INTERPRET"

// Supported reports whether code can be called: the host's processor has AVX2, FMA and BMI, its operating system gives
// executable memory, and the environment does not turn it off. A program for other processors leaves out what only such code needs.
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

// Code is executable memory. It goes when nobody holds it any more.
type Code struct {
	memory []byte
}

// Place copies what an Assembler has finished to executable memory.
func Place(code []byte) (*Code, error) {
	memory, err := executable(code)
	if err != nil {
		return nil, err
	}
	c := &Code{memory}
	runtime.AddCleanup(c, release, memory)
	return c, nil
}

// Address is where an offset lies, for jumps.
func (c *Code) Address(offset int) uintptr { return uintptr(unsafe.Pointer(&c.memory[offset])) }

// Call runs the code from an offset to its Return, with a pointer in DI. What the pointer leads to must stay reachable
// meanwhile by other ways than through the code. The code may change every register but SP, BP and R14.
func (c *Code) Call(offset int, argument unsafe.Pointer) {
	call(c.Address(offset), argument)
	runtime.KeepAlive(c)
}
