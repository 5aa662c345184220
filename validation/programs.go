package validation

import (
	"context"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/configs"
)

// program is a kernel's rate in the row's unit: GFLOP/s, GB/s, or what its Work counts. Program, Kernel, Grid, Block, Arrays, Parameters,
// Dynamic, Launches, Work.
func program(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	seconds, err := programSeconds(ctx, b, row)
	return e.Work * float64(volume(extent(e.Grid))*volume(extent(e.Block))) / seconds / 1e9, err
}

// programTime is the time of a kernel and the kernels it launches, in milliseconds. Program, Kernel, Grid, Block, Arrays, Parameters,
// Dynamic, Launches.
func programTime(ctx context.Context, b *bench, row *Row) (float64, error) {
	seconds, err := programSeconds(ctx, b, row)
	return seconds * 1e3, err
}

// programSeconds is the time of a program's last launch.
func programSeconds(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	var bytes []int
	for _, size := range e.Arrays {
		n, err := parseBytes(size)
		if err != nil {
			return 0, err
		}
		bytes = append(bytes, int(n))
	}
	grid, block := extent(e.Grid), extent(e.Block)
	b.shared, b.waits = e.Dynamic, e.Wait
	return b.last(ctx, max(e.Launches, 1), e.Program, e.Kernel, grid, block, bytes, e.Parameters...)
}

// extent fills missing dimensions with 1.
func extent(given []int) [3]int {
	whole := [3]int{1, 1, 1}
	copy(whole[:], given)
	return whole
}

func volume(e [3]int) int { return e[0] * e[1] * e[2] }

// checkProgram returns an error for a program that cannot be launched, and for malformed sizes.
func (e *experiment) checkProgram() error {
	if e.Program == "" || e.Kernel == "" || e.Work <= 0 && e.Kind == "program" {
		return fmt.Errorf("a program has a file, a kernel, and the work of a thread")
	}
	for _, given := range [][]int{e.Grid, e.Block} {
		if len(given) < 1 || len(given) > 3 || volume(extent(given)) <= 0 {
			return fmt.Errorf("a grid and a block are one to three numbers above 0, not %v", given)
		}
	}
	for _, size := range e.Arrays {
		if _, err := parseBytes(size); err != nil {
			return err
		}
	}
	return nil
}

// The work of a thread of fma-chains, its block, and the blocks of the two launches. Only the difference counts, as few warps remain at the
// end of each.
const (
	chainFMAs  = 2048
	chainBlock = 256
	chainShort = 32
	chainLong  = 96
)

// fmaChains is the rate of multiply-adds in straight code, in GFLOP/s. Each thread makes 2,048 of them, spread over independent Chains. In
// a chain two numbers alternate, x = y x + y and y = x y + x. One SMX is simulated.
func fmaChains(ctx context.Context, b *bench, row *Row) (float64, error) {
	board, err := configs.Load(row.Config, row.Overrides)
	if err != nil {
		return 0, fmt.Errorf("board of row %s: %w", row.Name, err)
	}
	module, err := b.gpu.Load("chains.ptx", []byte(chainsText(b.target(), row.experiment.Chains)))
	if err != nil {
		return 0, err
	}
	out, err := b.arrays(4 * chainLong * chainBlock)
	if err != nil {
		return 0, err
	}
	seconds, err := b.more(ctx, module, "chains", chainBlock, chainShort, chainLong, out)
	return float64(2*chainFMAs*(chainLong-chainShort)*chainBlock*board.SMX.Count) / seconds / 1e9, err
}

// chainsText is the kernel of fmaChains: %f0, %f2 … are the x of the chains, %f1, %f3 … their y.
func chainsText(target string, chains int) string {
	var text strings.Builder
	fmt.Fprintf(&text, `.version 4.2
.target %s
.address_size 64
.visible .entry chains(.param .u64 out)
{
	.reg .f32 %%f<%d>;
	.reg .b32 %%r<4>;
	.reg .b64 %%l<4>;
	mov.u32 %%r0, %%ctaid.x;
	mov.u32 %%r1, %%ntid.x;
	mov.u32 %%r2, %%tid.x;
	mad.lo.u32 %%r3, %%r0, %%r1, %%r2;
`, target, 2*chains)
	for c := range chains {
		fmt.Fprintf(&text, "\tcvt.rn.f32.u32 %%f%d, %%r2;\n\tadd.rn.f32 %%f%d, %%f%d, 0f%08x;\n", 2*c+1, 2*c, 2*c+1, 0x3f800000+c)
	}
	for i := range chainFMAs / chains {
		for c := range chains {
			to, from := 2*c+i%2, 2*c+(i+1)%2
			fmt.Fprintf(&text, "\tfma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", to, from, to, from)
		}
	}
	for c := range chains - 1 {
		fmt.Fprintf(&text, "\tadd.rn.f32 %%f1, %%f1, %%f%d;\n", 2*c+3)
	}
	text.WriteString(`	ld.param.u64 %l0, [out];
	mul.wide.u32 %l1, %r3, 4;
	add.u64 %l2, %l0, %l1;
	st.global.f32 [%l2], %f1;
	ret;
}
`)
	return text.String()
}
