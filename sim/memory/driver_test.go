package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// load returns a configuration by name with overrides.
func load(t testing.TB, name string, overrides ...string) *configs.Config {
	t.Helper()
	cfg, err := configs.Load(name, overrides)
	require.NoError(t, err)
	return cfg
}

// core replaces an SMX: it sends its requests, at most one a cycle, and gets the responses.
type core interface {
	// next returns the request to send in this cycle, if any.
	next(now engine.Cycle) (Request, bool)
	// respond takes a response.
	respond(r Response, now engine.Cycle)
	// done reports that nothing more will be sent.
	done() bool
}

// drive runs cores on the first ports until all is done, DRAM included, and returns when the last response came.
func drive(t testing.TB, s *System, cores []core) engine.Cycle {
	t.Helper()
	return driveFrom(t, s, cores, 0)
}

func driveFrom(t testing.TB, s *System, cores []core, start engine.Cycle) engine.Cycle {
	t.Helper()
	epoch := s.EpochCycles()
	last := start
	for now := start; now < start+200_000_000; now += epoch {
		busy := false
		for i, c := range cores {
			p := s.Port(i)
			if c.done() && p.Outstanding() == 0 {
				continue
			}
			busy = true
			for cycle := now; cycle < now+epoch; cycle++ {
				for _, r := range p.Receive(cycle) {
					if r.Ready != cycle {
						t.Fatalf("an answer due in cycle %d came in cycle %d", r.Ready, cycle)
					}
					last = max(last, cycle)
					c.respond(r, cycle)
				}
				if r, ok := c.next(cycle); ok {
					r.Issued = cycle
					p.Send(r)
				}
			}
		}
		s.Step(now + epoch)
		if !busy && s.Idle() {
			return last
		}
	}
	t.Fatal("the memory system never came to rest")
	return 0
}

// chase is one load at a time over a ring of addresses.
type chase struct {
	addresses []uint64
	rounds    int
	at        int
	waiting   bool
	sent      engine.Cycle
	// sum is the latencies of all rounds except the first.
	sum, count int64
}

func (c *chase) done() bool { return c.at >= c.rounds*len(c.addresses) }

func (c *chase) next(now engine.Cycle) (Request, bool) {
	if c.waiting || c.done() {
		return Request{}, false
	}
	a := c.addresses[c.at%len(c.addresses)]
	c.waiting, c.sent = true, now
	return Request{Kind: RequestLoad, Line: a &^ 127, Sectors: 1 << (a % 128 / 32), Lanes: 1}, true
}

func (c *chase) respond(r Response, now engine.Cycle) {
	if c.at >= len(c.addresses) {
		c.sum += int64(now - c.sent)
		c.count++
	}
	c.at++
	c.waiting = false
}

// chaseLatency returns the average latency of a dependent load as a kernel sees it, the load/store unit included.
func chaseLatency(t testing.TB, cfg *configs.Config, footprint, stride uint64, rounds int) float64 {
	c := &chase{rounds: rounds}
	for a := uint64(0); a < footprint; a += stride {
		c.addresses = append(c.addresses, firstAddress+a)
	}
	drive(t, New(cfg, NewGlobal(cfg)), []core{c})
	return float64(c.sum)/float64(c.count) + float64(cfg.LoadStore.Latency)
}

// stream is one SMX of a STREAM-like kernel: warps that each load some lines, wait for them, store some, and go on.
type stream struct {
	warps   []streamWarp
	pending []int // warps with something to send, in order
	blocks  *int  // next block of all SMXs, shared
	total   int   // blocks in all
	limit   int   // requests in flight at most
	flying  int
	// lines returns the lines that a warp's turn loads and then stores.
	loads, stores func(warp int, into []uint64) []uint64
}

type streamWarp struct {
	queue   []uint64
	sent    int
	waiting int
	storing bool
	index   int
}

const streamBlock = 8 // warps

func newStreams(cfg *configs.Config, total int, loads, stores func(int, []uint64) []uint64) []core {
	next := 0
	var cores []core
	for range cfg.SMX.Count {
		cores = append(cores, &stream{blocks: &next, total: total, limit: cfg.LoadStore.Outstanding, loads: loads, stores: stores})
	}
	for range 64 / streamBlock {
		for _, c := range cores {
			c.(*stream).startBlock()
		}
	}
	return cores
}

func (s *stream) startBlock() {
	if *s.blocks >= s.total {
		return
	}
	block := *s.blocks
	*s.blocks++
	for i := range streamBlock {
		w := streamWarp{index: block*streamBlock + i}
		w.queue = s.loads(w.index, nil)
		s.pending = append(s.pending, len(s.warps))
		s.warps = append(s.warps, w)
	}
}

func (s *stream) done() bool { return len(s.pending) == 0 && s.flying == 0 && *s.blocks >= s.total }

func (s *stream) next(engine.Cycle) (Request, bool) {
	if len(s.pending) == 0 || s.flying >= s.limit {
		return Request{}, false
	}
	i := s.pending[0]
	w := &s.warps[i]
	r := Request{Kind: RequestLoad, Line: w.queue[w.sent], Sectors: 0xf, Lanes: 0xffff, Tag: uint32(i)}
	if w.storing {
		r.Kind = RequestStore
	}
	w.sent++
	w.waiting++
	s.flying++
	if w.sent == len(w.queue) {
		s.pending = s.pending[1:]
	}
	return r, true
}

func (s *stream) respond(r Response, _ engine.Cycle) {
	s.flying--
	i := int(r.Tag)
	w := &s.warps[i]
	w.waiting--
	if w.waiting > 0 || w.sent < len(w.queue) {
		return
	}
	if !w.storing {
		w.storing = true
		w.queue = s.stores(w.index, w.queue[:0])
		w.sent = 0
		if len(w.queue) > 0 {
			s.pending = append(s.pending, i)
			return
		}
	}
	if w.index%streamBlock == streamBlock-1 {
		s.startBlock()
	}
}
