package configs

// HyperQ is what stands between the streams and the SMXs.
type HyperQ struct {
	// Queues is the number of hardware queues for grids: 1 where all streams share one, 32 with Hyper-Q.
	Queues int `yaml:"queues" unit:"queues" check:"min=1,max=32"`
	// Connections is how many of them streams map to, in turn (CUDA_DEVICE_MAX_CONNECTIONS); no more than there are.
	Connections int `yaml:"connections" unit:"connections" check:"min=1,max=32"`
	// Grids is the number of grids that run at once, at most; others wait in the grid management unit.
	Grids int `yaml:"grids" unit:"grids" check:"min=1,max=128"`
	// Priorities is the number of priorities that streams can have.
	Priorities int `yaml:"priorities" unit:"levels" check:"min=1,max=8"`
	// Gap is from the end of a command to the start of the one behind it in its stream.
	Gap float64 `yaml:"gap" unit:"us" check:"min=0,max=1000"`
	// Slice is how long one of several processes has the device while others want it; its grids are not interrupted.
	Slice float64 `yaml:"slice" unit:"us" check:"min=0,max=1000000"`
	// Switch is what it takes to give the device to another process.
	Switch float64 `yaml:"switch" unit:"us" check:"min=0,max=1000000"`
	// MPSClients is the number of processes that can share the device under MPS.
	MPSClients int `yaml:"mps_clients" unit:"processes" check:"min=1,max=64"`
}

// Copies is how memory is copied.
type Copies struct {
	// Engines is the number of copy engines: with two, copies to the device and back go at once.
	Engines int `yaml:"engines" unit:"engines" check:"min=1,max=2"`
	// ToDevice is the rate of the board's link for copies from page-locked memory.
	ToDevice int `yaml:"to_device" unit:"MB/s" check:"min=1,max=100000"`
	// ToHost is the same for copies to page-locked memory.
	ToHost int `yaml:"to_host" unit:"MB/s" check:"min=1,max=100000"`
	// PageableToDevice is the rate for copies from pageable memory, which the driver copies to page-locked memory piece by piece.
	PageableToDevice int `yaml:"pageable_to_device" unit:"MB/s" check:"min=1,max=100000"`
	// PageableToHost is the same for copies to pageable memory.
	PageableToHost int `yaml:"pageable_to_host" unit:"MB/s" check:"min=1,max=100000"`
	// CorePart is the part of such a copy's time that goes with the core clock, at the board's base clock; the rest is the link's.
	CorePart float64 `yaml:"core_part" unit:"part" check:"min=0,max=0.9"`
	// Latency is what a copy over the link takes besides its bytes.
	Latency float64 `yaml:"latency" unit:"us" check:"min=0,max=1000"`
	// RowLatency is what each row of a 2-D copy takes besides where the host's pitch is above RowPitch and the device's is not.
	RowLatency float64 `yaml:"row_latency" unit:"us" check:"min=0,max=1000"`
	// RowPitch is the pitch of the host's rows above which they take RowLatency each.
	RowPitch int `yaml:"row_pitch" unit:"bytes" check:"min=1,max=1073741824"`
	// Peer is the rate between the two devices of a board, or of two boards that reach each other; 0 where there is no peer access.
	Peer int `yaml:"peer" unit:"MB/s" check:"min=0,max=100000"`
	// Within is the part of the memory's peak rate that a copy within the device reads and writes together.
	Within float64 `yaml:"within" unit:"part" check:"min=0.01,max=1"`
	// Set is the part of the memory's peak rate that a memset writes.
	Set float64 `yaml:"set" unit:"part" check:"min=0.01,max=1"`
	// SetLatency is what a memset, or a copy within the device, takes besides its bytes.
	SetLatency float64 `yaml:"set_latency" unit:"us" check:"min=0,max=1000"`
	// MappedLatency is what a kernel's read of mapped memory, or of a peer's, takes on its way over the link and back, besides its bytes.
	MappedLatency float64 `yaml:"mapped_latency" unit:"us" check:"min=0,max=1000"`
	// Outstanding is the number of lines that an engine has in flight in the device's memory, at most.
	Outstanding int `yaml:"outstanding" unit:"lines" check:"min=1,max=4096"`
}

// Host is what calls of CUDA's interface take of the host's time.
type Host struct {
	// Devices is the number of such devices on the board.
	Devices int `yaml:"devices" unit:"devices" check:"min=1,max=4"`
	// Launch is an asynchronous launch of a kernel.
	Launch float64 `yaml:"launch" unit:"us" check:"min=0,max=1000"`
	// Copy is the start of a copy or a memset.
	Copy float64 `yaml:"copy" unit:"us" check:"min=0,max=1000"`
	// Call is any other call: an event's record, a wait, a callback.
	Call float64 `yaml:"call" unit:"us" check:"min=0,max=1000"`
	// Allocate is what an allocation takes for each MiB, besides a call.
	Allocate float64 `yaml:"allocate" unit:"us" check:"min=0,max=10000"`
	// Free is the same for giving memory back.
	Free float64 `yaml:"free" unit:"us" check:"min=0,max=10000"`
	// Arrival is from a call's return until the device sees what it asked for.
	Arrival float64 `yaml:"arrival" unit:"us" check:"min=0,max=1000"`
	// Synchronize is from the end of what the host waits for until it goes on.
	Synchronize float64 `yaml:"synchronize" unit:"us" check:"min=0,max=1000"`
	// Pageable is the size up to which a copy to the device from pageable memory returns before it has ended.
	Pageable int `yaml:"pageable" unit:"bytes" check:"min=0,max=1073741824"`
}
