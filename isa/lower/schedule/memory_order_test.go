package schedule

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// Random memory accesses wait for exactly those earlier ones that a check of each pair demands, or that these wait for.
func TestMemoryOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	spaces := []isa.Space{isa.SpaceGlobal, isa.SpaceGlobal, isa.SpaceShared, isa.SpaceGeneric}
	for range 300 {
		var units []*unit
		var accesses []*isa.Instruction
		for n := range 2 + r.IntN(60) {
			i := &isa.Instruction{Op: isa.OpLd, Type: isa.B32, Dst: make([]isa.Operand, 1)}
			i.Memory = &isa.Memory{Space: spaces[r.IntN(len(spaces))], Offset: int64(4 * r.IntN(4))}
			i.Memory.Base = isa.Reg(isa.Register(r.IntN(3)), isa.B64)
			if r.IntN(3) == 0 {
				i.Op, i.Dst, i.Src = isa.OpSt, nil, make([]isa.Operand, 1)
			}
			switch r.IntN(6) {
			case 0:
				i.Type = isa.B64
			case 1:
				i.Type, i.Memory.Offset = isa.B8, i.Memory.Offset+int64(r.IntN(4))
			case 2:
				i.Memory.Cache = isa.CacheVolatile
			}
			accesses = append(accesses, i)
			units = append(units, &unit{position: n, operations: []*machine.Operation{{}}})
		}
		d := &dependences{units: units, seen: make([]int32, len(units)), last: make([]int32, len(units))}
		for n := range d.seen {
			d.seen[n] = -1
		}
		m := newMemoryOrder(d)
		for n, i := range accesses {
			m.access(n, i, make([]int32, 16))
		}
		want := make([][]bool, len(units)) // want[a][b]: b waits for a, directly or through others
		for a := len(units) - 1; a >= 0; a-- {
			want[a] = make([]bool, len(units))
			for b := a + 1; b < len(units); b++ {
				if mustWait(accesses[a], accesses[b]) {
					want[a][b] = true
					for c := range units {
						want[a][c] = want[a][c] || want[b][c]
					}
				}
			}
		}
		for a, u := range units {
			got := make([]bool, len(units))
			seen := map[*unit]bool{}
			for work := []*unit{u}; len(work) > 0; {
				from := work[len(work)-1]
				work = work[:len(work)-1]
				for _, e := range from.after {
					if seen[e.to] {
						continue
					}
					seen[e.to] = true
					work = append(work, e.to)
					if len(e.to.operations) > 0 {
						got[e.to.position] = true
					}
				}
			}
			if !assert.Equal(t, want[a], got, "access %d", a) {
				return
			}
		}
	}
}

// mustWait is the rule for two accesses: both are volatile, or one writes and they may touch the same byte.
func mustWait(a, b *isa.Instruction) bool {
	volatile := a.Memory.Cache == isa.CacheVolatile && b.Memory.Cache == isa.CacheVolatile
	if volatile || a.Op == isa.OpLd && b.Op == isa.OpLd {
		return volatile
	}
	x, y := a.Memory, b.Memory
	if x.Space == y.Space && x.Base == y.Base {
		return x.Offset < y.Offset+int64(b.Type.Bytes()) && y.Offset < x.Offset+int64(a.Type.Bytes())
	}
	return x.Space == y.Space || x.Space == isa.SpaceGeneric || y.Space == isa.SpaceGeneric
}
