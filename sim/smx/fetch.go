package smx

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// fetch brings instructions to the warps' buffers, a line of the first instruction cache at a time.
type fetch struct {
	hierarchy
	ahead int
}

func (f *fetch) build(config *configs.Config) (err error) {
	c := &config.InstructionCache
	f.hierarchy, err = newHierarchy(c.L1, c.L15, c.L2Latency)
	f.ahead = c.Prefetch
	return err
}

// line is when a warp that moves to a line of the program can issue from it. A miss also brings the lines behind it.
func (f *fetch) line(s *SMX, index int32) engine.Cycle {
	address := uint64(index) * f.line1
	at := f.read(address, s.now, &s.Counters.Instruction, &s.Counters.InstructionL15)
	if at > s.now+f.latency1 {
		for n := range f.ahead {
			if next := address + uint64(n+1)*f.line1; !f.holds(next) {
				f.prefetch(next, s.now)
			}
		}
	}
	return at
}

func (f *fetch) holds(line uint64) bool {
	valid, _ := f.l1.Probe(line)
	return valid != 0
}

// prefetch brings a line without counting an access.
func (f *fetch) prefetch(line uint64, now engine.Cycle) {
	latency := f.latency2
	outer := line - line%f.line15
	if valid, _ := f.l15.Probe(outer); valid != 0 {
		latency = f.latency15
	} else {
		f.l15.Fill(outer, 1, nil)
	}
	f.l1.Fill(line, 1, nil)
	f.arriving = append(f.arriving, arrival{line, now + latency})
}
