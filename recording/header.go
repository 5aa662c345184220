package recording

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Version is the version of the format that this package writes. It reads no other.
const Version = 1

// Header describes a recording and its run.
type Header struct {
	Workload string `json:"workload"`
	Config   string `json:"config"`
	// ConfigHash is the hash of the configuration's values, Program the version and commit of keplersim.
	ConfigHash string   `json:"config_hash,omitempty"`
	Program    string   `json:"keplersim,omitempty"`
	Overrides  []string `json:"overrides,omitempty"`
	// Chip describes the chip, as in reports.
	Chip stats.Chip `json:"chip"`
	// Window are the recorded cycles of each grid, counted from its start: From to before To; a To of 0 is the grid's end.
	Window Window `json:"window"`
	// SMXs are the recorded SMXs; empty means all.
	SMXs []int `json:"smxs,omitempty"`
	// Truncated means that the recording reached its limit: the last cycles of an SMX or of the memory are missing.
	Truncated bool `json:"truncated,omitempty"`
	// Stalls are the names of the stall reasons, by number.
	Stalls  []string `json:"stalls"`
	Kernels []Kernel `json:"kernels"`
	Grids   []Grid   `json:"grids"`
	// Timeline has intervals on the host's clock: commands, calls, and the times at which SMXs had blocks of a grid.
	Timeline []stats.Interval `json:"timeline,omitempty"`
}

// Window is a span of cycles.
type Window struct {
	From engine.Cycle `json:"from"`
	To   engine.Cycle `json:"to,omitempty"`
}

// Kernel is a lowered program.
type Kernel struct {
	Symbol    string      `json:"symbol"`
	Name      string      `json:"name"` // for display
	Registers int         `json:"registers"`
	Shared    int         `json:"shared_bytes"` // static, bytes a block
	Ops       []Operation `json:"operations"`
}

// Operation is one machine operation.
type Operation struct {
	Text     string `json:"text"`     // as a disassembler prints it
	Mnemonic string `json:"mnemonic"` // its first word
	Class    string `json:"class"`
	Unit     string `json:"unit"` // the SMX's unit that executes it
	Latency  int    `json:"latency"`
	// PTXFile and PTXLine are its place in PTX; File and Line are its place in the source, or the same if that is unknown.
	PTXFile string `json:"ptx_file,omitempty"`
	PTXLine int    `json:"ptx_line,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	// Function contains the line. Calls are the inlined calls, innermost first.
	Function string        `json:"function,omitempty"`
	Calls    []stats.Place `json:"calls,omitempty"`
	// Pair means that the compiler marked it and the next operation as able to issue together.
	Pair bool `json:"pair,omitempty"`
	// Banks are the register file banks of the registers read. Conflict is the delay of the issue slot by bank conflicts, in cycles.
	Banks    []int   `json:"banks,omitempty"`
	Conflict float64 `json:"conflict,omitempty"`
	// Predicates means that it writes predicates or the carry.
	Predicates bool `json:"predicates,omitempty"`
	// Reads and Writes are register numbers.
	Reads  []int `json:"reads,omitempty"`
	Writes []int `json:"writes,omitempty"`
}

// Grid is one launch.
type Grid struct {
	Kernel int    `json:"kernel"` // index in Header.Kernels
	ID     uint64 `json:"id"`
	// Parent is the ID of the grid whose kernel launched it, nil if the host did.
	Parent  *uint64   `json:"parent,omitempty"`
	Device  int       `json:"device,omitempty"`
	Stream  int       `json:"stream,omitempty"`
	Dim     [3]uint32 `json:"grid"`
	Threads [3]uint32 `json:"block"`
	// BankMode is the word width of shared memory's banks, in bytes; 0 in old recordings.
	BankMode int `json:"bank_mode,omitempty"`
	// Start is the cycle in which the device received it; End is the cycle in which its last block or request ended.
	Start engine.Cycle `json:"start"`
	End   engine.Cycle `json:"end"`
	// Cycles, StartUS and EndUS are those of the launch's report, with the launch's own overhead.
	Cycles  uint64  `json:"cycles,omitempty"`
	StartUS float64 `json:"start_us"`
	EndUS   float64 `json:"end_us"`
	// FirstUS and LastUS are the times of Start and End.
	FirstUS float64 `json:"first_us"`
	LastUS  float64 `json:"last_us"`
	// Samples are its counters over time.
	Samples []stats.Sample `json:"samples,omitempty"`
}

// Blocks is the number of blocks of the grid.
func (g *Grid) Blocks() uint64 { return uint64(g.Dim[0]) * uint64(g.Dim[1]) * uint64(g.Dim[2]) }

// BlockAt returns the coordinates of a block by its number in x, y, z order, from 0.
func (g *Grid) BlockAt(number uint64) [3]uint32 {
	x, y := uint64(g.Dim[0]), uint64(g.Dim[1])
	return [3]uint32{uint32(number % x), uint32(number / x % y), uint32(number / (x * y))}
}
