package validation

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

//go:embed kernels.csv
var kernelTable []byte

//go:embed kernels/*.ptx
var kernelFiles embed.FS

// cards maps the cards in kernels.csv to configurations.
var cards = map[string]string{"GTX 680": "gtx680", "Tesla K40c": "k40"}

// kernelSource is the citation for kernels.csv.
const kernelSource = "measured: counters of a GTX 680 and a Tesla K40c (ECC on), nvcc -O3"

// kernelTolerance is the largest error of a kernel's cycles that counts as met, in percent.
const kernelTolerance = 20

// kernelRow is one line of kernels.csv. Counters are summed over SMXs.
type kernelRow struct {
	kernel      string
	n           int
	grid, block [3]int
	values      map[string]float64 // by column
}

// kernelRows returns the rows of kernels.csv.
func kernelRows() ([]*Row, error) {
	records, err := csv.NewReader(bytes.NewReader(kernelTable)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("kernels.csv: %w", err)
	}
	header := records[0]
	var rows []*Row
	for line, record := range records[1:] {
		k := &kernelRow{values: map[string]float64{}}
		text := map[string]string{}
		for i, column := range header {
			text[column] = record[i]
			if v, err := strconv.ParseFloat(record[i], 64); err == nil {
				k.values[column] = v
			}
		}
		card, ok := cards[text["card"]]
		if !ok {
			return nil, fmt.Errorf("kernels.csv, line %d: unknown card %q", line+2, text["card"])
		}
		k.kernel, k.n = text["kernel"], int(k.values["n"])
		k.grid = [3]int{int(k.values["grid_x"]), int(k.values["grid_y"]), 1}
		k.block = [3]int{int(k.values["block_x"]), int(k.values["block_y"]), 1}
		block := k.blocks()
		rows = append(rows, &Row{
			Name:   fmt.Sprintf("kernels/%s/n=%d/block=%s@%s", k.kernel, k.n, block, card),
			Title:  fmt.Sprintf("%s, n = %d, blocks of %s", k.kernel, k.n, block),
			Config: card, Unit: "cycles", Tolerance: kernelTolerance, Source: kernelSource, kernel: k,
			Quick: k.values["warp_instructions"] < quickKernel,
		})
	}
	return rows, nil
}

// quickKernel is the most warp instructions of a kernel in the fast subset.
const quickKernel = 80_000

// Work is the number of warp instructions on the real card; 0 for a row without a kernel.
func (r *Row) Work() uint64 {
	if r.kernel == nil {
		return 0
	}
	return uint64(r.kernel.values["warp_instructions"])
}

// Launch returns a kernel row's program and work. The point is how it differs from rows with the same work: by block size, and by the use
// of shared memory. It returns false for other rows.
func (r *Row) Launch() (program, work string, point map[string]string, ok bool) {
	if r.kernel == nil {
		return "", "", nil, false
	}
	program, staged := strings.CutSuffix(r.kernel.kernel, "_sharedmem")
	point = map[string]string{"block": r.kernel.blocks()}
	if staged {
		point["layout"] = "shared"
	}
	return program, fmt.Sprintf("n=%d@%s", r.kernel.n, r.Config), point, true
}

// blocks is the size of the kernel's blocks.
func (k *kernelRow) blocks() string {
	if k.block[1] > 1 {
		return fmt.Sprintf("%dx%d", k.block[0], k.block[1])
	}
	return fmt.Sprint(k.block[0])
}

// file is the name of the kernel's PTX.
func (k *kernelRow) file() string {
	if k.kernel == "matMul_gpu_sharedmem" {
		return fmt.Sprintf("%s-%d", k.kernel, k.block[0])
	}
	return k.kernel
}

// bytes is the size of one of the kernel's arrays.
func (k *kernelRow) bytes() int {
	if k.kernel == "vectorAdd" {
		return 4 * k.n
	}
	return 4 * k.n * k.n
}

// run launches the kernel as in the measurement.
func (k *kernelRow) run(ctx context.Context, b *bench) (*stats.Launch, error) {
	module, err := b.loadFile(k.file())
	if err != nil {
		return nil, err
	}
	arrays, err := b.arrays(k.bytes(), k.bytes(), k.bytes())
	if err != nil {
		return nil, err
	}
	values := make([]byte, 0, k.bytes())
	for i := range k.bytes() / 4 {
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(i%7)))
	}
	for _, input := range arrays[:2] {
		if err := b.gpu.Write(input, values); err != nil {
			return nil, err
		}
	}
	return b.launch(ctx, module, k.kernel, k.grid, k.block, arrays, uint32(k.n))
}

// counter is a quantity to compare: its name, and how to compute it for the card and for the simulator.
type counter struct {
	name, unit string
	// isPercentagePoints marks a share. Its error is a difference in percentage points.
	isPercentagePoints bool
	theirs, ours       func(k *kernelRow, l *stats.Launch) float64
}

// counters are compared for every kernel. The first is the row's main figure.
var counters = []counter{
	{name: "cycles", unit: "cycles", theirs: func(k *kernelRow, l *stats.Launch) float64 {
		return k.values["elapsed_cycles_all_sms"] / float64(len(l.SMXs))
	}, ours: func(_ *kernelRow, l *stats.Launch) float64 { return float64(l.Cycles) }},
	{name: "inst_executed", unit: "warp instructions", theirs: column("warp_instructions"),
		ours: func(_ *kernelRow, l *stats.Launch) float64 {
			return float64(l.Total.InstExecuted)
		}},
	{name: "inst_issued2 share", unit: "%", isPercentagePoints: true, theirs: func(k *kernelRow, _ *stats.Launch) float64 {
		return share(k.values["issued_dual"], k.values["issued_single"])
	}, ours: func(_ *kernelRow, l *stats.Launch) float64 {
		return share(float64(l.Total.IssuedDual), float64(l.Total.IssuedSingle))
	}},
	{name: "issue slots", unit: "operations", theirs: func(k *kernelRow, _ *stats.Launch) float64 {
		return k.values["issued_single"] + 2*k.values["issued_dual"]
	}, ours: func(_ *kernelRow, l *stats.Launch) float64 { return float64(l.Total.InstIssued) }},
	{name: "achieved occupancy", unit: "%", isPercentagePoints: true, theirs: func(k *kernelRow, _ *stats.Launch) float64 {
		return 100 * k.values["achieved_occupancy"]
	}, ours: func(_ *kernelRow, l *stats.Launch) float64 { return 100 * l.Achieved() }},
	{name: "l2_read_sectors", unit: "sectors", theirs: column("l2_read_sectors"), ours: func(_ *kernelRow, l *stats.Launch) float64 {
		return float64(l.Memory.L2ReadSectors)
	}},
	{name: "dram_read_sectors", unit: "sectors", theirs: column("dram_read_sectors"), ours: dramReadSectors},
	{name: "dram_write_sectors", unit: "sectors", theirs: column("dram_write_sectors"), ours: dramWriteSectors},
	{name: "registers", unit: "a thread", theirs: column("registers"), ours: func(_ *kernelRow, l *stats.Launch) float64 {
		return float64(l.Registers)
	}},
}

func column(name string) func(*kernelRow, *stats.Launch) float64 {
	return func(k *kernelRow, _ *stats.Launch) float64 { return k.values[name] }
}

// share is a as a percentage of a + b.
func share(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 100 * a / (a + b)
}

// dramReadSectors includes the check bits, as the cards do: with ECC they read a sixth more than the data.
func dramReadSectors(_ *kernelRow, l *stats.Launch) float64 {
	return float64(l.Memory.DRAMReadSectors + l.Memory.ECCReadSectors)
}

// dramWriteSectors includes the check bits.
func dramWriteSectors(_ *kernelRow, l *stats.Launch) float64 {
	return float64(l.Memory.DRAMWriteSectors + l.Memory.ECCWriteSectors)
}
