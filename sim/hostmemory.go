package sim

import (
	"context"

	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

// AllocateAligned is Allocate at a multiple of another power of two, at least 256.
func (g *GPU) AllocateAligned(name string, bytes, alignment uint64) (address uint64, err error) {
	address, err = g.settled().AllocateAligned(name, bytes, alignment)
	return address, g.allocated(address, bytes, err)
}

// Free frees an allocation.
func (g *GPU) Free(address uint64) error {
	a, distance := g.global.Nearest(address)
	err := g.settled().Free(address)
	if g.checker != nil && err == nil && distance == 0 {
		g.checker.Freed(a.Name, a.Address, a.Bytes)
	}
	return err
}

// Allocated reports whether all bytes from an address on are in one allocation.
func (g *GPU) Allocated(address uint64, bytes int) bool { return g.global.Find(address, bytes) }

// Allocation returns the allocation that contains an address.
func (g *GPU) Allocation(address uint64) (memory.Allocation, bool) {
	a, distance := g.global.Nearest(address)
	return a, a.Bytes > 0 && distance == 0
}

// Memory returns the device's free and total memory in bytes.
func (g *GPU) Memory() (free, total uint64) {
	total = g.global.Capacity()
	return total - g.global.Used(), total
}

// Written reports bytes that the host has written to shared memory directly, instead of by Write, or by WritePart.
func (g *GPU) Written(address, bytes uint64) {
	g.device.Memory().HostWrite(address, bytes)
	if g.checker != nil {
		g.checker.Written(address, bytes)
	}
}

// Resident returns how many blocks of a launch an SMX holds, and what limits them.
func (g *GPU) Resident(ctx context.Context, l Launch) (occupancy.Result, error) {
	_, limits, ask, err := g.fit(ctx, &l, max(l.Block[0], 1)*max(l.Block[1], 1)*max(l.Block[2], 1))
	if err != nil {
		return occupancy.Result{}, err
	}
	if err := limits.Check(ask); err != nil {
		return occupancy.Result{}, err
	}
	return limits.Calculate(ask), nil
}

// EnablePeer lets the device's kernels access another's memory, and copies between the two bypass the host. Each must have an arena of its
// own, so that their addresses differ.
func (g *GPU) EnablePeer(peer *GPU) { g.settled().AddPeer(peer.settled()) }

// DisablePeer undoes EnablePeer.
func (g *GPU) DisablePeer(peer *GPU) { g.settled().RemovePeer(peer.settled()) }

// HasPeer reports whether the device's kernels can access another's memory.
func (g *GPU) HasPeer(peer *GPU) bool { return g.global.HasPeer(peer.global) }

// Allocations returns the addresses of all allocations.
func (g *GPU) Allocations() []uint64 {
	var all []uint64
	for _, a := range g.global.Allocations() {
		all = append(all, a.Address)
	}
	return all
}
