package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/pflag"
)

// hostProfiles are files for profiles of the simulator itself, as go tool pprof reads them.
type hostProfiles struct {
	cpu, memory string
}

func (p *hostProfiles) flags(f *pflag.FlagSet) {
	f.StringVar(&p.cpu, "cpuprofile", "", "write where the simulator itself spends its time to this file, for go tool pprof")
	f.StringVar(&p.memory, "memprofile", "", "write what the simulator itself has allocated to this file, for go tool pprof")
}

// allocationRate is how many bytes are allocated between two samples, as the runtime has it.
var allocationRate = runtime.MemProfileRate

// sampleAllocations has the runtime note who allocates, or not. It does so in every program that could write a profile; a short run loses a
// fortieth of its time to it.
func sampleAllocations(wanted bool) {
	runtime.MemProfileRate = 0
	if wanted {
		runtime.MemProfileRate = allocationRate
	}
}

// start begins what is asked for; stop writes it.
func (p *hostProfiles) start() (stop func() error, err error) {
	var cpu, memory *os.File
	if p.cpu != "" {
		if cpu, err = os.Create(p.cpu); err != nil {
			return nil, fmt.Errorf("--cpuprofile: %w", err)
		}
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return nil, errors.Join(fmt.Errorf("--cpuprofile: %w", err), cpu.Close())
		}
	}
	if p.memory != "" {
		if memory, err = os.Create(p.memory); err != nil {
			return nil, fmt.Errorf("--memprofile: %w", err)
		}
		sampleAllocations(true)
	}
	return func() error {
		var failures []error
		if cpu != nil {
			pprof.StopCPUProfile()
			failures = append(failures, cpu.Close())
		}
		if memory != nil {
			runtime.GC() // the profile is as of the last collection
			failures = append(failures, pprof.Lookup("allocs").WriteTo(memory, 0), memory.Close())
		}
		return errors.Join(failures...)
	}, nil
}
