package fuzz

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/fuzz/randomc"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
)

// Program is a random program. The same kind and seed give the same text.
type Program struct {
	Kind string
	Seed uint64
	Text string
}

// kinds are the kinds of programs, by name. Consecutive seeds take turns through them.
var kinds = []struct {
	name     string
	generate func(seed uint64) string
}{
	{"plain", Generate}, {"wide", GenerateWide}, {"leaving", GenerateLeaving}, {unrounded, GenerateUnrounded},
	{unrounded + "-counted", GenerateCounted}, {unrounded + "-open", GenerateOpen}, {"wide", GenerateWide}, {"plain", Generate},
}

// unrounded begins the names of the kinds that leave rounding open.
const unrounded = "unrounded"

// Make writes the program of a seed, which also selects the kind.
func Make(seed uint64) Program {
	k := kinds[seed%uint64(len(kinds))]
	return Program{Kind: k.name, Seed: seed, Text: k.generate(seed)}
}

// Input is the input of every program: random numbers with border values among them.
func Input() []byte {
	edges := []uint32{0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 31, 32, 0x3f800000, 0x7f800000, 0x00000001, 0x807fffff, 0xc2480000}
	var all []byte
	z := uint64(7)
	for i := range Threads * InputWords {
		z = z*6364136223846793005 + 1442695040888963407
		v := uint32(z >> 33)
		switch i % 3 {
		case 0:
			v = edges[z>>40%uint64(len(edges))]
		case 1:
			v &= 0xff
		}
		all = binary.LittleEndian.AppendUint32(all, v)
	}
	return all
}

// Way is a way to run a program.
type Way struct {
	Name    string
	options sim.Options
	cubin   bool // as our own machine code
	builtin bool // compiled by our own compiler
	rounded bool // only for programs that specify every rounding: others fuse different multiplications and additions
}

// listener observes each operation, so that all are interpreted.
type listener struct{ observe.Silent }

// Ways are all ways to run a program. The first, which others are compared with, interprets without timing and register limit.
var Ways = []Way{
	{Name: "interpreter", options: sim.Options{Functional: true, Observer: listener{}}},
	{Name: "machine code", options: sim.Options{Functional: true}},
	{Name: "timed"},
	{Name: "24 registers", options: sim.Options{Functional: true, MaxRegisters: 24}},
	{Name: "40 registers", options: sim.Options{Functional: true, MaxRegisters: 40}},
	{Name: "unoptimised", options: sim.Options{Functional: true, Unoptimised: true}, rounded: true},
	{Name: "own cubin", options: sim.Options{Functional: true}, cubin: true},
	{Name: "own cubin with 32 registers", options: sim.Options{Functional: true, MaxRegisters: 32}, cubin: true},
	{Name: "another order", options: sim.Options{Functional: true, Order: 3}},
	{Name: "checked", options: sim.Options{Functional: true, Check: finding.All}},
}

const (
	// memoryBytes are enough for what programs read and write, and memoryBase is where the memory of devices begins.
	memoryBytes = 1 << 16
	memoryBase  = 1 << 33
)

// maxCycles bounds a program: the longest programs take some ten thousand.
const maxCycles = 20_000_000

// Runner runs programs, for one goroutine.
type Runner struct {
	*launch
	config   *configs.Config
	ways     []Way
	source   kernels            // zero for programs in PTX
	programs *sim.Programs      // of the text that runs
	devices  map[string]*device // by way: a new one takes longer than a short program
	// change may change what runs in a way; nil outside tests, which see that it is noticed.
	change func(Way, *sim.Module) error
	// Ran counts the programs that were compared, by way.
	Ran map[string]uint64
}

// NewRunner makes a runner for a configuration.
func NewRunner(config string) (*Runner, error) { return newRunner(config, ofPTX(), Ways) }

// newRunner makes a runner. The device has as many multiprocessors as there are blocks, and a small L2: more would only take time.
func newRunner(config string, l *launch, ways []Way) (*Runner, error) {
	c, err := configs.Load(config, nil)
	if err != nil {
		return nil, err
	}
	const sets = 4
	c, err = configs.Load(config, []string{fmt.Sprintf("smx.count=%d", l.blocks),
		fmt.Sprintf("l2.bytes=%d", c.L2.Slices*c.L2.Ways*c.L2.Line*sets)})
	return &Runner{launch: l, config: c, ways: ways, programs: &sim.Programs{}, devices: map[string]*device{},
		Ran: map[string]uint64{}}, err
}

// Make writes the program of a seed.
func (r *Runner) Make(seed uint64) Program {
	if r.source.inC {
		return Program{Kind: "c", Seed: seed, Text: randomc.Source(seed, 1)}
	}
	return Make(seed)
}

// launch describes how to start programs: their inputs, and the size and parts of the output.
type launch struct {
	kernel       string
	blocks       int
	inputs       [][]byte
	words, parts int
	wordName     func(word int) string
}

func ofPTX() *launch {
	return &launch{"random", 1, [][]byte{Input()}, Threads * OutputWords, 1, func(word int) string {
		return fmt.Sprintf("thread %d, word %d (%s)", word/OutputWords, word%OutputWords, wordName(word%OutputWords))
	}}
}

// Run runs a program in one way and returns what its threads stored, and what checks found. A panic is an error, too.
func (r *Runner) Run(ctx context.Context, text string, way Way) (output []byte, found []*finding.Finding, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("panic: %v\n%s", broken, debug.Stack())
		}
	}()
	ptx, err := r.source.ptx(ctx, text, way.builtin)
	if err != nil {
		return nil, nil, err
	}
	code, err := r.code(ctx, ptx, way)
	if err != nil {
		return nil, nil, err
	}
	d := r.devices[way.Name]
	if d == nil {
		if d, err = r.newDevice(way); err != nil {
			return nil, nil, err
		}
	}
	delete(r.devices, way.Name)
	module, err := d.gpu.Load("random.ptx", code)
	if err != nil {
		return nil, nil, err
	}
	if r.change != nil {
		if err := r.change(way, module); err != nil {
			return nil, nil, err
		}
	}
	output = make([]byte, 4*r.words)
	for n, b := range append(r.inputs[:len(r.inputs):len(r.inputs)], output) {
		if err := d.gpu.Write(d.buffers[n], b); err != nil {
			return nil, nil, err
		}
	}
	ran, err := d.gpu.Launch(ctx, sim.Launch{Module: module, Kernel: r.kernel, Grid: [3]int{r.blocks, 1, 1}, Block: [3]int{Threads, 1, 1},
		Parameters: d.parameters})
	if err != nil {
		return nil, nil, err
	}
	d.gpu.Slim(ran)
	d.gpu.Reuse(ran)
	if err = d.gpu.Read(d.buffers[len(r.inputs)], output); err == nil {
		err = module.Unload()
	}
	if err == nil && way.options.Check == finding.None { // checks remember what was
		r.devices[way.Name] = d
	}
	return output, d.gpu.Host().Findings(), err
}

// device is a GPU that runs programs one after another, all in one way.
type device struct {
	gpu        *sim.GPU
	buffers    []uint64 // the addresses of the inputs and of the output
	parameters []byte
}

// newDevice makes a device for a way.
func (r *Runner) newDevice(way Way) (*device, error) {
	options, content := way.options, make([]byte, memoryBytes)
	options.Arena = &memory.Arena{Base: memoryBase, Bytes: content,
		Zero: func(from, to uint64) error { clear(content[from:to]); return nil }}
	options.Threads, options.MaxCycles, options.Printf, options.Programs = 1, maxCycles, io.Discard, r.programs
	gpu, err := sim.New(r.config, options)
	if err != nil {
		return nil, err
	}
	d := &device{gpu: gpu}
	var sizes []int
	for _, b := range r.inputs {
		sizes = append(sizes, len(b))
	}
	for _, bytes := range append(sizes, 4*r.words) {
		address, err := gpu.Allocate("buffer", uint64(bytes))
		if err != nil {
			return nil, err
		}
		d.buffers, d.parameters = append(d.buffers, address), binary.LittleEndian.AppendUint64(d.parameters, address)
	}
	for n := 1; n < r.parts; n++ {
		part := d.buffers[len(r.inputs)] + uint64(n*4*r.words/r.parts)
		d.parameters = binary.LittleEndian.AppendUint64(d.parameters, part)
	}
	return d, nil
}

// code is the code to load: the text, or a cubin made from it.
func (r *Runner) code(ctx context.Context, text []byte, way Way) ([]byte, error) {
	if !way.cubin {
		return text, nil
	}
	program, err := r.programs.Link(
		code.Source{Name: "random.ptx", Text: text}, decode.Options{ComputeCapability: r.config.ComputeCapability})
	if err != nil {
		return nil, err
	}
	cubin, err := r.programs.Cubin(ctx, program, r.config, way.options.MaxRegisters)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnwritten, err)
	}
	return cubin, nil
}

// errUnwritten is the error for a program that we cannot write as machine code.
var errUnwritten = errors.New("no machine code")

// Difference is a program that behaves differently in one way.
type Difference struct {
	Program
	Way  Way
	What string // the first different word, an error, or a finding
}

// Compare runs a program in all ways and returns the first difference, nil for none.
func (r *Runner) Compare(ctx context.Context, p Program) (*Difference, error) {
	*r.programs = sim.Programs{}
	r.Ran[Ways[0].Name]++
	want, _, err := r.Run(ctx, p.Text, Ways[0])
	if err != nil {
		return &Difference{p, Ways[0], err.Error()}, ctx.Err()
	}
	for _, way := range r.ways[1:] {
		if way.rounded && strings.HasPrefix(p.Kind, unrounded) {
			continue
		}
		what, ran := r.differs(ctx, p.Text, want, way)
		if ran {
			r.Ran[way.Name]++
		}
		if what != "" {
			return &Difference{p, way, r.onNewDevices(ctx, p.Text, way, what)}, ctx.Err()
		}
	}
	return nil, ctx.Err()
}

// onNewDevices says how a way differs where no program has run before, or that what it differs in depends on that.
func (r *Runner) onNewDevices(ctx context.Context, text string, way Way, what string) string {
	clear(r.devices)
	want, _, err := r.Run(ctx, text, Ways[0])
	if err != nil {
		return err.Error()
	}
	if again, _ := r.differs(ctx, text, want, way); again != "" {
		return again
	}
	return what + " behind other programs, and nothing on a new device"
}

// differs says how a way differs from what is wanted, "" where it does not, and whether it ran.
func (r *Runner) differs(ctx context.Context, text string, want []byte, way Way) (what string, ran bool) {
	got, found, err := r.Run(ctx, text, way)
	if errors.Is(err, errUnwritten) {
		return "", false
	}
	if err != nil {
		return err.Error(), true
	}
	for i := 0; i < len(want); i += 4 {
		a, b := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:])
		if a != b && !(way.builtin && r.eitherNaN(i/4, a, b)) {
			return fmt.Sprintf("%s: %#08x, and %#08x by the %s", r.wordName(i/4), b, a, Ways[0].Name), true
		}
	}
	for _, f := range found {
		if f.Rule.Severity == finding.Error {
			return f.String(), true
		}
	}
	return "", true
}

// eitherNaN tells whether a word of a C kernel's output is NaN both times: another compiler may choose another one.
func (r *Runner) eitherNaN(word int, a, b uint32) bool {
	nan := func(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }
	return strings.HasPrefix(r.wordName(word), "fout") && nan(a) && nan(b)
}

// wordName is the register stored in a word of a thread's output.
func wordName(word int) string {
	at := word
	for _, kind := range []struct {
		name             string
		registers, width int
	}{{"r", words, 1}, {"f", floats, 1}, {"d", doubles, 2}, {"p", predicates - 1, 1}, {"g", 2, 2}} {
		if at < kind.registers*kind.width {
			return fmt.Sprintf("%%%s%d", kind.name, at/kind.width)
		}
		at -= kind.registers * kind.width
	}
	return "unused"
}
