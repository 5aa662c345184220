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

// start begins what is asked for; stop ends it, and writes it where that is wanted.
func (p *hostProfiles) start() (stop func(write bool) error, err error) {
	var cpu bytes.Buffer // a megabyte an hour
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
			runtime.GC() // the profile is as of the last collection
			failures = append(failures, files.Write(p.memory, func(w io.Writer) error { return pprof.Lookup("allocs").WriteTo(w, 0) }))
		}
		return errors.Join(failures...)
	}, nil
}
