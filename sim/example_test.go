package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// y = 2 x + y for 1,024 elements, with the parameters packed by hand.
func ExampleGPU_Launch() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	source, err := os.ReadFile("../workloads/saxpy/saxpy.ptx")
	check(err)
	config, err := configs.Load("gk110", nil)
	check(err)
	gpu, err := sim.New(config, sim.Options{})
	check(err)
	module, err := gpu.Load("saxpy.ptx", source)
	check(err)
	x, err := gpu.Allocate("x", 4096)
	check(err)
	y, err := gpu.Allocate("y", 4096)
	check(err)
	check(gpu.Write(x, binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5))))

	// The kernel's parameter space: u32 n, f32 a, then two addresses.
	parameters := binary.LittleEndian.AppendUint32(nil, 1024)
	parameters = binary.LittleEndian.AppendUint32(parameters, math.Float32bits(2))
	parameters = binary.LittleEndian.AppendUint64(parameters, x)
	parameters = binary.LittleEndian.AppendUint64(parameters, y)
	launch, err := gpu.Launch(context.Background(), sim.Launch{
		Module: module, Kernel: "saxpy", Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}, Parameters: parameters,
	})
	check(err)

	result := make([]byte, 4)
	check(gpu.Read(y, result))
	fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(result)), launch.Total.WarpsLaunched, launch.Cycles > 1000,
		launch.Achieved() > 0)
	// Output: 3 32 true true
}

// y = 2 x + y, by saxpy<<<1, 32>>>(4, 2.0, x, y).
func ExampleGPU_Call() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	config, err := configs.Load("gk110", nil)
	check(err)
	gpu, err := sim.New(config, sim.Options{})
	check(err)
	ptx, err := os.ReadFile("../workloads/saxpy/saxpy.ptx")
	check(err)
	_, err = gpu.Load("saxpy.ptx", ptx)
	check(err)

	x, err := gpu.Upload("x", []float32{1, 2, 3, 4})
	check(err)
	y, err := gpu.Upload("y", []float32{10, 20, 30, 40})
	check(err)
	launch, err := gpu.Call("saxpy", [3]int{1}, [3]int{32}, 4, 2.0, x, y)
	check(err)

	result := make([]float32, 4)
	check(gpu.Download(y, result))
	fmt.Println(result, launch.Total.WarpsLaunched)
	// Output: [12 24 36 48] 1
}
