package configs

// HyperQ is the queues between the streams and the SMXs.
type HyperQ struct {
	// Queues is the number of hardware queues for grids: 32 with Hyper-Q.
	Queues int `yaml:"queues" unit:"queues" check:"min=1,max=32"`
	// Connections is how many queues streams use, in turn (CUDA_DEVICE_MAX_CONNECTIONS).
	Connections int `yaml:"connections" unit:"connections" check:"min=1,max=32"`
	// Grids is the most grids that run at once; others wait.
	Grids int `yaml:"grids" unit:"grids" check:"min=1,max=128"`
	// Priorities is the number of stream priorities.
	Priorities int `yaml:"priorities" unit:"levels" check:"min=1,max=8"`
	// Gap is the time from the end of a command to the next one in its stream.
	Gap float64 `yaml:"gap" unit:"us" check:"min=0,max=1000"`
	// Slice is how long one of several processes has the device; its grids are not interrupted.
	Slice float64 `yaml:"slice" unit:"us" check:"min=0,max=1000000"`
	// Switch is the time to give the device to another process.
	Switch float64 `yaml:"switch" unit:"us" check:"min=0,max=1000000"`
	// MPSClients is the most processes that share the device under MPS.
	MPSClients int `yaml:"mps_clients" unit:"processes" check:"min=1,max=64"`
}

// Copies is the rates and latencies of copies and memsets.
type Copies struct {
	// Engines is the number of copy engines; with two, copies go both ways at once.
	Engines int `yaml:"engines" unit:"engines" check:"min=1,max=2"`
	// ToDevice is the rate of copies from page-locked memory.
	ToDevice int `yaml:"to_device" unit:"MB/s" check:"min=1,max=100000"`
	// ToHost is the rate of copies to page-locked memory.
	ToHost int `yaml:"to_host" unit:"MB/s" check:"min=1,max=100000"`
	// PageableToDevice is the rate from pageable memory, copied piece by piece.
	PageableToDevice int `yaml:"pageable_to_device" unit:"MB/s" check:"min=1,max=100000"`
	// PageableToHost is the rate to pageable memory.
	PageableToHost int `yaml:"pageable_to_host" unit:"MB/s" check:"min=1,max=100000"`
	// CorePart is the part of a copy's time that scales with the core clock; the rest is the link's.
	CorePart float64 `yaml:"core_part" unit:"part" check:"min=0,max=0.9"`
	// Latency is the fixed time of a copy, whatever its size.
	Latency float64 `yaml:"latency" unit:"us" check:"min=0,max=1000"`
	// RowLatency is the extra time per row of a 2-D copy whose host pitch, but not device pitch, is above row_pitch.
	RowLatency float64 `yaml:"row_latency" unit:"us" check:"min=0,max=1000"`
	// RowPitch is the host pitch above which rows take row_latency.
	RowPitch int `yaml:"row_pitch" unit:"bytes" check:"min=1,max=1073741824"`
	// Peer is the rate between two devices; 0 without peer access.
	Peer int `yaml:"peer" unit:"MB/s" check:"min=0,max=100000"`
	// Within is the bandwidth of a copy within the device, as a part of the memory's peak.
	Within float64 `yaml:"within" unit:"part" check:"min=0.01,max=1"`
	// Set is the bandwidth of a memset, as a part of the memory's peak.
	Set float64 `yaml:"set" unit:"part" check:"min=0.01,max=1"`
	// SetLatency is the fixed time of a memset or a copy within the device.
	SetLatency float64 `yaml:"set_latency" unit:"us" check:"min=0,max=1000"`
	// MappedLatency is the fixed time of a read of mapped or peer memory.
	MappedLatency float64 `yaml:"mapped_latency" unit:"us" check:"min=0,max=1000"`
	// Outstanding is the most lines that an engine has in flight.
	Outstanding int `yaml:"outstanding" unit:"lines" check:"min=1,max=4096"`
}

// Host is the host's time for calls of CUDA's interface.
type Host struct {
	// Devices is the number of GPUs on the board.
	Devices int `yaml:"devices" unit:"devices" check:"min=1,max=4"`
	// Launch is the time of an asynchronous launch.
	Launch float64 `yaml:"launch" unit:"us" check:"min=0,max=1000"`
	// Copy is the time to start a copy or a memset.
	Copy float64 `yaml:"copy" unit:"us" check:"min=0,max=1000"`
	// Call is the time of any other call: an event, a wait, a callback.
	Call float64 `yaml:"call" unit:"us" check:"min=0,max=1000"`
	// Allocate is the time to allocate a MiB, besides a call.
	Allocate float64 `yaml:"allocate" unit:"us" check:"min=0,max=10000"`
	// Free is the time to free a MiB, besides a call.
	Free float64 `yaml:"free" unit:"us" check:"min=0,max=10000"`
	// Arrival is the time from a call's return until the device sees it.
	Arrival float64 `yaml:"arrival" unit:"us" check:"min=0,max=1000"`
	// Synchronize is the time from the end of the work until the host goes on.
	Synchronize float64 `yaml:"synchronize" unit:"us" check:"min=0,max=1000"`
	// Pageable is the largest copy from pageable memory that returns before it has ended.
	Pageable int `yaml:"pageable" unit:"bytes" check:"min=0,max=1073741824"`
}
