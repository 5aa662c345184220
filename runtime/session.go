package runtime

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/hyperq"
)

// Options describe the system that a program runs on.
type Options struct {
	// Devices are the GPUs that the program sees, device 0 first.
	Devices []*configs.Config
	// Simulator are the options of every device.
	Simulator sim.Options
	// Messages receives kernels' errors, with their place in the source.
	Messages io.Writer
	// Arena is the file of the shared memory if the program has made one; nil makes one.
	Arena *os.File
	// Detail selects the launches to time; nil for all.
	Detail *Detail
	// Save is a launch to write as a workload file; nil for none.
	Save *Save
	// Closed means that the summary counts nothing before cudaProfilerStart.
	Closed bool
	// HostTime is the share of the program's own running time that counts as simulated time: 0 none, 1 all.
	HostTime float64
	// Connections means that the configuration decides the number of hardware queues for streams, and not the program's environment
	// variable CUDA_DEVICE_MAX_CONNECTIONS.
	Connections bool
	// Log receives messages about modules and launches; nil discards them.
	Log *slog.Logger
}

// Process is a program to run, with its input and output.
type Process struct {
	Path      string
	Name      string // its argv[0]
	Arguments []string
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
}

// Session is one run of a program.
type Session struct {
	options     Options
	arena       *arena
	devices     []*device
	modules     map[uint64]*module
	mistakes    []*finding.Finding // findings on devices that have been reset
	calls       []string           // the API functions' names by number
	summary     *Summary
	printed     bytes.Buffer    // output of kernels not yet passed to the program
	now         hyperq.Time     // the program's simulated time
	program     io.ReadWriter   // its requests, and our answers
	requests    *bufio.Reader   // of program
	head        []byte          // scratch of next
	printedOnce map[string]bool // messages that are printed only once
}

// NewSession makes the devices and the memory they share with the program. Close releases the memory.
func NewSession(o Options) (*Session, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Detail == nil {
		o.Detail = &Detail{}
	}
	arena, err := openArena(o.Arena, o.Devices)
	if err != nil {
		return nil, err
	}
	s := &Session{options: o, arena: arena, modules: map[uint64]*module{}, summary: newSummary(), printedOnce: map[string]bool{}}
	s.summary.isPaused = o.Closed
	for i, config := range o.Devices {
		d, err := newDevice(s, i, config)
		if err != nil {
			arena.close()
			return nil, fmt.Errorf("device %d: %w", i, err)
		}
		s.devices = append(s.devices, d)
	}
	return s, nil
}

// Close releases the shared memory.
func (s *Session) Close() { s.arena.close() }

// Summary returns the program's activity so far.
func (s *Session) Summary() *Summary {
	s.summary.Unread = s.printed.Len()
	s.summary.Elapsed = s.elapsed()
	s.summary.Detail = s.options.Detail.String()
	s.summary.Power = nil
	for _, d := range s.devices {
		if p := d.gpu.Power(); p != nil {
			s.summary.Power = append(s.summary.Power, p)
		}
	}
	return s.summary
}

// Serve answers the program's requests until it closes its end. A running kernel ends with the program or the context.
func (s *Session) Serve(ctx context.Context, program *os.File) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer whenHungUp(program, cancel)()
	s.talk(program)
	for {
		answered := time.Now()
		q, err := s.next()
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("the program's end of the socket: %w", err)
		}
		s.now += toTime(float64(time.Since(answered).Nanoseconds()) / 1000 * s.options.HostTime)
		if _, err := program.Write(s.serve(ctx, q).bytes()); err != nil {
			return nil // the program has ended
		}
	}
}

// talk makes a program the one that asks.
func (s *Session) talk(program io.ReadWriter) {
	s.program, s.requests, s.head = program, bufio.NewReaderSize(program, 1<<16), make([]byte, requestBytes)
}

// next waits for the program's next request. No goroutine is between them: passing a request on takes longer than a small kernel.
func (s *Session) next() (*request, error) { return readRequest(s.requests, s.head) }

// handlers execute the operations. They fill in an answer that starts as success.
var handlers [operations]func(s *Session, ctx context.Context, d *device, q *request, a *response)

func init() {
	handlers = [operations]func(*Session, context.Context, *device, *request, *response){
		opHello: (*Session).hello, opModule: (*Session).module, opKernel: (*Session).kernel, opLaunch: (*Session).launch,
		opAllocate: (*Session).allocate, opFree: (*Session).free, opCopy: (*Session).copy, opFill: (*Session).fill,
		opSynchronize: (*Session).synchronize, opSymbol: (*Session).symbol, opWriteConstant: (*Session).writeConstant,
		opReadConstant: (*Session).readConstant, opStreamCreate: (*Session).streamCreate, opStreamDestroy: (*Session).streamDestroy,
		opStreamQuery: (*Session).streamQuery, opStreamWait: (*Session).streamWait, opEventCreate: (*Session).eventCreate,
		opEventDestroy: (*Session).eventDestroy, opEventRecord: (*Session).eventRecord, opEventQuery: (*Session).eventQuery,
		opEventElapsed: (*Session).eventElapsed, opAttributes: (*Session).attributes, opMemory: (*Session).memory,
		opOccupancy: (*Session).occupancy, opTexture: (*Session).texture, opTextureDestroy: (*Session).textureDestroy,
		opReset: (*Session).reset, opPointer: (*Session).pointer, opNote: (*Session).note, opCallback: (*Session).callback,
		opProgress: (*Session).progress, opGoodbye: (*Session).goodbye, opSleep: (*Session).sleep,
		opProfiler: (*Session).profiler, opPeer: (*Session).peer,
		opLimit: (*Session).limit,
	}
}

// serve executes one request.
func (s *Session) serve(ctx context.Context, q *request) *response {
	a := &response{}
	if q.operation >= operations || handlers[q.operation] == nil || q.device < 0 || q.device >= len(s.devices) {
		a.err = ErrInvalidDevice
		return a
	}
	d := s.ofStream(q)
	before := s.now
	d.syncFromProgram()
	if d.lost != Success && !harmless[q.operation] {
		a.err, a.sticky = d.lost, true
	} else {
		handlers[q.operation](s, ctx, d, q, a)
		a.sticky = a.err != Success && a.err == d.lost
	}
	d.syncToProgram()
	if q.call > 0 && int(q.call) < len(s.calls) {
		s.summary.call(s.calls[q.call], microseconds(s.now-before))
	}
	return a
}

// streamArgument is one more than the argument that names the stream, of operations that work in streams of any device. A launch fails in a
// stream of another than the current device (CUDA C Programming Guide, "Stream and Event Behavior").
var streamArgument = [operations]int{
	opCopy: 8, opFill: 6, opStreamDestroy: 1, opStreamQuery: 1, opStreamWait: 1, opEventRecord: 2, opSynchronize: 2, opCallback: 1,
}

// ofStream returns the device whose stream a request names, else the current device.
func (s *Session) ofStream(q *request) *device {
	d := s.devices[q.device]
	if at := streamArgument[q.operation]; at > 0 && (q.operation != opSynchronize || q.a[0] == waitStream) {
		for _, other := range s.devices {
			if handle := q.a[at-1]; handle > perThread && other.streams[handle] != nil {
				return other
			}
		}
	}
	return d
}

// harmless operations also work after a kernel's error has made the device unusable.
var harmless = [operations]bool{
	opHello: true, opModule: true, opAttributes: true, opReset: true, opProfiler: true,
	opProgress: true, opGoodbye: true, opSleep: true,
}

// flush passes kernels' output to the program, at a synchronising call.
func (s *Session) flush(a *response) {
	a.text = bytes.Clone(s.printed.Bytes())
	s.printed.Reset()
}

// hello describes the system to the program and receives the names of its calls.
func (s *Session) hello(_ context.Context, _ *device, q *request, a *response) {
	if q.a[1] != nativeNumber() {
		s.complain(errors.New("the program was linked by another version of keplersim; link it again"))
		a.err = ErrInitialization
		return
	}
	if connections := int(q.a[2]); connections != 0 && !s.options.Connections {
		if a.err = s.connect(connections); a.err != Success {
			return
		}
	}
	s.calls = []string{""}
	for name := range bytes.SplitSeq(q.payload, []byte{0}) {
		s.calls = append(s.calls, string(name))
	}
	a.r = [6]uint64{uint64(len(s.devices)), s.arena.base, uint64(len(s.arena.bytes))}
}

// mostConnections is the largest CUDA_DEVICE_MAX_CONNECTIONS (d CUDA C Programming Guide, "CUDA Environment Variables").
const mostConnections = 32

// connect changes the number of connections of the devices, which must be unused.
func (s *Session) connect(connections int) Error {
	for _, d := range s.devices {
		config := *d.config
		config.HyperQ.Connections = min(max(connections, 1), mostConnections)
		d.config = &config
		if err := d.reset(); err != nil {
			s.complain(err)
			return ErrInitialization
		}
	}
	return Success
}

// note is for calls that are only counted.
func (s *Session) note(context.Context, *device, *request, *response) {}

// profiler starts or stops the counting of the summary.
func (s *Session) profiler(ctx context.Context, d *device, q *request, a *response) {
	s.progress(ctx, d, q, a) // earlier launches count as before
	d.syncFromProgram()
	s.summary.window(q.a[0] != 0)
}

// toTime converts µs to the devices' unit of time.
func toTime(us float64) hyperq.Time { return hyperq.Time(us*1e6 + 0.5) }
