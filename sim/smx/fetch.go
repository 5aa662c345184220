package smx

import (
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// front plans what each warp issues next: it fetches instructions and constant operands, and finds when all that an operation needs is
// ready.
type front struct {
	*common
	ledger    *ledger
	fetch     fetch
	constants constants
	code      []placed // programs in the instruction caches' addresses, one behind the other
	codeBytes uint64   // of them all
	joined    uint64   // grids that have started since the SMX was last made anew
}

// placed is a program with where its code begins in the instruction caches' addresses.
type placed struct {
	program *Program
	at      uint64
}

// codeAlignment is what a program's code is aligned to, in bytes: a line of every instruction cache.
const codeAlignment = 1 << 12

// bankSpace is what the constant banks of a grid take of the constant caches' addresses, bankStep how much further those of the next
// begin, so that the parameters of all do not fall into one set.
const (
	bankSpace = 1 << 24
	bankStep  = 1 << 8
)

// reset forgets all programs and empties the caches.
func (s *front) reset() error {
	s.joined, s.code, s.codeBytes = 0, s.code[:0], 0
	if err := s.fetch.build(s.config); err != nil {
		return err
	}
	return s.constants.build(s.config)
}

// admit gives a grid its places in the caches' addresses. A program that is there already shares its code's lines; constants are each
// grid's own.
func (s *front) admit(h *Share) {
	h.constants = s.joined * (bankSpace + bankStep)
	s.joined++
	program := h.Grid.Program
	i := slices.IndexFunc(s.code, func(p placed) bool { return p.program == program })
	if i < 0 {
		i = len(s.code)
		s.code = append(s.code, placed{program, s.codeBytes})
		bytes := uint64(place(len(program.operations), &s.config.InstructionCache))
		s.codeBytes += (bytes/codeAlignment + 1) * codeAlignment
	}
	h.code = s.code[i].at
}

// fetch brings instructions to the warps' buffers, a line of the first instruction cache at a time.
type fetch struct {
	hierarchy
	prefetcher cache.Prefetcher // nil for none
	ahead      []uint64         // the lines it names; the space is reused
}

func (f *fetch) build(config *configs.Config) (err error) {
	c := &config.InstructionCache
	if f.l1 != nil {
		f.reset()
	} else if f.hierarchy, err = newHierarchy(c.L1, c.L15, c.L2Latency); err != nil {
		return err
	}
	f.prefetcher, err = cache.NewPrefetcher(c.Prefetcher, cache.PrefetchSpec{LineBytes: c.L1.Line, Degree: c.Prefetch})
	return err
}

// line returns when a warp that moves to a line of the program, whose code begins at base, can issue from it. The prefetcher may bring
// further lines.
func (f *fetch) line(base uint64, index int32, now engine.Cycle, c *stats.SMX) engine.Cycle {
	address := base + uint64(index)*f.line1
	at := f.read(address, now, &c.Instruction, &c.InstructionL15)
	if f.prefetcher != nil {
		f.prefetch(address, at > now+f.latency1, now)
	}
	return at
}

// prefetch brings the lines that the prefetcher names after an access; no access is counted for them.
func (f *fetch) prefetch(line uint64, missed bool, now engine.Cycle) {
	if missed {
		f.ahead = f.prefetcher.Miss(cache.Nobody(line), f.ahead[:0])
	} else {
		f.ahead = f.prefetcher.Hit(cache.Nobody(line), f.ahead[:0])
	}
	for _, next := range f.ahead {
		if !cached(f.l1, next) {
			f.bring(next, cached(f.l15, next&^(f.line15-1)), now)
		}
	}
}

// cached reports whether a cache has a line.
func cached(c *cache.Cache, line uint64) bool {
	valid, _ := c.Probe(line)
	return valid != 0
}
