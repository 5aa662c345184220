//go:build !js

package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/checkpoint"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/workload"
)

// executed is the host's part of a checkpoint.
type executed struct {
	launches  []*stats.Launch
	events    map[string]*sim.Event
	launched  []launched
	scratch   map[string]uint64
	sizes     map[string]uint64
	count     int
	processes []executedProcess
}

// executedProcess is an unfinished process.
type executedProcess struct {
	number, wentOn int
	answers        [][]byte
	waiting        bool
	since          hyperq.Time
}

// world describes the objects around the run's state: the simulator's and the workload. save returns the host's part of the state; load
// receives it.
func (x *execution) world(save func() any, load func(any) error) *checkpoint.World {
	w := x.host.World()
	w.Shared = append(w.Shared, checkpoint.Named{Name: "the workload", Object: x.Workload})
	w.Fixed = append(w.Fixed, checkpoint.Named{Name: "the job", Object: x.Job})
	w.Twins = append(w.Twins, checkpoint.Twin{Named: checkpoint.Named{Name: "the host program", Object: x}, Save: save, Load: load})
	if m := x.options.InMemory; m != nil {
		w.Twins = append(w.Twins, m.Observer)
	}
	w.Types = append(slices.Clone(w.Types), reflect.TypeFor[copyEffect]())
	w.Alike = append(slices.Clone(w.Alike), reflect.TypeFor[workload.Workload](), reflect.TypeFor[workload.Launch](),
		reflect.TypeFor[workload.Copy](), reflect.TypeFor[Job]())
	return w
}

// saveWhenDue writes the requested checkpoint once, when its moment has come. If that fails, the run continues: its results should not be
// lost.
func (x *execution) saveWhenDue(programs []*process) {
	if m := x.options.InMemory; m != nil && m.Between != nil {
		m.Between(func() (*State, error) {
			state, err := x.state(programs)
			return &State{state, x.host.Prepared()}, err
		})
	}
	s := x.options.Save
	if s == nil || x.result.Saved != nil || x.result.SaveError != nil || !x.reached(s) {
		return
	}
	x.result.SaveError = x.save(s, programs)
}

// save writes a checkpoint.
func (x *execution) save(s *Save, programs []*process) error {
	if err := x.host.Flush(); err != nil {
		return err
	}
	state, err := x.state(programs)
	if err != nil {
		return fmt.Errorf("save the state at cycle %d: %w", x.host.Cycle(), err)
	}
	h := checkpoint.Header{Build: x.options.Version, Taken: x.host.Cycle(), Asked: s.String(), Launches: len(x.result.Launches),
		Kernels: x.host.Running(), Prepared: x.host.Prepared()}
	if h.Identities, err = x.identities(); err != nil {
		return err
	}
	if err := files.Write(s.To, func(out io.Writer) error { return checkpoint.Write(out, h, state) }); err != nil {
		return fmt.Errorf("save the state: %w", err)
	}
	h.State = int64(len(state))
	x.result.Saved = saved(s.To, &h)
	x.options.Log.Info("checkpoint", slog.String("file", s.To), slog.Int64("cycle", h.Taken), slog.Int("bytes", len(state)))
	return nil
}

// state takes the state of the run.
func (x *execution) state(programs []*process) ([]byte, error) {
	return x.world(func() any { return x.executed(programs) }, nil).Save()
}

func saved(file string, h *checkpoint.Header) *Saved {
	return &Saved{File: file, Requested: h.Asked, Cycle: h.Taken, Launches: h.Launches, Kernels: h.Kernels, State: h.State}
}

// reached tells whether the requested moment of a checkpoint has come.
func (x *execution) reached(s *Save) bool {
	if s.Launch == 0 {
		return x.host.Cycle() >= s.Cycle
	}
	for i := range x.launched[x.taken:] {
		if l := &x.launched[x.taken+i]; l.number == s.Launch {
			ran := l.Ran()
			return ran >= 0 && ran >= s.Cycle || l.Done()
		}
	}
	return s.Launch <= x.count
}

// executed returns the host's part of a checkpoint.
func (x *execution) executed(programs []*process) *executed {
	e := &executed{launches: x.result.Launches, events: x.events, launched: x.launched[x.taken:], scratch: x.scratch, sizes: x.sizes,
		count: x.count}
	for _, p := range programs {
		e.processes = append(e.processes, executedProcess{p.number, p.wentOn, p.answers, p.waiting != nil, p.since})
	}
	return e
}

// restore sets the run to the state in a file and returns the unfinished processes.
func (x *execution) restore(ctx context.Context, programs []*process) ([]*process, error) {
	file, err := os.Open(x.options.Resume)
	if err != nil {
		return nil, reason(err)
	}
	defer func() { _ = file.Close() }() // it was read
	h, read, err := checkpoint.Read(file)
	if err != nil {
		return nil, err
	}
	here, err := x.identities()
	if err != nil {
		return nil, err
	}
	if err := h.Check(here); err != nil {
		return nil, err
	}
	state, err := read()
	if err != nil {
		return nil, err
	}
	x.result.Resumed = saved(x.options.Resume, &h)
	return x.load(ctx, programs, &State{state, h.Prepared})
}

// load sets the run to a state and returns the unfinished processes.
func (x *execution) load(ctx context.Context, programs []*process, s *State) ([]*process, error) {
	if err := x.host.Prepare(ctx, s.prepared); err != nil {
		return nil, err
	}
	var e *executed
	save, load := func() any { return new(executed) }, func(state any) error { e = state.(*executed); return nil }
	if err := x.world(save, load).Load(s.data); err != nil {
		return nil, err
	}
	x.result.Launches, x.events, x.launched, x.scratch, x.sizes, x.count = e.launches, e.events, e.launched, e.scratch, e.sizes, e.count
	for _, l := range x.result.Launches { // the saved state lacks the configuration; it is this run's
		l.Chip = stats.NewChip(x.Config)
	}
	var left []*process
	for _, was := range e.processes {
		i := slices.IndexFunc(programs, func(p *process) bool { return p.number == was.number })
		if i < 0 {
			return nil, fmt.Errorf("%w: here is no process %d", checkpoint.ErrOther, was.number)
		}
		p := programs[i]
		if err := p.returnTo(&was); err != nil {
			return nil, err
		}
		left = append(left, p)
	}
	return left, nil
}

// reason returns an error without the file's name, which the message already has.
func reason(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}

// returnTo replays a process to its step in the checkpoint.
func (p *process) returnTo(was *executedProcess) error {
	p.memory = memory{answers: was.answers, replaysLeft: was.wentOn, isRecording: p.isRecording}
	for p.replaysLeft > 0 {
		waiting, more := p.goOn()
		if !more {
			return fmt.Errorf("%w: process %d ends before it is where it was: %w", checkpoint.ErrOther, p.number, p.err)
		}
		p.waiting = waiting
		p.replaysLeft--
	}
	if !was.waiting {
		p.waiting = nil
	}
	p.since = was.since
	return nil
}

// identities hash everything that a run's results depend on. A run resumes only from a checkpoint with the same identities.
func (x *execution) identities() ([]checkpoint.Identity, error) {
	o := x.options
	var list []checkpoint.Identity
	add := func(name string, parts ...[]byte) {
		h := sha256.New()
		for _, part := range parts {
			fmt.Fprintf(h, "%d\n", len(part))
			h.Write(part)
		}
		list = append(list, checkpoint.Identity{Name: name, Hash: hex.EncodeToString(h.Sum(nil))})
	}
	add("build of keplersim", []byte(o.Build))
	add("configuration ("+x.Config.Name+")", []byte(x.Config.Values()))
	var code [][]byte
	for _, name := range slices.Sorted(maps.Keys(x.quotes.texts)) {
		code = append(code, []byte(filepath.Base(name)), x.quotes.texts[name])
	}
	add("code of the kernels", code...)
	inputs := [][]byte{[]byte(x.Workload.YAML())}
	for _, path := range InputsOf(x.Workload, int(x.Config.ComputeCapability)) {
		if text, err := os.ReadFile(path); err == nil { // a name that is no file comes with the simulator
			inputs = append(inputs, text)
		}
	}
	add("workload or content of its files", inputs...)
	s := &o.Simulator
	registers := ""
	if s.RegistersOf != nil {
		registers = s.RegistersOf.Values()
	}
	options, err := json.Marshal([]any{o.Kernel, o.Grid, o.Block, o.Shared, s.MaxRegisters, s.Registers, registers, s.StrictTarget,
		s.CacheConfig, s.BankMode, s.GlobalLoads, s.ReuseDistance, s.NoContraction, s.Modes, s.Power, s.MPS})
	if err != nil {
		return nil, fmt.Errorf("options of the run: %w", err)
	}
	add("set of options", options)
	return list, nil
}
