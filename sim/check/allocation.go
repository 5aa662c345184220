package check

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// freed is a freed allocation of the host.
type freed struct {
	name           string
	address, bytes uint64
}

// mostFreed is the most freed allocations that are remembered.
const mostFreed = 4096

// Allocated reports allocated memory.
func (c *Checker) Allocated(address, bytes uint64) {
	kept := c.freed[:0]
	for _, f := range c.freed {
		if f.address >= address+bytes || address >= f.address+f.bytes {
			kept = append(kept, f)
		}
	}
	c.freed = kept
	c.global.forget(address, bytes)
}

// Freed reports freed memory.
func (c *Checker) Freed(name string, address, bytes uint64) {
	if len(c.freed) == mostFreed {
		c.freed = c.freed[1:]
	}
	c.freed = append(c.freed, freed{name, address, bytes})
	c.global.forget(address, bytes)
	c.global.mark(address, bytes, true)
}

// wasFreed returns the freed memory that holds an address.
func (c *Checker) wasFreed(address uint64) *freed {
	for i := range c.freed {
		if f := &c.freed[i]; address-f.address < f.bytes {
			return f
		}
	}
	return nil
}

// HostFree reports a failed free by the host.
func (c *Checker) HostFree(who string, address uint64) {
	if !c.set.Has(finding.Memory) {
		return
	}
	f := &finding.Finding{Rule: finding.BadFree, Space: isa.SpaceGlobal, Address: address, Count: 1,
		Places: []finding.Place{{Does: "frees", Who: who}}}
	f.Detail = fmt.Sprintf("address %#x; %s", address, c.memory.Nearby(address))
	if old := c.wasFreed(address); old != nil && old.address == address {
		f.Rule, f.Detail = finding.DoubleFree, fmt.Sprintf("%s, %d bytes at %#x", old.name, old.bytes, old.address)
	}
	c.found.add(f)
}

// Leaked reports memory that was never freed.
func (c *Checker) Leaked(name, taken string, address, bytes uint64) {
	if !c.set.Has(finding.Memory) {
		return
	}
	f := &finding.Finding{Rule: finding.Leak, Space: isa.SpaceGlobal, Address: address, Bytes: int(bytes), Name: name, Count: 1}
	if taken != "" {
		f.Detail = "taken by " + taken
	}
	c.found.add(f)
}

// Fault reports a lane whose access cannot be carried out, and was left out.
func (c *Checker) Fault(e observe.Access, f *exec.Fault, detail string) {
	w := c.of(e.Warp)
	rule := finding.OutOfBounds
	switch {
	case f.Misaligned:
		rule = finding.Misaligned
	case f.Space == isa.SpaceGlobal && c.wasFreed(f.Address) != nil:
		old := c.wasFreed(f.Address)
		rule, detail = finding.UseAfter, fmt.Sprintf("it is in %s, %d bytes at %#x, which were freed", old.name, old.bytes,
			old.address)
	case f.Space == isa.SpaceGlobal && c.memory.HeapFreed(f.Address):
		rule = finding.UseAfter
	}
	c.wrong(rule, w, &e, f.Lane, f.Address, detail)
}

// wrong reports a lane's access to a wrong address.
func (c *Checker) wrong(rule *finding.Rule, w *warp, e *observe.Access, lane int, address uint64, detail string) {
	c.report(rule, w, e.Op, noOp, func(f *finding.Finding) {
		f.Space, f.Address, f.Bytes, f.Detail = e.Space, address, int(e.Bytes), detail
		f.Places = append(f.Places, c.here(w, e.Op, lane, does(e.Access)))
	})
}

// exact finds accesses that begin in an allocation and end behind it, to the byte, which the device's guard misses.
func (c *Checker) exact(w *warp, e *observe.Access) {
	if !c.memory.Heap() {
		return
	}
	for m := e.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if c.memory.Beyond(e.Address[lane], int(e.Bytes)) {
			c.wrong(finding.OutOfBounds, w, e, lane, e.Address[lane], c.memory.Nearby(e.Address[lane]))
		}
	}
}

// Malloc reports a block that a kernel allocated on the heap.
func (c *Checker) Malloc(address, bytes uint64) {
	c.global.forget(address, bytes)
	c.Unset(address, bytes)
}

// Free reports a block that a kernel freed, or failed to. It returns whether the checker reports a failure.
func (c *Checker) Free(o *observe.Warp, op int32, lane int, address uint64, err error, twice bool) bool {
	if err == nil || !c.set.Has(finding.Memory) {
		return false
	}
	w := c.of(o)
	rule := finding.BadFree
	if twice {
		rule = finding.DoubleFree
	}
	c.report(rule, w, op, noOp, func(f *finding.Finding) {
		f.Space, f.Address, f.Detail = isa.SpaceGlobal, address, err.Error()
		f.Places = append(f.Places, c.here(w, op, lane, "frees"))
	})
	return true
}
