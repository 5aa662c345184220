package check

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/screen"
)

// initialised finds reads of unwritten bytes, and records writes.
func (c *Checker) initialised(w *warp, e *observe.Access, s *shadow) {
	if e.Shape.Within(pageShift) {
		if p := s.find(e.Shape.Low); p == nil || p.complete() {
			return
		}
	}
	var p *page
	number := ^uint64(0)
	for m := e.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		at := e.Address[lane]
		if n := at >> pageShift; n != number {
			p, number = s.find(at), n
		}
		if p == nil || p.complete() {
			continue
		}
		if e.Kind != exec.AccessStore {
			if missing := p.missing(at, e.Bytes); missing != 0 {
				c.unset(w, e, lane, missing)
			}
		}
		if e.Kind != exec.AccessLoad {
			p.set(s, at, e.Bytes)
		}
	}
}

// unset reports a lane that reads unwritten bytes.
func (c *Checker) unset(w *warp, e *observe.Access, lane int, missing uint32) {
	at := e.Address[lane]
	c.report(finding.UnsetMemory, w, e.Op, noOp, func(f *finding.Finding) {
		f.Space, f.Address, f.Bytes, f.Name = e.Space, at, int(e.Bytes), c.nameOf(e.Space, at)
		if n := bits.OnesCount32(missing); n < int(e.Bytes) {
			f.Detail = fmt.Sprintf("%d of its %d bytes were never written, from byte %d on", n, e.Bytes, bits.TrailingZeros32(missing))
		}
		f.Places = append(f.Places, c.here(w, e.Op, lane, "reads"))
	})
}

// accessLocal is initialised for local memory, in kernels that call no function.
func (c *Checker) accessLocal(w *warp, e *observe.Access) {
	b, machine := w.block, w.block.grid.program.machine
	if e.Kind > exec.AccessReduction || len(machine.Stack) > 1 || machine.Ops[e.Op].Spill {
		return // calls pass parameters there, and the compiler spills registers
	}
	if b.local == nil {
		b.local = make([]screen.Local, len(b.warps))
	}
	b.local[w.index].Access(e.Access, func(lane int, missing uint32) { c.unset(w, e, lane, missing) })
}

// Unset marks a range of global memory as unwritten.
func (c *Checker) Unset(address, bytes uint64) {
	if c.set.Has(finding.Init) {
		c.global.mark(address, bytes, false)
	}
}

// Written marks a range of global memory as written by the host.
func (c *Checker) Written(address, bytes uint64) {
	if c.set.Has(finding.Init) {
		c.global.mark(address, bytes, true)
	}
}

// HostReads finds unwritten bytes in the host's copies from the device.
func (c *Checker) HostReads(what string, address, bytes uint64) {
	if !c.set.Has(finding.Init) {
		return
	}
	for at := address; at < address+bytes; at++ {
		p := c.global.find(at)
		if p == nil || p.complete() {
			at |= pageBytes - 1
			continue
		}
		if p.missing(at, 1) != 0 {
			c.found.add(&finding.Finding{Rule: finding.UnsetMemory, Space: isa.SpaceGlobal, Address: at, Bytes: 1,
				Name: c.memory.Describe(at), Count: 1,
				Places: []finding.Place{{Does: "reads", Who: what}}})
			return
		}
	}
}
