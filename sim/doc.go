// Package sim is keplersim's Go API: a GPU, modules of PTX loaded into it, device memory, and launches.
//
//	config, err := configs.Load("gk110", nil)
//	gpu, err := sim.New(config, sim.Options{})
//	module, err := gpu.Load("saxpy.ptx", source)
//	x, err := gpu.Allocate("x", 4096)
//	launch, err := gpu.Launch(ctx, sim.Launch{Module: module, Kernel: "saxpy", Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}, Parameters: parameters})
//
// A launch runs in epochs: within one, each SMX runs alone, on any host thread; between two, the memory system takes what
// they asked for in the order of (cycle, SMX, sequence), and the block distributor deals out blocks. The same input gives
// the same bytes and counters for any number of threads.
package sim
