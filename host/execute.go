package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/workload"
)

// process is one process of the host program. Its steps are those that name it, in order.
type process struct {
	*execution
	number int
	memory // of its answers from the devices, for checkpoints
	// waiting is the condition it has been waiting for since a time; nil while it runs.
	waiting *condition
	since   hyperq.Time
	resume  func() (*condition, bool)
	stop    func()
	yield   func(*condition) bool
	err     error
}

// condition is what a process waits for. holds tells whether it is met, since tells since when.
type condition struct {
	name  string
	holds func() bool
	since func() hyperq.Time
}

// processOf is the number of the process that executes a step.
func processOf(s *workload.Step) int {
	switch {
	case s.Launch != nil:
		return s.Launch.Process
	case s.Copy != nil:
		return s.Copy.Process
	case s.Event != nil:
		return s.Event.Process
	case s.Wait != nil:
		return s.Wait.Process
	case s.Sync != nil:
		return s.Sync.Process
	case s.Memset != nil:
		return s.Memset.Process
	case s.Callback != nil:
		return s.Callback.Process
	case s.Allocate != nil:
		return s.Allocate.Process
	case s.Free != nil:
		return s.Free.Process
	}
	return 0
}

// processes is the number of processes in the workload.
func (j *Job) processes() int {
	return max(1, len(j.processNumbers()))
}

// processNumbers are the processes' numbers, in the order of their first steps.
func (j *Job) processNumbers() (list []int) {
	workload.EachStep(j.Workload.Steps, func(s *workload.Step) {
		if n := processOf(s); s.Repeat == nil && !slices.Contains(list, n) {
			list = append(list, n)
		}
	})
	return list
}

// execution is a run of the steps.
type execution struct {
	*Job
	host     *sim.Host
	result   *Result
	events   map[string]*sim.Event
	launched []launched
	scratch  map[string]uint64 // allocated by steps, by name; 0 for the host's memory
	sizes    map[string]uint64
	taken    int // the number of launched whose results have been taken
	count    int // the number of launches put into a stream so far
}

// launched is a launch that has been put into its stream.
type launched struct {
	*sim.Pending
	launch *workload.Launch
	number int // from 1
}

// execute runs the steps. Processes run concurrently, each with its own clock: the one that is furthest behind runs next. The devices run
// when all processes wait.
func (j *Job) execute(ctx context.Context, r *Result) error {
	x := &execution{
		Job: j, host: j.gpu.Host(), result: r, events: map[string]*sim.Event{}, scratch: map[string]uint64{}, sizes: map[string]uint64{},
	}
	from := j.options.from()
	if j.options.Resume == "" && from == nil {
		x.makeStreams()
	}
	programs := x.programs(ctx)
	for _, p := range programs {
		defer p.stop()
	}
	if j.options.Resume != "" {
		var err error
		if programs, err = x.restore(ctx, programs); err != nil {
			return &Refused{fmt.Errorf("%s: %w", j.options.Resume, err)}
		}
	} else if from != nil {
		var err error
		if programs, err = x.load(ctx, programs, from); err != nil {
			return err
		}
	}
	err := x.run(ctx, programs)
	x.collectResults()
	if err == nil {
		for _, g := range x.gpus {
			g.Leaks()
		}
	}
	r.Cycle = x.host.Cycle()
	r.Timeline, r.Later, r.Mistakes = x.host.Timeline(), x.host.More(), x.host.Findings()
	if !j.options.Simulator.Functional {
		r.HostUS, r.DeviceUS = x.host.Elapsed()
	}
	for _, g := range x.gpus {
		if p := g.Power(); p != nil {
			r.Power = append(r.Power, p)
		}
	}
	return err
}

// makeStreams makes the streams that the file describes. Others are made on first use.
func (x *execution) makeStreams() {
	for _, g := range x.gpus {
		for _, s := range x.Workload.Streams {
			for _, process := range x.processNumbers() {
				g.NumberStream(
					process, s.Number, sim.StreamOptions{Name: s.Name, Priority: s.Priority, NonBlocking: s.NonBlocking, Process: process},
				)
			}
		}
	}
}

// programs returns the processes, ready to start.
func (x *execution) programs(ctx context.Context) (list []*process) {
	several := x.processes() > 1
	workload.EachStep(x.Workload.Steps, func(s *workload.Step) {
		if e := s.Event; e != nil && x.events[e.Record] == nil {
			x.events[e.Record] = sim.NewEvent(e.Record)
			if several {
				x.events[e.Record].Expect()
			}
		}
	})
	for _, n := range x.processNumbers() {
		p := &process{execution: x, number: n, memory: memory{isRecording: x.options.saves()}}
		p.resume, p.stop = iter.Pull(func(yield func(*condition) bool) {
			p.yield = yield
			if p.err = p.steps(ctx, x.Workload.Steps, 0); p.err == nil {
				yield(x.allDone(n))
			}
		})
		list = append(list, p)
	}
	return list
}

// refused is the error of an impossible step, with its place.
func (x *execution) refused(s *workload.Step, err error) error {
	return &Refused{fmt.Errorf("%s:%d:%d: %w", x.Workload.Path, s.Position.Line, s.Position.Column, err)}
}

// device returns the device that a step names.
func (x *execution) device(s *workload.Step, number int) (*sim.GPU, error) {
	if number >= len(x.gpus) {
		return nil, x.refused(s, fmt.Errorf("device %d: the workload has its buffers and launches on %d", number, len(x.gpus)))
	}
	return x.gpus[number], nil
}

// waitForAll waits for all work that the process has submitted, as cudaDeviceSynchronize does.
func (p *process) waitForAll() {
	p.yield(p.allDone(p.number))
	for _, g := range p.gpus {
		g.Waited(p.number)
	}
}

// allDone holds when all work that a process has submitted is done.
func (x *execution) allDone(process int) *condition {
	return &condition{"wait for all", func() bool {
		for _, g := range x.gpus {
			if !g.Done(process) {
				return false
			}
		}
		return true
	}, func() (at hyperq.Time) {
		for _, g := range x.gpus {
			at = max(at, g.LastEnd(process))
		}
		return at
	}}
}

// run resumes the process that is furthest behind, until all have ended.
func (x *execution) run(ctx context.Context, programs []*process) error {
	for len(programs) > 0 {
		next := -1
		for i, p := range programs {
			if p.waiting != nil && p.waiting.holds() {
				x.host.Resume(p.number, p.waiting.name, p.since, p.waiting.since())
				p.waiting = nil
			}
			if p.waiting == nil && (next < 0 || x.host.Clock(p.number) < x.host.Clock(programs[next].number)) {
				next = i
			}
		}
		if next < 0 {
			if err := x.host.Advance(ctx); err != nil {
				return err
			}
			x.collectResults()
			x.saveWhenDue(programs)
			continue
		}
		p := programs[next]
		x.host.Settle()
		waiting, more := p.goOn()
		if !more {
			if p.err != nil {
				return p.err
			}
			programs = append(programs[:next:next], programs[next+1:]...)
			continue
		}
		if p.waiting = waiting; waiting != nil {
			p.since = x.host.Clock(p.number)
		}
	}
	return nil
}

// collectResults adds the results of finished launches, in the order of submission.
func (x *execution) collectResults() {
	for ; x.taken < len(x.launched) && x.launched[x.taken].Done(); x.taken++ {
		done, l := x.launched[x.taken].Result(), x.launched[x.taken].launch
		x.launched[x.taken] = launched{}
		if !done.Interrupted && x.picked != nil && !x.picked(l) {
			continue
		}
		x.quotes.fill(done)
		gpu := x.host.GPUs()[done.Device]
		if len(x.result.Launches) >= fullLaunches {
			gpu.Slim(done)
		}
		if free := x.result.add(done, x.options.spills()); free != nil {
			gpu.Reuse(free)
		}
	}
	if 2*x.taken >= len(x.launched) { // keep the list short although some launch is always unfinished
		left := copy(x.launched, x.launched[x.taken:])
		clear(x.launched[left:])
		x.launched, x.taken = x.launched[:left], 0
	}
}

// step executes one step other than a launch or a repetition.
func (p *process) step(s *workload.Step) error {
	stream := func(device, number int) (*sim.Stream, error) {
		g, err := p.device(s, device)
		if err != nil {
			return nil, err
		}
		return g.Stream(p.number, number), nil
	}
	switch {
	case s.Copy != nil:
		return p.copy(s)
	case s.Memset != nil:
		return p.memset(s)
	case s.Event != nil:
		to, err := stream(s.Event.Device, s.Event.Stream)
		if err == nil && !p.isReplaying() {
			to.Record(p.events[s.Event.Record])
		}
		return err
	case s.Wait != nil:
		to, err := stream(s.Wait.Device, s.Wait.Stream)
		if err == nil && !p.isReplaying() {
			to.Wait(p.events[s.Wait.Event])
		}
		return err
	case s.Callback != nil:
		to, err := stream(s.Callback.Device, s.Callback.Stream)
		if err == nil && !p.isReplaying() {
			to.Callback(s.Callback.Name, s.Callback.Microseconds, nil)
		}
		return err
	case s.Allocate != nil, s.Free != nil:
		return p.allocation(s)
	case s.Sync.All:
		p.waitForAll()
	case s.Sync.Event != "":
		e := p.events[s.Sync.Event]
		p.yield(&condition{"wait for event " + e.Name, e.Done, e.End})
		e.Waited(p.host, p.number)
	default:
		to, err := stream(s.Sync.Device, s.Sync.Stream)
		if err != nil {
			return err
		}
		p.yield(waitFor(to))
		to.Waited(p.number)
	}
	return p.returnManaged()
}

// returnManaged waits for managed memory to come back after the process has synchronised.
func (p *process) returnManaged() error {
	for _, g := range p.gpus {
		moves, err := p.askBool(func() (bool, error) {
			s, err := g.ReturnManaged(p.number)
			return s != nil, err
		})
		if err != nil {
			return err
		}
		if moves {
			p.yield(waitFor(g.Stream(p.number, 0)))
		}
	}
	return nil
}

// allocation executes an allocation or a free, with its time and its effect on order.
func (p *process) allocation(s *workload.Step) error {
	if s.Free != nil {
		return p.free(s)
	}
	a := s.Allocate
	if p.isReplaying() {
		return nil
	}
	if _, twice := p.scratch[a.Name]; twice {
		return p.refused(s, fmt.Errorf("%s is allocated already", a.Name))
	}
	g, err := p.device(s, a.Device)
	if err != nil {
		return err
	}
	var address uint64
	if !a.Pinned {
		if address, err = g.Allocate(a.Name, uint64(a.Bytes)); err != nil {
			return p.refused(s, err)
		}
	}
	p.scratch[a.Name], p.sizes[a.Name] = address, uint64(a.Bytes)
	g.Implicit(p.number, "allocate "+a.Name, g.AllocationTime(uint64(a.Bytes)))
	return nil
}

func (p *process) free(s *workload.Step) error {
	f := s.Free
	if _, known := p.scratch[f.Name]; !known && !p.isReplaying() {
		return p.refused(s, fmt.Errorf("%s has been freed", f.Name))
	}
	g, err := p.device(s, f.Device)
	if err != nil {
		return err
	}
	if p.yield(p.allDone(p.number)); p.isReplaying() {
		return nil
	}
	address := p.scratch[f.Name]
	g.Implicit(p.number, "free "+f.Name, g.FreeTime(p.sizes[f.Name]))
	delete(p.scratch, f.Name)
	if address == 0 {
		return nil
	}
	return g.Free(address)
}

func waitFor(s *sim.Stream) *condition {
	return &condition{"wait for stream " + s.Name(), s.Done, s.LastEnd}
}

// copy puts a copy into its stream. The host's memory of a buffer always has the buffer's initial contents.
func (x *process) copy(s *workload.Step) error {
	c := s.Copy
	on := c.To
	if c.Kind == workload.DeviceToHost || c.Kind == workload.DeviceToDevice {
		on = c.From
	}
	b, _ := x.Workload.Buffer(on)
	gpu := x.gpus[b.Device]
	made := sim.Copy{Name: c.From + " to " + c.To, Bytes: c.Bytes, Width: c.Width, Height: c.Height, ToPitch: c.ToPitch,
		FromPitch: c.FromPitch, Pinned: c.Pinned}
	made.To, made.From = x.addressOf(c.To, c.ToOffset), x.addressOf(c.From, c.FromOffset)
	switch c.Kind {
	case workload.HostToDevice:
		made.Direction, made.Effect = sim.ToDevice, copyEffect{x.Job, c}
	case workload.DeviceToHost:
		made.Direction = sim.ToHost
	default:
		made.Direction, made.Effect = sim.Within, copyEffect{x.Job, c}
		if to, _ := x.Workload.Buffer(c.To); to.Device != b.Device {
			made.Direction, made.Peer = sim.ToPeer, x.gpus[to.Device]
		}
	}
	stream := gpu.Stream(c.Process, c.Stream)
	waits, err := x.askBool(func() (bool, error) { return stream.StartCopy(made) })
	if err != nil {
		return x.refused(s, err)
	}
	if waits {
		x.yield(waitFor(stream))
		stream.Waited(x.number)
	}
	return nil
}

// addressOf is the device address of one side of a copy; 0 for the host's memory and for variables without an address.
func (x *execution) addressOf(name string, offset int64) uint64 {
	if address, err := x.BufferAddress(name); err == nil {
		return address + uint64(offset)
	}
	return 0
}

// copyEffect is the effect of a copy.
type copyEffect struct {
	job  *Job
	copy *workload.Copy
}

// Apply moves the bytes.
func (m copyEffect) Apply() error {
	c := m.copy
	from, err := m.source()
	if err != nil {
		return fmt.Errorf("copy from %s: %w", c.From, err)
	}
	if closer, ok := from.(*workload.Contents); ok {
		defer closer.Close()
	}
	rows, width := int64(1), c.Bytes
	if c.Height > 0 {
		rows, width = c.Height, c.Width
	}
	for row := range rows {
		if err := m.job.write(c.To, uint64(c.ToOffset+row*c.ToPitch), from, c.FromOffset+row*c.FromPitch, width); err != nil {
			return fmt.Errorf("copy to %s: %w", c.To, err)
		}
	}
	return nil
}

// source is the memory that the copy reads.
func (m copyEffect) source() (io.ReaderAt, error) {
	j, c := m.job, m.copy
	switch {
	case c.Kind == workload.HostToDevice:
		if v := j.variables[c.To]; v != nil {
			return bytes.NewReader(v.start), nil
		}
		b, _ := j.Workload.Buffer(c.To)
		return j.initial(&b)
	case c.From == c.To: // it must not read its own writes
		data, err := j.Buffer(c.From)
		return bytes.NewReader(data), err
	}
	return reader{j, c.From}, nil
}

// memset puts a memset into its stream.
func (x *process) memset(s *workload.Step) error {
	m := s.Memset
	if x.isReplaying() {
		return nil
	}
	b, _ := x.Workload.Buffer(m.Buffer)
	err := x.gpus[b.Device].Stream(m.Process, m.Stream).Memset(m.Buffer, x.addressOf(m.Buffer, m.Offset), m.Value, m.Bytes)
	if err != nil {
		return x.refused(s, err)
	}
	return nil
}
