package sim

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/checkpoint"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx"
)

// keptFields keep their values in the process that resumes a checkpoint.
var keptFields = map[string]string{
	"sim.Host.options":        "what the user asks for, functions among it; what changes results is compared",
	"sim.Host.findings":       "checks are refused",
	"sim.Host.commands":       "checks are refused",
	"sim.Host.watch":          "when progress was last shown",
	"sim.Host.more":           "a run that is saved keeps its timeline as it is",
	"sim.Host.scratch":        "as more",
	"sim.GPU.options":         "as the host's",
	"sim.GPU.sources":         "made again from the kernels when it is needed",
	"sim.GPU.chip":            "of the configuration, which is the same",
	"sim.GPU.free":            "memory for what is to come",
	"sim.GPU.unused":          "as free",
	"sim.GPU.lists":           "as free",
	"smx.ledger.spare":        "as free",
	"memory.Global.arena":     "where on the host the bytes lie; what they are is in memory.State",
	"memory.Global.card":      "what the user asks for",
	"sim.system.over":         "of the run that is under way",
	"sim.system.out":          "what was printed before is written before the checkpoint is",
	"sim.GPU.observer":        "whose observer it is sees to it; a run of the command line that has one is refused",
	"device.Device.observer":  "as the GPU's, when all is loaded",
	"memory.watched.observer": "as the GPU's, when all is loaded",
	"smx.SMX.listener":        "as the GPU's, when all is loaded",
	"smx.common.observer":     "made again when all is loaded: of the policies that listen",
	"smx.lsu.listeners":       "made again when all is loaded: of the policies that listen to caches",
	"smx.lsu.outlet":          "made again when all is loaded: the port, or who listens before it",
	"device.Device.crew":      "threads begin with the next epoch",
}

// refusedFields must be empty in a checkpoint, with the features that fill them.
var refusedFields = map[string]string{
	"sim.GPU.checker":          "checks (--check)",
	"sim.Host.failure":         "a run that has failed",
	"sim.blockCalls.ended":     "checks (--check)",
	"sim.waiter.of":            "checks (--check)",
	"device.Device.faults":     "checks (--check)",
	"device.Device.sampler":    "estimates (--sample)",
	"device.Device.untimed":    "estimates (--sample)",
	"device.Options.Clock":     "estimates (--budget)",
	"device.Options.Scheduler": "a scheduler that is no policy of the program",
	"smx.common.own":           "a scheduler that is no policy of the program",
	"memory.Global.lazy":       "estimates (--sample=time)",
	"memory.fabric.undo":       "threads that run: Forget ends it",
	"memory.Port.undo":         "threads that run: Forget ends it",
	"smx.effects.faults":       "checks (--check)",
	"smx.functional.native":    "a run without timing (--functional)",
	"sim.GPU.screen":           "checks (--check)",
	"device.Device.screen":     "checks (--check)",
	"smx.common.screen":        "checks (--check)",
	"smx.common.survey":        "checks (--check)",
	"smx.common.recorder":      "checks (--check)",
	"smx.block.screened":       "checks (--check)",
	"smx.GridState.tally":      "a run without timing (--functional)",
	"smx.GridState.reaches":    "a run without timing (--functional)",
}

// alike has the types of objects that never change after a kernel is lowered, and that each process makes itself.
var alike = []reflect.Type{
	reflect.TypeFor[configs.Config](), reflect.TypeFor[isa.Program](), reflect.TypeFor[isa.MachineProgram](),
	reflect.TypeFor[isa.MachineOp](), reflect.TypeFor[exec.Code](), reflect.TypeFor[exec.Bound](), reflect.TypeFor[smx.Program](),
}

// Savable returns why the state of a run with these options cannot be saved; nil if it can.
func (o *Options) Savable() error {
	switch {
	case o.Check != finding.None:
		return errors.New("a checkpoint does not hold the state of checks: leave out --check")
	case o.Functional:
		return errors.New("a run without timing has no cycles: leave out --functional")
	case o.Estimate:
		return errors.New("an estimate skips the timing of most launches: leave out --sample and --budget")
	case o.Observer != nil:
		return errors.New("a checkpoint does not hold what observes the run: leave --record, --trace, --serve and the like away")
	case o.Scheduler != nil:
		return errors.New("a checkpoint does not hold a scheduler that is no policy of the program")
	case o.Arena != nil:
		return errors.New("a checkpoint does not hold a host program, whose memory the device shares")
	}
	return nil
}

// World returns the World of the state of the host's devices. The caller adds its own objects.
func (h *Host) World() *checkpoint.World {
	for _, g := range h.gpus {
		g.device.Forget()
	}
	w := &checkpoint.World{Kept: keptFields, Refused: refusedFields, Alike: alike, Types: []reflect.Type{
		reflect.TypeFor[*blockCalls](), reflect.TypeFor[setting](), reflect.TypeFor[copying](), reflect.TypeFor[settingRows](),
	}}
	share := func(name string, object any) {
		w.Shared = append(w.Shared, checkpoint.Named{Name: name, Object: object})
	}
	twin := func(name string, object any) {
		w.Twins = append(w.Twins, checkpoint.Twin{Named: checkpoint.Named{Name: name, Object: object}})
	}
	share("the configuration", h.config)
	if of := h.options.RegistersOf; of != nil {
		share("the chip of the registers", of)
	}
	twin("the host", h)
	for i, g := range h.gpus {
		name := fmt.Sprintf("device %d", i)
		twin(name, g)
		twin("the driver of "+name, g.system)
		w.Twins = append(w.Twins, checkpoint.Twin{
			Named: checkpoint.Named{Name: "the memory of " + name, Object: g.global},
			Save:  func() any { return g.global.State() },
			Load: func(state any) error {
				g.device.FromCheckpoint = true
				g.device.Observe(g.observer) // the restored observer, so that the SMXs have their outlets again
				return g.global.Restore(state.(*memory.State))
			},
		})
		for n, m := range g.modules {
			name := fmt.Sprintf("module %d of %s", n, name)
			twin(name, m)
			share(name, m.program)
			for _, kernel := range m.lowered() {
				share(kernel+" of "+name, m.programs[kernel])
			}
		}
	}
	return w
}

// lowered returns the kernels of a module that have been lowered, sorted.
func (m *Module) lowered() (names []string) {
	for name := range m.programs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Prepared lists the kernels that have been lowered, in a form for Prepare.
func (h *Host) Prepared() (list []string) {
	for i, g := range h.gpus {
		for n, m := range g.modules {
			for _, kernel := range m.lowered() {
				list = append(list, fmt.Sprintf("%d %d %s", i, n, kernel))
			}
		}
	}
	return list
}

// Prepare lowers the kernels that another process had lowered.
func (h *Host) Prepare(ctx context.Context, list []string) error {
	for _, text := range list {
		var device, module int
		var kernel string
		if _, err := fmt.Sscanf(text, "%d %d %s", &device, &module, &kernel); err != nil || device < 0 || device >= len(h.gpus) ||
			module < 0 || module >= len(h.gpus[device].modules) {
			return fmt.Errorf("%w: here is no kernel %q", checkpoint.ErrOther, text)
		}
		m := h.gpus[device].modules[module]
		kernel, registers, limited := strings.Cut(kernel, ":") // see limitedName
		_, err := m.prepared(ctx, kernel)
		if most, _ := strconv.Atoi(registers); limited && err == nil {
			_, err = m.limited(ctx, kernel, most)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Flush writes the kernels' output so far.
func (h *Host) Flush() error {
	for _, g := range h.gpus {
		if err := g.system.flush(); err != nil {
			return err
		}
	}
	return nil
}

// Cycle returns the most cycles with work of any device.
func (h *Host) Cycle() (most int64) {
	for _, g := range h.gpus {
		most = max(most, int64(g.device.Now()))
	}
	return most
}

// Running returns the names of the running kernels, nested ones included.
func (h *Host) Running() (names []string) {
	for _, g := range h.gpus {
		for _, ran := range g.device.Grids() {
			names = append(names, ran.Program.Machine.Program.Title(ran.Program.Machine.Kernel.Name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Ran returns the cycles that the launch has run, -1 if it is not running.
func (p *Pending) Ran() int64 {
	for _, ran := range p.gpu.device.Grids() {
		if ran.Command == p.command {
			return int64(p.gpu.device.Now() - ran.Start)
		}
	}
	return -1
}
