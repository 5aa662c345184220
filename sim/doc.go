// Package sim is keplersim's Go API: a GPU, modules of PTX loaded into it, device memory, and launches.
//
//	import (
//		"github.com/keplersim/keplersim/configs"
//		"github.com/keplersim/keplersim/sim"
//	)
//
//	config, err := configs.Load("gk110", nil)
//	gpu, err := sim.New(config, sim.Options{})
//	module, err := gpu.Load("saxpy.ptx", source)
//	x, err := gpu.Upload("x", []float32{1, 2, 3, 4})
//	y, err := gpu.Allocate("y", 16)
//	launch, err := gpu.Call("saxpy", [3]int{1}, [3]int{32}, 4, 2.0, x, y)
//
// The examples are whole programs. Use a Launch instead of Call for dynamic shared memory, streams, or the split of the caches.
//
// A launch runs in epochs. Within one, each SMX runs alone, on any host thread. Between two, the memory system takes the SMXs' requests in
// the order of (cycle, SMX, sequence), and the block distributor deals blocks. The same input gives the same bytes and counters for any
// number of threads.
package sim
