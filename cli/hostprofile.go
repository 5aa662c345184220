package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/internal/files"
)

// hostProfiles are the files for go tool pprof's profiles of the simulator itself.
type hostProfiles struct {
	cpu, memory string
}

func (p *hostProfiles) flags(f *pflag.FlagSet) {
	f.StringVar(&p.cpu, "cpuprofile", "", "write where the simulator itself spends its time to this file, for go tool pprof")
	f.StringVar(&p.memory, "memprofile", "", "write what the simulator itself has allocated to this file, for go tool pprof")
}

// allocationRate is the runtime's default: bytes allocated between two samples.
var allocationRate = runtime.MemProfileRate

// sampleAllocations turns the runtime's sampling of allocations on or off. Go turns it on in every program that can write a profile; it
// takes a fortieth of a short run's time.
func sampleAllocations(wanted bool) {
	runtime.MemProfileRate = 0
	if wanted {
		runtime.MemProfileRate = allocationRate
	}
}

// start starts the requested profiles. stop ends them, and writes them if write is set.
func (p *hostProfiles) start() (stop func(write bool) error, err error) {
	var cpu bytes.Buffer // grows by a megabyte per hour
	if p.cpu != "" {
		if err := pprof.StartCPUProfile(&cpu); err != nil {
			return nil, fmt.Errorf("--cpuprofile: %w", err)
		}
	}
	if p.memory != "" {
		sampleAllocations(true)
	}
	return func(write bool) error {
		var failures []error
		if p.cpu != "" {
			pprof.StopCPUProfile()
		}
		if p.cpu != "" && write {
			failures = append(failures, files.Write(p.cpu, func(w io.Writer) error { _, err := cpu.WriteTo(w); return err }))
		}
		if p.memory != "" && write {
			runtime.GC() // the profile shows the state at the last collection
			failures = append(failures, files.Write(p.memory, func(w io.Writer) error { return pprof.Lookup("allocs").WriteTo(w, 0) }))
		}
		return errors.Join(failures...)
	}, nil
}
