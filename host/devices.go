package host

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// makeDevices makes the board's devices up to the last one that the workload names.
func (j *Job) makeDevices() error {
	options := j.options.Simulator
	options.Timeline, options.Spill = true, j.options.spills()
	count := 1
	if w := j.Workload; w != nil {
		options.MPS = options.MPS || w.MPS
		for _, b := range w.Buffers {
			count = max(count, b.Device+1)
		}
		for _, l := range w.Launches() {
			count = max(count, l.Device+1)
		}
		if most := j.Config.HyperQ.MPSClients; options.MPS && j.processes() > most {
			return fmt.Errorf("%s: %d processes under MPS, which has at most %d clients (hyperq.mps_clients)", w.Path, j.processes(), most)
		}
	}
	h, err := sim.NewHost(j.Config, options, count)
	if err != nil {
		return err
	}
	j.gpus = h.GPUs()
	j.gpu = j.gpus[0]
	return nil
}

// deviceModule is a module on a device other than the first.
type deviceModule struct {
	device int
	name   string
}

// loadElsewhere loads the modules for launches on devices other than the first.
func (j *Job) loadElsewhere(ctx context.Context, paths map[string]string) error {
	j.others = map[deviceModule]*sim.Module{}
	loaded := map[deviceModule]*sim.Module{}
	for _, l := range j.Workload.Launches() {
		key := deviceModule{l.Device, l.Module}
		if l.Device == 0 || j.others[key] != nil {
			continue
		}
		place := deviceModule{l.Device, paths[l.Module]}
		if loaded[place] == nil {
			module, err := j.loadModule(ctx, j.gpus[l.Device], paths[l.Module])
			if err != nil {
				return err
			}
			loaded[place] = module
		}
		j.others[key] = loaded[place]
	}
	return nil
}

// moduleOf returns the module of a launch on its device.
func (j *Job) moduleOf(l *workload.Launch) *sim.Module {
	if l.Device > 0 {
		return j.others[deviceModule{l.Device, l.Module}]
	}
	return j.modules[l.Module]
}
