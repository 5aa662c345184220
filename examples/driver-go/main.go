// A Go program that computes a*x + y + 0.5 with CUDA's driver API, through a public binding. It does not know keplersim. docs/programs.md,
// "The driver API", says how to build and run it.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"log"
	"runtime"
	"strings"
	"unsafe"

	"gorgonia.org/cu"
)

// The kernel calls a function in another PTX file.
var (
	//go:embed saxpy.ptx
	kernel string
	//go:embed shift.ptx
	functions string
)

const (
	n        = 10_000
	block    = 256
	distance = 3 // between values of x
)

func main() {
	log.SetFlags(0)
	runtime.LockOSThread() // a context belongs to a thread
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	device, err := cu.GetDevice(0)
	if err != nil {
		return fmt.Errorf("device 0: %w", err)
	}
	name, err := device.Name()
	if err != nil {
		return fmt.Errorf("name: %w", err)
	}
	major, minor, err := device.ComputeCapability()
	if err != nil {
		return fmt.Errorf("compute capability: %w", err)
	}
	context, err := device.MakeContext(cu.SchedAuto)
	if err != nil {
		return fmt.Errorf("context: %w", err)
	}
	defer func() { _ = context.Destroy() }()

	buffer := make([]byte, 400)
	_, refused := cu.LoadDataEx(".version 4.0\n.target sm_30\nnonsense\n\x00", &cu.JITErrorLogBuffer{Buffer: buffer})
	fmt.Printf("%s %d.%d\nwrong PTX: %v, %s\n", name, major, minor, refused, firstLine(buffer))

	module, err := link()
	if err != nil {
		return fmt.Errorf("link: %w", err)
	}
	function, err := module.Function("saxpy")
	if err != nil {
		return fmt.Errorf("saxpy: %w", err)
	}
	_, missing := module.Function("daxpy")
	fmt.Println("no such kernel:", missing)
	return compute(module, function)
}

// link links two PTX files to a module.
func link() (m cu.Module, err error) {
	state, err := cu.NewLink()
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, state.Destroy()) }()
	if err = state.AddData(cu.JITInputPTX, kernel, "saxpy.ptx"); err != nil {
		return m, err
	}
	if _, undefined := state.Complete(); undefined != nil {
		fmt.Println("half of it:", undefined)
	}
	if err = state.AddData(cu.JITInputPTX, functions, "shift.ptx"); err != nil {
		return m, err
	}
	image, err := state.Complete()
	if err != nil {
		return m, err
	}
	return cu.LoadData(image)
}

// compute runs the kernel in a stream between two events and compares its results with the host's.
func compute(module cu.Module, function cu.Function) error {
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i*distance), 1
	}
	const bytes = 4 * n
	var failed []error
	check := func(err error) { failed = append(failed, err) }
	onDevice := func(from []float32) cu.DevicePtr {
		p, err := cu.MemAlloc(bytes)
		check(err)
		check(cu.MemcpyHtoD(p, unsafe.Pointer(&from[0]), bytes))
		return p
	}
	dx, dy := onDevice(x), onDevice(y)
	stream, err := cu.MakeStream(cu.NonBlocking)
	check(err)
	start, err := cu.MakeEvent(cu.DefaultEvent)
	check(err)
	stop, err := cu.MakeEvent(cu.DefaultEvent)
	check(err)
	a, count := float32(2), uint32(n)
	arguments := []unsafe.Pointer{unsafe.Pointer(&dx), unsafe.Pointer(&dy), unsafe.Pointer(&a), unsafe.Pointer(&count)}
	fmt.Println("2048 threads a block:", function.Launch(1, 1, 1, 2048, 1, 1, 0, stream, arguments))
	check(start.Record(stream))
	check(function.Launch((n+block-1)/block, 1, 1, block, 1, 1, 0, stream, arguments))
	check(stop.Record(stream))
	check(stop.Synchronize())
	milliseconds, err := start.Elapsed(stop)
	check(err)
	check(cu.MemcpyDtoH(unsafe.Pointer(&y[0]), dy, bytes))
	where, _, err := module.Global("threads")
	check(err)
	var threads uint32
	check(cu.MemcpyDtoH(unsafe.Pointer(&threads), where, 4))
	check(cu.MemFree(dx))
	check(cu.MemFree(dy))
	if err := errors.Join(failed...); err != nil {
		return err
	}
	wrong := 0
	for i := range y {
		if y[i] != 2*x[i]+1.5 {
			wrong++
		}
	}
	fmt.Printf("%d threads, %d of %d values wrong, time taken: %t\n", threads, wrong, n, milliseconds > 0)
	return nil
}

// firstLine is the beginning of a log that ends with a zero byte.
func firstLine(log []byte) string {
	text, _, _ := strings.Cut(string(log), "\x00")
	line, _, _ := strings.Cut(text, "\n")
	return line
}
