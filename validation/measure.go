package validation

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// chain is the latency of a step that depends on the one before, in cycles, for one warp or Threads lanes. The latency of body Subtract is
// subtracted. Register, Body, Declare, Setup, Threads, Subtract.
func chain(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	data, err := pointerToItself(b)
	if err != nil {
		return 0, err
	}
	s := span{short: 64, long: 192, fewIterations: 2, moreIterations: 6, grid: 1, block: max(e.Threads, 32), data: data}
	if e.Threads > 0 {
		s.block = e.Threads
	}
	k := e.loop(b, 1)
	cycles, err := b.step(ctx, k, s)
	if err != nil || e.Subtract == "" {
		return cycles / e.results(), err
	}
	k.body = e.Subtract
	other, err := b.step(ctx, k, s)
	return cycles - other, err
}

// loop is the experiment's loop kernel.
func (e *experiment) loop(b *bench, ways int) *loopKernel {
	return &loopKernel{target: b.target(), register: e.Register, declare: e.Declare, setup: e.Setup, body: e.Body, ways: ways}
}

// pointerToItself is an address in device memory that holds itself: the shortest pointer chase.
func pointerToItself(b *bench) (uint64, error) {
	address, err := b.gpu.Allocate("data", 4096)
	if err != nil {
		return 0, err
	}
	return address, b.gpu.Write(address, binary.LittleEndian.AppendUint64(nil, address))
}

// A stream fills an SMX with warps several times over, in small blocks. A slot is refilled as soon as four warps have ended. So the end,
// where few warps remain and units idle, counts little. The block of streamThreads is for streams of bytes, whose blocks all start at once.
const (
	streamThreads = 1024 // a block
	streamBlock   = 128  // threads
	streamBlocks  = 192
)

// streamWays are the independent accumulators by register type. There are few predicates.
var streamWays = map[string]int{"u32": 16, "f32": 16, "f64": 12, "u64": 8, "pred": 6}

// stream is the throughput of independent steps on one SMX: results a cycle, bytes a cycle if Bytes is given, or GB/s by the row's unit.
// Blocks replaces streamBlocks. Pattern pairs f32 operations; without it they pair as compiled. Register, Body, Declare, Setup, Results,
// Bytes, Threads, Blocks, Pattern.
func stream(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	data, err := b.gpu.Allocate("data", 1<<16)
	if err != nil {
		return 0, err
	}
	s := span{short: 32, long: 128, fewIterations: 3, moreIterations: 7, grid: streamBlocks, block: streamBlock, data: data}
	if e.Threads > 0 {
		s.block = e.Threads
	}
	if e.Blocks > 0 {
		s.grid = e.Blocks
	}
	k := e.loop(b, streamWays[e.Register])
	if len(e.Pattern) > 0 {
		k.marked = func(mp *isa.MachineProgram) error { return pairByPattern(mp, e.Pattern) }
	}
	cycles, err := b.step(ctx, k, s)
	if err != nil {
		return 0, err
	}
	return e.rate(b, row, float64(s.grid*s.block)/cycles), nil
}

// rate converts steps a cycle to the row's unit.
func (e *experiment) rate(b *bench, row *Row, stepsPerCycle float64) float64 {
	rate := stepsPerCycle * e.results()
	if e.Bytes > 0 {
		rate = stepsPerCycle * float64(e.Bytes)
	}
	if strings.HasPrefix(row.Unit, "GB/s") {
		rate *= float64(b.config.Clocks.Core) * 1e6 / 1e9
	}
	return rate
}

// chase is the latency of dependent loads, in cycles, around Footprint bytes with Stride bytes between steps. Space is global or const;
// Cache.
func chase(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	footprint, err := parseBytes(e.Footprint)
	if err != nil {
		return 0, err
	}
	stride, err := parseBytes(e.Stride)
	if err != nil {
		return 0, err
	}
	if e.Space == "const" {
		return chaseConstant(ctx, b, footprint, stride)
	}
	return chaseGlobal(ctx, b, footprint, stride, e.Cache)
}

// chaseUnroll is the number of loads in an iteration of a chase's loop. Their latency hides the loop.
const chaseUnroll = 32

// chaseGlobal walks device memory. Steps of a page or more are shifted by a line each. Otherwise all would fall into one set of a cache
// that selects sets by low bits.
func chaseGlobal(ctx context.Context, b *bench, footprint, stride int64, cache string) (float64, error) {
	const line, page = 128, 128 << 10
	base, err := b.gpu.Allocate("chase", uint64(footprint))
	if err != nil {
		return 0, err
	}
	steps := footprint / stride
	at := func(i int64) uint64 {
		i %= steps
		offset := uint64(i * stride)
		if stride >= page {
			offset += uint64(i * line % (stride - line))
		}
		return base + offset
	}
	for i := range steps {
		if err := b.gpu.Write(at(i), binary.LittleEndian.AppendUint64(nil, at(i+1))); err != nil {
			return 0, err
		}
	}
	body := "ld.global.u64 {a}, [{a}];"
	if cache != "" {
		body = strings.Replace(body, "global", "global."+cache, 1)
	}
	k := &loopKernel{target: b.target(), register: "u64", setup: "mov.b64 {a}, %data;", body: body, ways: 1}
	return b.step(ctx, k, chaseSpan(int(steps), base))
}

// chaseSpan is a span whose first iterations walk all steps of a chase once. The others walk them again.
func chaseSpan(steps int, data uint64) span {
	around := (steps + chaseUnroll - 1) / chaseUnroll
	return span{long: chaseUnroll, fewIterations: around, moreIterations: around + max(around, 4), grid: 1, block: 1, data: data}
}

// chaseConstant walks a .const variable that holds the offsets of the next steps.
func chaseConstant(ctx context.Context, b *bench, footprint, stride int64) (float64, error) {
	var table strings.Builder
	fmt.Fprintf(&table, ".const .align 256 .u32 table[%d] = {", footprint/4)
	for i := int64(0); i < footprint; i += 4 {
		if i > 0 {
			table.WriteByte(',')
		}
		next := int64(0)
		if i%stride == 0 {
			next = (i + stride) % footprint
		}
		fmt.Fprint(&table, next)
	}
	table.WriteString("};")
	// The first constant variable is at offset 0, so that table holds addresses.
	k := &loopKernel{
		target: b.target(), register: "u32", setup: "mov.u32 {a}, table;", body: "ld.const.u32 {a}, [{a}];", ways: 1,
		module: table.String(),
	}
	return b.step(ctx, k, chaseSpan(int(footprint/stride), 0))
}

// bankPattern is the number of passes of a shared load when lane i reads Width bytes at word Words[i], or i·Words[0]. Words, Width,
// BankMode.
func bankPattern(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	words := make([]int, 32)
	for i := range words {
		if len(e.Words) == 1 {
			words[i] = i * e.Words[0]
		} else {
			words[i] = e.Words[i%len(e.Words)]
		}
	}
	var offsets []byte
	for _, w := range words {
		offsets = binary.LittleEndian.AppendUint32(offsets, uint32(4*w))
	}
	data, err := b.gpu.Allocate("offsets", 128)
	if err != nil {
		return 0, err
	}
	if err := b.gpu.Write(data, offsets); err != nil {
		return 0, err
	}
	out, err := b.gpu.Allocate("out", 4*32)
	if err != nil {
		return 0, err
	}
	load, ok := map[int]string{
		4:  "ld.volatile.shared.u32 {a}, [%s1];",
		8:  "ld.volatile.shared.v2.u32 {{a}, %s2}, [%s1];",
		16: "ld.volatile.shared.v4.u32 {{a}, %s2, %s3, %s4}, [%s1];",
	}[e.Width]
	if !ok {
		return 0, fmt.Errorf("width %d: lanes access 4, 8 or 16 bytes", e.Width)
	}
	k := &loopKernel{
		target: b.target(), register: "u32", declare: ".shared .align 16 .b8 words[16384];",
		setup: "mul.wide.u32 %l0, %thread, 4;\nadd.u64 %l1, %data, %l0;\nld.global.u32 %s0, [%l1];\nmov.u32 %s1, words;\n" +
			"add.u32 %s1, %s1, %s0;",
		body: load, ways: 1,
	}
	module, err := b.gpu.Load("pattern.ptx", []byte(k.text(1)))
	if err != nil {
		return 0, err
	}
	result, err := b.launch(ctx, module, loopName, [3]int{1}, [3]int{32}, []uint64{out, data}, 1)
	if err != nil {
		return 0, err
	}
	if result.Total.SharedLoad.Requests != 1 {
		return 0, fmt.Errorf("the kernel made %d shared loads, not one", result.Total.SharedLoad.Requests)
	}
	return float64(result.Total.SharedLoad.Transactions), nil
}

// registers is the throughput of FFMAs on given physical registers, which PTX cannot choose: results a cycle of one SMX. Conflict is the
// number of sources in one register bank. Pattern is the number of instructions in consecutive issue slots of a warp, 1 or 2.
func registers(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	sources, ok := bankedSources[e.Conflict]
	if !ok || len(e.Pattern) == 0 {
		return 0, fmt.Errorf("conflict is 1, 2 or 3 sources in a bank, and a pattern is given")
	}
	k := &loopKernel{target: b.target(), register: "f32", body: "fma.rn.f32 {a}, {a}, {b}, {c};", ways: 1}
	s := span{short: 64, long: 192, fewIterations: 6, moreIterations: 30, grid: 1, block: streamThreads}
	k.machine = func(steps int) rewrite {
		return func(mp *isa.MachineProgram) error { return repeatFMA(mp, steps, sources, e.Pattern) }
	}
	cycles, err := b.step(ctx, k, s)
	if err != nil {
		return 0, err
	}
	return e.rate(b, row, float64(s.grid*s.block)/cycles), nil
}
