package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
)

// device is one of the program's GPUs.
type device struct {
	session *Session
	number  int
	config  *configs.Config
	gpu     *sim.GPU
	modules map[uint64]*sim.Module // modules loaded here, by number; linked ones have several numbers
	refused map[uint64]bool        // modules that failed to load; the user has been told
	pieces  map[uint64]piece       // the program's allocations, by address
	streams map[uint64]*stream
	events  map[uint64]*event
	running []*sim.Pending // kernels not yet in the summary
	// functional means that the device currently runs without timing.
	functional bool
	next       uint64 // the last handle of a stream or event
	names      int    // the number of names given to streams and texture objects
	limits     map[uint64]uint64
	// pending is a kernel's error that no synchronising call has returned yet. lost is one that has been returned, and stays.
	pending, lost Error
}

// newDevice makes a GPU with its part of the arena.
func newDevice(s *Session, number int, config *configs.Config) (*device, error) {
	d := &device{session: s, number: number, config: config}
	return d, d.reset()
}

// reset makes the device a new one.
func (d *device) reset() error {
	options := d.session.options.Simulator
	options.Arena = d.session.arena.of(d.number)
	options.Printf = &d.session.printed
	options.Device, options.Devices = d.number, len(d.session.options.Devices)
	if several, ok := options.Observer.(observe.PerDevice); ok { // each device has its own host, in which it is device 0
		options.Observer = several.ForDevice(d.number)
	}
	gpu, err := sim.New(d.config, options)
	if err != nil {
		return err
	}
	if d.gpu != nil {
		d.session.mistakes = append(d.session.mistakes, d.gpu.Host().Findings()...)
	}
	d.gpu = gpu
	d.refused = map[uint64]bool{}
	d.modules, d.pieces = map[uint64]*sim.Module{}, map[uint64]piece{}
	d.streams, d.events = map[uint64]*stream{}, map[uint64]*event{}
	d.limits = defaultLimits(d.config)
	d.running, d.functional = nil, options.Functional
	d.syncFromProgram()
	d.next = uint64(d.number+1) << 32
	d.pending, d.lost = Success, Success
	return nil
}

// handle returns a new handle for a stream or event. It is unique, and larger than CUDA's own small handles.
func (d *device) handle() uint64 {
	d.next += 0x10
	return d.next
}

// complain prints an error to the user, apart from the program's output.
func (s *Session) complain(err error) {
	if s.options.Messages != nil {
		fmt.Fprintln(s.options.Messages, "keplersim:", err)
	}
}

// failed is complain for a kernel that ended early. Reports mention it, even if the program ignores the error.
func (s *Session) failed(err kernelError) {
	s.summary.Failure = cmp.Or(s.summary.Failure, err.error.Error())
	s.complain(err)
}

// complainOnce is complain for a message that many launches can cause.
func (s *Session) complainOnce(text string) {
	if !s.printedOnce[text] {
		s.printedOnce[text] = true
		s.complain(errors.New(text))
	}
}

// kernel returns the layout of a kernel's parameters, and its attributes.
func (s *Session) kernel(ctx context.Context, d *device, q *request, a *response) {
	m, failed := d.load(q.a[0])
	if failed != Success {
		a.err = failed
		return
	}
	machine, err := m.Lower(ctx, string(q.payload))
	if err != nil {
		s.complain(err)
		a.err = ErrInvalidFunction
		return
	}
	most := machine.Kernel.Limits.MostThreads()
	if most == 0 {
		most = d.config.SMX.ThreadsPerBlock
	}
	if machine.Registers > 0 {
		most = min(most, d.config.Registers.PerSMX/machine.Registers/32*32)
	}
	capability := uint64(d.config.ComputeCapability)
	for _, v := range []uint64{
		uint64(machine.SharedBytes), uint64(machine.ConstBytes), uint64(machine.LocalBytes), uint64(most), uint64(machine.Registers),
		capability, capability,
		uint64(max(d.config.SharedMemory.PerBlock-machine.SharedBytes, 0)),
	} {
		a.data = binary.LittleEndian.AppendUint64(a.data, v)
	}
	a.r[0], a.r[1] = uint64(machine.Kernel.ParameterBytes()), uint64(len(machine.Kernel.Parameters))
	for _, p := range machine.Kernel.Parameters {
		a.data = binary.LittleEndian.AppendUint32(a.data, uint32(p.Offset))
		a.data = binary.LittleEndian.AppendUint32(a.data, uint32(p.Bytes))
	}
}

// cacheConfigs are sim's names for the values of cudaFuncCache.
var cacheConfigs = []string{"none", "shared", "l1", "equal"}

// launch runs a kernel.
func (s *Session) launch(ctx context.Context, d *device, q *request, a *response) {
	name, parameters, _ := bytes.Cut(q.payload, []byte{0})
	m, failed := d.load(q.a[0])
	if failed != Success {
		a.err = failed
		return
	}
	st, failed := d.stream(q.a[5])
	if failed != Success {
		a.err = failed
		return
	}
	l := sim.Launch{
		Module: m, Kernel: string(name), Parameters: parameters, Shared: int(q.a[4]), Stream: st.number,
		Grid:  [3]int{int(uint32(q.a[1])), int(q.a[1] >> 32), int(uint32(q.a[2]))},
		Block: [3]int{int(q.a[2] >> 32), int(uint32(q.a[3])), int(q.a[3] >> 32)},
	}
	cache := d.limits[limitCacheConfig]
	if q.a[6] > 0 {
		cache = q.a[6] - 1
	}
	l.CacheConfig = cacheConfigs[min(cache, 3)]
	if bank := cmp.Or(q.a[7], d.limits[limitSharedConfig]); bank > 0 {
		l.BankMode = memorymode.BankMode(min(bank*4, uint64(d.config.SharedMemory.BankBytes))) // no effect if banks are narrower
	}
	if a.err = d.check(ctx, &l); a.err != Success {
		return
	}
	if !s.options.Save.wants(l.Kernel) {
		d.start(ctx, st, l, a)
		return
	}
	saved, err := d.save(ctx, q.a[0], &l)
	d.start(ctx, st, l, a)
	if err == nil {
		d.drain(ctx)
		err = saved.finish()
	}
	if err != nil {
		s.complain(fmt.Errorf("--save-launch: %w", err))
	}
}

// mostQueued is the most kernels in queue while a budget must decide whether to time the next. Without timing more would only leave the
// host's caches.
const mostQueued = 64

// start puts a kernel into its stream. A kernel without timing runs at once, and its stream is then busy for the estimated time.
func (d *device) start(ctx context.Context, st *stream, l sim.Launch, a *response) {
	detail := d.session.options.Detail
	if (detail.Budget > 0 || d.functional) && len(d.running) >= mostQueued {
		d.drain(ctx)
	}
	timed := !d.session.options.Simulator.Functional && detail.wants(l.Kernel)
	d.timing(ctx, timed)
	l.In = st.queue
	pending, err := d.gpu.Start(ctx, l)
	if err != nil {
		a.err = ErrInvalidConfig
		d.session.complain(err)
		return
	}
	if timed {
		detail.Timed++
	} else {
		detail.Others++
	}
	d.session.options.Log.Info("launch", slog.String("kernel", l.Kernel), slog.Any("grid", l.Grid[:]),
		slog.Any("block", l.Block[:]), slog.Bool("timed", timed))
	if timed || d.session.options.Simulator.Functional {
		d.running = append(d.running, pending)
		d.waitForRoom(ctx)
		return
	}
	d.drain(ctx)
	if result := pending.Result(); result != nil {
		d.refuse(result)
		us := detail.estimate(result)
		st.queue.Busy(result.DisplayName(), us)
		d.keep(us, result)
	}
}

// kernelError is a kernel's error with its CUDA code.
type kernelError struct {
	error
	code Error
}

func (t kernelError) Error() string {
	return fmt.Sprintf("%v\nthe program gets CUDA error %d at its next synchronising call", t.error, t.code)
}

func (t kernelError) Unwrap() error { return t.error }

// check rejects launches that the hardware cannot run, with CUDA's code and an explanation.
func (d *device) check(ctx context.Context, l *sim.Launch) Error {
	for i := range 3 {
		if l.Grid[i] < 1 || l.Block[i] < 1 {
			return ErrInvalidConfig
		}
	}
	machine, err := l.Module.Lower(ctx, l.Kernel)
	if err != nil {
		d.session.complain(err)
		return ErrInvalidFunction
	}
	title := machine.Program.Title(l.Kernel)
	runs, err := d.gpu.Admit(ctx, *l)
	var refused *sim.Refused
	switch {
	case errors.As(err, &refused):
		d.session.complainOnce(fmt.Sprintf("launch of %s: %v\nthe launch returns %s", title, err, refused.CUDA()))
		return Error(refused.Number)
	case err != nil:
		d.session.complain(err)
		return ErrOutOfResources
	case runs != machine:
		d.session.complainOnce(fmt.Sprintf("launch of %s: a block of %d threads has no room for %d registers a thread; the kernel was "+
			"lowered again to %d, as with -maxrregcount=%[4]d", title, l.Block[0]*l.Block[1]*l.Block[2], machine.Registers, runs.Registers))
	}
	return Success
}

// faults maps the faults that end a kernel to CUDA's codes.
var faults = map[smx.FaultKind]Error{
	smx.FaultAddress: ErrIllegalAddress, smx.FaultAlignment: ErrMisaligned, smx.FaultTrap: ErrLaunchFailure, smx.FaultAssert: ErrAssert,
	smx.FaultStack: ErrHardwareStack, smx.FaultCallTarget: ErrInvalidPC, smx.FaultUnsupported: ErrIllegalInstruction,
	smx.FaultBreakpoint: ErrLaunchFailure,
}

// failure is CUDA's code for an error that ended a kernel.
func failure(err error) Error {
	var f *smx.Fault
	if errors.As(err, &f) {
		if e, ok := faults[f.Kind]; ok {
			return e
		}
		return ErrLaunchFailure
	}
	if errors.Is(err, sim.ErrMaxCycles) {
		return ErrLaunchTimeout
	}
	return ErrLaunchFailure
}

// settle returns a kernel's error at a synchronising call.
func (d *device) settle(a *response) {
	d.session.flush(a)
	if d.pending != Success {
		d.lost, d.pending = d.pending, Success
	}
	a.err = d.lost
}

// occupancy returns the number of blocks that an SMX can hold.
func (s *Session) occupancy(ctx context.Context, d *device, q *request, a *response) {
	m, failed := d.load(q.a[0])
	if failed != Success {
		a.err = failed
		return
	}
	r, err := d.gpu.Resident(ctx, sim.Launch{Module: m, Kernel: string(q.payload), Block: [3]int{int(q.a[1]), 1, 1}, Shared: int(q.a[2])})
	if err == nil {
		a.r[0] = uint64(r.Blocks)
	}
}

// The questions of opSymbol.
const (
	symbolSize      = iota // the size, and the address if it is known without work
	symbolReference        // whether such a texture or surface reference exists
	symbolAddress          // address and size
)

// symbol returns a variable's address and size. A constant's address is 0 unless requested.
func (s *Session) symbol(_ context.Context, d *device, q *request, a *response) {
	m, failed := d.load(q.a[0])
	if failed != Success {
		a.err = failed
		return
	}
	name := string(q.payload)
	if q.a[1] == symbolReference { // the request is for a texture or surface reference
		if !slices.ContainsFunc(m.Program().Symbols, func(v *isa.Symbol) bool { return v.Opaque() && v.Name == name }) {
			a.err = ErrInvalidSymbol
		}
		return
	}
	v := m.Symbol(name)
	if v == nil {
		a.err = ErrInvalidSymbol
		return
	}
	a.r[1] = uint64(v.Bytes)
	if v.Space == isa.SpaceConst && q.a[1] != symbolAddress {
		return // the program accesses it by name
	}
	var err error
	if a.r[0], err = m.SymbolAddress(v.Name); err != nil {
		a.err = ErrMemoryAllocation
	}
}

func (s *Session) writeConstant(ctx context.Context, d *device, q *request, a *response) {
	name, data, _ := bytes.Cut(q.payload, []byte{0})
	c := sim.Copy{Name: ways[toDevice], Direction: sim.ToDevice, Bytes: int64(len(data))}
	s.constant(ctx, d, q, a, c, func(m *sim.Module) error { return m.WriteSymbol(string(name), q.a[1], data) }, q.a[2], q.a[3] == 0)
}

func (s *Session) readConstant(ctx context.Context, d *device, q *request, a *response) {
	a.data = make([]byte, min(q.a[2], 1<<16))
	c := sim.Copy{Name: ways[toHost], Direction: sim.ToHost, Bytes: int64(len(a.data))}
	s.constant(ctx, d, q, a, c, func(m *sim.Module) error { return m.ReadSymbol(string(q.payload), q.a[1], a.data) }, q.a[3], true)
}

// constant copies from or to a constant variable.
func (s *Session) constant(
	ctx context.Context, d *device, q *request, a *response, c sim.Copy, do func(*sim.Module) error, streamHandle uint64, waits bool,
) {
	m, failed := d.load(q.a[0])
	if failed != Success {
		a.err = failed
		return
	}
	st, failed := d.stream(streamHandle)
	if failed != Success {
		a.err = failed
		return
	}
	failed = Success
	c.Effect = sim.EffectFunc(func() error {
		if err := do(m); err != nil {
			s.complain(err)
			failed = ErrInvalidValue
		}
		return nil
	})
	if a.err = d.copies(ctx, st, c, waits, a); a.err == Success {
		a.err = failed
	}
}

// reset resets the device, as cudaDeviceReset does.
func (s *Session) reset(ctx context.Context, d *device, _ *request, a *response) {
	if d.lost == Success {
		d.done(ctx, d.gpu.Synchronize(ctx))
	}
	d.syncToProgram()
	s.flush(a)
	for _, other := range d.accessingPeers() { // the mappings of its memory end with the context
		other.drain(ctx)
		other.gpu.DisablePeer(d.gpu)
	}
	for _, at := range d.gpu.Allocations() {
		if err := d.gpu.Free(at); err != nil {
			s.complain(err)
		}
	}
	if err := d.reset(); err != nil {
		s.complain(err)
		a.err = ErrUnknown
	}
}
