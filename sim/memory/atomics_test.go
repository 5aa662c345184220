package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
)

// flood sends new requests of one kind as fast as they are taken.
type flood struct {
	left, flying, limit int
	make                func(i int) Request
}

func (f *flood) done() bool { return f.left == 0 }
func (f *flood) next(engine.Cycle) (Request, bool) {
	if f.left == 0 || f.flying >= f.limit {
		return Request{}, false
	}
	f.left--
	f.flying++
	return f.make(f.left), true
}
func (f *flood) respond(Response, engine.Cycle) { f.flying-- }

// atomicRate returns how many lanes a cycle the chip serves when all SMXs send requests of full warps.
func atomicRate(t *testing.T, cfg *configs.Config, kind RequestKind, bytes int, address func(smx, i, lane int) uint64) float64 {
	g := NewGlobal(cfg)
	base, err := g.Allocate("words", 1<<20)
	require.NoError(t, err)
	s := New(cfg, g)
	s.HostWrite(base, 1<<20)
	const requests = 300
	accessKind := map[RequestKind]exec.AccessKind{RequestLoad: exec.AccessLoad, RequestAtomic: exec.AccessAtomic,
		RequestReduction: exec.AccessReduction}[kind]
	var cores []core
	for smx := range cfg.SMX.Count {
		cores = append(cores, &flood{left: requests, limit: cfg.LoadStore.Outstanding, make: func(i int) Request {
			a := &exec.Access{Kind: accessKind, Bytes: uint8(bytes), Active: isa.FullMask, Operation: isa.AtomicAdd, Type: isa.U32}
			if bytes == 8 {
				a.Type = isa.U64
			}
			for lane := range 32 {
				a.Address[lane] = base + address(smx, i, lane)%(1<<20)
			}
			transactions := Coalesce(a, 128, &keplerParts, nil)
			tr := transactions[0]
			return Request{Kind: kind, Line: tr.Line, Sectors: tr.Sectors, Lanes: tr.Lanes, Access: a}
		}})
	}
	end := drive(t, s, cores)
	lanes := requests * cfg.SMX.Count * 32
	if bytes == 8 {
		lanes /= 2
	}
	return float64(lanes) / float64(end)
}

// Throughput of atomics by address pattern, with and without a result. On one word the chip passes one lane a cycle (NVIDIA's whitepaper on
// GK110). On many lines it runs at close to the rate of loads (its tuning guide). Nothing is faster than a load.
func TestAtomicThroughputByPattern(t *testing.T) {
	cfg := load(t, "gk110")
	lines := func(smx, i, lane int) uint64 { return uint64(smx*301+i)*128 + 4*uint64(lane) }
	loads := atomicRate(t, cfg, RequestLoad, 4, lines)
	reductions := atomicRate(t, cfg, RequestReduction, 4, lines)
	atomics := atomicRate(t, cfg, RequestAtomic, 4, lines)
	word := atomicRate(t, cfg, RequestReduction, 4, func(int, int, int) uint64 { return 0 })
	line := atomicRate(t, cfg, RequestReduction, 4, func(_, _, lane int) uint64 { return 4 * uint64(lane) })
	wide := atomicRate(t, cfg, RequestReduction, 8, func(smx, i, lane int) uint64 { return uint64(smx*301+i)*128 + 8*uint64(lane%16) })
	t.Logf("lanes a cycle: loads %.1f, atomics %.1f, reductions %.1f, of 64 bits %.1f; on one line %.2f, on one word %.2f", loads, atomics,
		reductions, wide, line, word)
	require.InEpsilon(t, 1, word, 0.05)
	require.InEpsilon(t, 32/(136/32.), line, 0.05, "one slice, whose link takes a header and 128 bytes in 4.25 cycles")
	require.Greater(t, atomics, 0.7*loads)
	require.Greater(t, reductions, 0.7*loads)
	require.LessOrEqual(t, atomics, 1.01*loads)
	require.Greater(t, wide, 0.3*loads)
}

// Each sector of a line takes as many turns as lanes share one of its words, whatever happens to its neighbours.
func TestSectorsOfAtomicsTakeTheirOwnTurns(t *testing.T) {
	for word, want := range map[int]int{1: 3, 7: 3, 8: 4, 9: 4, 31: 4} { // beside three lanes on word 0
		a := access(4, func(l int) uint64 { return uint64(4 * word * (l / 3)) })
		cost := costOfAtomic(a, 0b1111, &configs.GlobalAtomics{LanesPerCycle: 32})
		require.Equal(t, want, cost.occupied, "word %d", word)
		require.Equal(t, 2, cost.conflicts)
	}
}
