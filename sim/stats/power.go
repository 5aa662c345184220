package stats

import "github.com/keplersim/keplersim/configs"

// Activity counts events that take energy, since a device was switched on or in a part of a run.
type Activity struct {
	Instructions                       uint64 // warp instructions issued, replays counted
	AddFP32, MulFP32, FMAFP32, Special uint64 // lanes
	AddFP64, MulFP64, FMAFP64          uint64
	Integer, Other                     uint64
	Registers                          uint64 // 32-bit registers read and written, by lane
	SharedPasses, L1Accesses           uint64
	L2Sectors, CrossbarBytes           uint64
	DRAMBytes, Activates               uint64
}

// fields returns the counters in the order of the struct.
func (a *Activity) fields() []*uint64 {
	return []*uint64{
		&a.Instructions, &a.AddFP32, &a.MulFP32, &a.FMAFP32, &a.Special, &a.AddFP64, &a.MulFP64, &a.FMAFP64, &a.Integer, &a.Other,
		&a.Registers, &a.SharedPasses, &a.L1Accesses, &a.L2Sectors, &a.CrossbarBytes, &a.DRAMBytes, &a.Activates,
	}
}

// Add adds another's counters.
func (a *Activity) Add(other *Activity) {
	theirs := other.fields()
	for i, f := range a.fields() {
		*f += *theirs[i]
	}
}

// Since returns the increase since an earlier reading.
func (a *Activity) Since(before *Activity) Activity {
	result := *a
	theirs := before.fields()
	for i, f := range result.fields() {
		*f -= *theirs[i]
	}
	return result
}

// Scaled returns the activity times a factor, each counter rounded.
func (a *Activity) Scaled(factor float64) Activity {
	result := *a
	for _, f := range result.fields() {
		*f = uint64(float64(*f)*factor + 0.5)
	}
	return result
}

// AddSMX adds the activity of an SMX.
func (a *Activity) AddSMX(s *SMX) {
	a.Instructions += s.InstIssued
	a.AddFP32 += s.FlopAdd32
	a.MulFP32 += s.FlopMul32
	a.FMAFP32 += s.FlopFMA32
	a.Special += s.FlopSpecial32
	a.AddFP64 += s.FlopAdd64
	a.MulFP64 += s.FlopMul64
	a.FMAFP64 += s.FlopFMA64
	a.Integer += s.IntegerLanes + s.BitLanes + s.ConvertLanes
	a.Other += s.ControlLanes + s.MemoryLanes + s.MiscLanes + s.ExchangeLanes
	a.Registers += s.RegisterAccesses
	a.SharedPasses += s.SharedLoad.Transactions + s.SharedStore.Transactions + s.SharedAtomics.Transactions
	a.L1Accesses += s.L1Local.Accesses + s.L1Global.Accesses + s.ReadOnly.Accesses + s.TextureCache.Accesses
}

// AddMemory adds the activity of the memory system.
func (a *Activity) AddMemory(m *Memory, config *configs.Config) {
	sectors := m.L2ReadSectors + m.L2WriteSectors + m.L2AtomicSectors
	a.L2Sectors += sectors
	a.CrossbarBytes += (m.Requests+m.Responses)*uint64(config.Interconnect.HeaderBytes) + sectors*SectorBytes
	a.DRAMBytes += (m.DRAMReadSectors + m.DRAMWriteSectors + m.ECCReadSectors + m.ECCWriteSectors) * SectorBytes
	a.Activates += m.DRAMActivates
}

// PowerComponent is a part of a board that takes power.
type PowerComponent uint8

// The components, in the order of reports.
const (
	PowerInstructions PowerComponent = iota
	PowerFP32
	PowerFP64
	PowerInteger
	PowerRegisters
	PowerShared
	PowerL1
	PowerL2
	PowerCrossbar
	PowerDRAM
	PowerMemory
	PowerClockTree
	PowerLeakage
	PowerBoard
	PowerComponents
)

// powerNames has the names in reports and in JSON.
var powerNames = [PowerComponents][2]string{
	{"instruction issue", "instructions"}, {"f32 arithmetic", "fp32"}, {"f64 arithmetic", "fp64"}, {"integer and other operations",
		"integer"},
	{"register file", "registers"}, {"shared memory", "shared_memory"}, {"L1, read-only and texture caches", "l1"}, {"L2", "l2"},
	{"crossbar", "crossbar"},
	{"DRAM accesses", "dram"}, {"memory at rest", "memory_background"}, {"clock tree", "clock_tree"}, {"leakage", "leakage"}, {"board",
		"board"},
}

// String returns the component's name in reports.
func (c PowerComponent) String() string { return powerNames[c][0] }

// Key returns the component's name in JSON.
func (c PowerComponent) Key() string { return powerNames[c][1] }

// ThrottleReason is a reason why a board's clock is not higher; several can hold at once.
type ThrottleReason uint8

// The reasons of nvidia-smi.
const (
	ThrottleApplicationClocks ThrottleReason = 1 << iota
	ThrottlePowerCap
	ThrottleThermal
	ThrottleHardware
)

// throttleNames are nvidia-smi's words, by bit.
var throttleNames = [...]string{"Applications Clocks Setting", "SW Power Cap", "SW Thermal Slowdown", "HW Slowdown"}

// Names returns nvidia-smi's words for the reasons that hold.
func (r ThrottleReason) Names() (list []string) {
	for bit, name := range throttleNames {
		if r>>bit&1 != 0 {
			list = append(list, name)
		}
	}
	return list
}

// ThrottleReasons returns all reasons.
func ThrottleReasons() (list []ThrottleReason) {
	for bit := range throttleNames {
		list = append(list, 1<<bit)
	}
	return list
}

// PowerSample is a board's state over a piece of a run.
type PowerSample struct {
	Start, End  float64                  // microseconds from the start of the run
	Watts       [PowerComponents]float64 // mean, by component
	MHz         float64                  // time-weighted core clock
	Temperature float64                  // degrees Celsius at the end
	Reasons     ThrottleReason           // reasons that held at any time
}

// Total returns the sample's power.
func (s *PowerSample) Total() (watts float64) {
	for _, w := range s.Watts {
		watts += w
	}
	return watts
}

// Power is the energy and power of a board over a run or a launch.
type Power struct {
	Seconds     float64
	Joules      [PowerComponents]float64
	Peak        float64 // watts, of the samples
	MHz         float64 // time-weighted core clock
	Lowest      int     // core clock, MHz
	Highest     int
	Limit       float64 // watts
	Temperature float64 // degrees Celsius at the end
	// Throttled is the time in seconds in which each reason held, in the order of ThrottleReasons.
	Throttled [len(throttleNames)]float64
	// Samples are the board's state over time; nil for a launch.
	Samples []PowerSample
}

// Energy returns the sum over components, in joules.
func (p *Power) Energy() (joules float64) {
	for _, j := range p.Joules {
		joules += j
	}
	return joules
}

// Average returns the mean power in watts.
func (p *Power) Average() float64 { return ratio(p.Energy(), p.Seconds) }
