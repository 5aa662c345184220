// Package roofline computes how near a launch is to the ceilings of its chip (Williams, Waterman and Patterson 2009). These are the peak
// arithmetic, and the arithmetic that each level of memory allows at the launch's intensity.
package roofline

import (
	"github.com/keplersim/keplersim/sim/stats"
)

// Ceilings are a chip's peak rates by its configuration: floating-point operations per second, with a multiply-add as two, and bytes per
// second.
type Ceilings struct {
	Single float64 `json:"single_flops"`
	Double float64 `json:"double_flops"`
	Shared float64 `json:"shared_bytes_per_second"` // every bank of every SMX moves a word in each cycle
	L2     float64 `json:"l2_bytes_per_second"`     // every slice moves its width in each core cycle
	DRAM   float64 `json:"dram_bytes_per_second"`   // every channel transfers at the memory clock without losses
}

// Roofline is a launch, or several launches of one kernel, under the ceilings of its chip.
type Roofline struct {
	Ceilings Ceilings `json:"ceilings"`
	Seconds  float64  `json:"seconds"`
	// Single and Double are floating-point operations; Shared, L2 and DRAM are the bytes moved at each level.
	Single float64 `json:"single_flop"`
	Double float64 `json:"double_flop"`
	Shared float64 `json:"shared_bytes"`
	L2     float64 `json:"l2_bytes"`
	DRAM   float64 `json:"dram_bytes"`
}

// CeilingsOf returns the ceilings of a chip.
func CeilingsOf(c *stats.Chip) Ceilings {
	clock := 1e6 * float64(c.CoreMHz)
	return Ceilings{
		Single: 2 * float64(c.LanesFP32*c.SMXs) * clock,
		Double: 2 * float64(c.LanesFP64*c.SMXs) * clock,
		Shared: float64(c.SharedBytesPerPass*c.SMXs) * clock,
		L2:     float64(c.L2BytesPerCycle) * clock,
		DRAM:   c.DRAMBytesPerSecond,
	}
}

// Of returns a launch's roofline, nil if it was not timed.
func Of(l *stats.Launch) *Roofline {
	if l.Functional || l.TimeUS <= 0 {
		return nil
	}
	t, m := &l.Total, &l.Memory
	return &Roofline{
		Ceilings: CeilingsOf(&l.Chip), Seconds: l.TimeUS / 1e6,
		Single: value(l, "flop_count_sp"), Double: value(l, "flop_count_dp"),
		Shared: float64(t.SharedLoad.Transactions+t.SharedStore.Transactions) * float64(l.Chip.SharedBytesPerPass),
		L2:     stats.SectorBytes * float64(m.L2ReadSectors+m.L2WriteSectors+m.L2AtomicSectors),
		DRAM:   stats.SectorBytes * float64(m.DRAMReadSectors+m.DRAMWriteSectors+m.ECCReadSectors+m.ECCWriteSectors),
	}
}

// value returns a metric by name. It panics if there is no such metric.
func value(l *stats.Launch, name string) float64 {
	d, ok := stats.Find(name)
	if !ok {
		panic("roofline: no metric " + name)
	}
	return d.Value(l)
}

// Add adds another launch's work and time. The ceilings stay.
func (r *Roofline) Add(o *Roofline) {
	r.Seconds += o.Seconds
	r.Single += o.Single
	r.Double += o.Double
	r.Shared += o.Shared
	r.L2 += o.L2
	r.DRAM += o.DRAM
}

// Precision is one kind of arithmetic of a launch.
type Precision struct {
	Name string  // single or double
	Flop float64 // operations of the launch
	Peak float64 // operations per second, at most
}

// Precisions returns the kinds of arithmetic that the launch has.
func (r *Roofline) Precisions() []Precision {
	var all []Precision
	for _, p := range []Precision{{"single", r.Single, r.Ceilings.Single}, {"double", r.Double, r.Ceilings.Double}} {
		if p.Flop > 0 {
			all = append(all, p)
		}
	}
	return all
}

// Rate returns the operations per second that the launch reached.
func (p Precision) Rate(r *Roofline) float64 { return ratio(p.Flop, r.Seconds) }

// Level is a level of memory.
type Level struct {
	Name      string
	Bytes     float64 // moved by the launch
	Bandwidth float64 // bytes per second, at most
}

// Levels returns the levels of memory that the launch used, the nearest to the SMXs first.
func (r *Roofline) Levels() []Level {
	var all []Level
	for _, l := range []Level{
		{"shared memory", r.Shared, r.Ceilings.Shared}, {"L2", r.L2, r.Ceilings.L2}, {"DRAM", r.DRAM, r.Ceilings.DRAM},
	} {
		if l.Bytes > 0 {
			all = append(all, l)
		}
	}
	return all
}

// Intensity returns a kind of arithmetic's operations per byte moved at the level.
func (l Level) Intensity(p Precision) float64 { return ratio(p.Flop, l.Bytes) }

// Allows returns the operations per second that the level and the arithmetic allow at the launch's intensity.
func (l Level) Allows(p Precision) float64 { return min(p.Peak, l.Intensity(p)*l.Bandwidth) }

// Reached returns the part of the level's bandwidth that the launch used, 0 to 1.
func (l Level) Reached(r *Roofline) float64 { return ratio(ratio(l.Bytes, r.Seconds), l.Bandwidth) }

// Nearest returns the ceiling that the launch is nearest to, with the part of it that it reached, 0 to 1: a level of memory or a
// precision's arithmetic. The name is empty if the launch used none.
func (r *Roofline) Nearest() (name string, reached float64) {
	for _, l := range r.Levels() {
		if part := l.Reached(r); part > reached {
			name, reached = l.Name, part
		}
	}
	for _, p := range r.Precisions() {
		if part := ratio(p.Rate(r), p.Peak); part > reached {
			name, reached = p.Name+" precision", part
		}
	}
	return name, reached
}

// ratio returns a quotient, 0 if the divisor is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Series is one colour of a picture: a kernel on a chip.
type Series struct {
	Name string // of the kernel, with what distinguishes it from others
	Chip string
	*Roofline
}

// Picture is the content of a drawing of rooflines.
type Picture struct {
	Title  string
	Series []Series
}
