package occupancy

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/keplersim/keplersim/report/plots"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// blockMarks are the marks of resident blocks, freeMark of free space.
const (
	blockMarks = "0123456789abcdef"
	freeMark   = '·'
)

// WritePicture draws one SMX with its resident blocks: bars of width characters for warp slots, registers, shared memory and block slots.
// Each block has its own mark.
func WritePicture(w io.Writer, p Point, width int) error {
	r, l := p.Result, p.Limits
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "One SMX of %s with %s of %s\n", l.Name, count(r.Blocks, "block"), count(p.Launch.Threads, "thread"))
	for _, bar := range []struct {
		resource        smx.Resource
		name            string
		each, whole     int
		taken, of, unit string
	}{
		{smx.Warps, "warp slots", r.WarpsPerBlock, l.Warps, plots.Grouped(r.Warps), plots.Grouped(l.Warps), ""},
		{smx.Registers, "registers", r.AllocatedRegisters, l.Registers, plots.Grouped(r.Blocks * r.AllocatedRegisters),
			plots.Grouped(l.Registers), ""},
		{smx.SharedMemory, "shared memory", r.AllocatedShared, r.SharedPerSMX, plots.Grouped(r.Blocks * r.AllocatedShared),
			plots.Grouped(r.SharedPerSMX), " bytes"},
		{smx.Blocks, "block slots", 1, l.Blocks, plots.Grouped(r.Blocks), plots.Grouped(l.Blocks), ""},
	} {
		stops := " "
		if r.Limiters.Has(bar.resource) {
			stops = "*"
		}
		fmt.Fprintf(out, "%s %-13s [%s] %s of %s%s\n", stops, bar.name, drawBar(r.Blocks, bar.each, bar.whole, width), bar.taken, bar.of,
			bar.unit)
	}
	fmt.Fprintf(out, "  0 to f: the blocks; %c: free; *: stops the next block\n", freeMark)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("picture of an SMX: %w", err)
	}
	return nil
}

// drawBar draws blocks of size each in a bar for whole, width characters long. A character shows the block at its middle.
func drawBar(blocks, each, whole, width int) string {
	var bar strings.Builder
	for i := range width {
		at := (2*i + 1) * whole / (2 * width)
		if each > 0 && at/each < blocks {
			bar.WriteByte(blockMarks[at/each%len(blockMarks)])
		} else {
			bar.WriteRune(freeMark)
		}
	}
	return bar.String()
}
