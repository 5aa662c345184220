package sim

import (
	"errors"
	"fmt"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/screen"
	"github.com/keplersim/keplersim/sim/smx"
)

// Findings returns the findings of Options.Check so far on all devices, in the order in which they first happened.
func (h *Host) Findings() []*finding.Finding { return h.findings.Findings() }

// attach gives a device the observer and the checker of the options.
func (h *Host) attach(g *GPU) {
	g.observer = g.options.Observer
	if set := g.options.Check; set != finding.None {
		g.checker = check.New(check.Options{Set: set, Timed: !g.options.Functional, Memory: checkedMemory{g}}, &h.findings, h.commands)
		g.observer = observe.Join(g.observer, g.checker)
		if set.Has(finding.Memory) {
			g.device.ReportFaults(g.checker)
		}
		if g.options.Functional && g.options.Observer == nil {
			g.screen = screen.New(g.global, g.checker.WhatIsWritten())
			g.device.Screen(g.screen)
		}
	}
	g.device.Observe(g.observer)
}

// CheckedBytes returns the size of the checks' records of global memory, in bytes.
func (g *GPU) CheckedBytes() uint64 {
	if g.checker == nil {
		return 0
	}
	bytes := g.checker.Bytes()
	if g.screen != nil {
		bytes += g.screen.Bytes()
	}
	return bytes
}

// stage returns how a launch is watched when it begins. A screen may check one that runs alone.
func (g *GPU) stage(grid *smx.Grid) screen.Stage {
	if g.screen == nil || !g.host.commands.Alone() {
		return screen.Checked
	}
	return g.screen.First(grid.Program.Machine)
}

// checkedMemory is the checker's view of the device's memory.
type checkedMemory struct{ *GPU }

// Describe implements check.Memory.
func (m checkedMemory) Describe(address uint64) string {
	a, distance := m.global.Nearest(address)
	switch {
	case a.Bytes == 0 || distance != 0:
		return ""
	case address == a.Address:
		return a.Name
	}
	return fmt.Sprintf("%s+%d", a.Name, address-a.Address)
}

// Reach implements check.Memory.
func (m checkedMemory) Reach(address uint64) exec.Reach { return m.global.Reach(address) }

// Heap implements check.Memory.
func (m checkedMemory) Heap() bool { return m.global.Heap() != nil }

// HeapFreed implements check.Memory.
func (m checkedMemory) HeapFreed(address uint64) bool {
	return m.Heap() && m.global.Heap().Freed(address)
}

// Beyond implements check.Memory.
func (m checkedMemory) Beyond(address uint64, bytes int) bool {
	return m.global.Heap().Beyond(address, bytes)
}

// Nearby implements check.Memory.
func (m checkedMemory) Nearby(address uint64) string {
	if known := m.global.Explain(address); known != "" {
		return known
	}
	if name := m.Describe(address); name != "" {
		return "it is " + name
	}
	return "nothing is allocated there"
}

// Unset marks device memory as without contents, as after cudaMalloc: a kernel that reads it before a write is mistaken. Otherwise memory
// counts as written from Allocate on.
func (g *GPU) Unset(address, bytes uint64) {
	if g.checker != nil {
		g.checker.Unset(address, bytes)
	}
}

// HostReads reports device memory that the host copies, to check for unwritten bytes.
func (g *GPU) HostReads(what string, address, bytes uint64) {
	if g.checker != nil {
		g.checker.HostReads(what, address, bytes)
	}
}

// FreeFailed reports a host's free of an address at which no allocation begins.
func (g *GPU) FreeFailed(who string, address uint64) {
	if g.checker != nil {
		g.checker.HostFree(who, address)
	}
}

// Leaks reports blocks of the device's heap that are still in use.
func (g *GPU) Leaks() {
	if g.checker == nil || g.global.Heap() == nil {
		return
	}
	for _, b := range g.global.Heap().Blocks() {
		g.checker.Leaked("the device heap", b.Taken, b.Address, b.Bytes)
	}
}

// Leaked reports host allocations that are still in use at the end.
func (g *GPU) Leaked(name string, address, bytes uint64) {
	if g.checker != nil {
		g.checker.Leaked(name, "", address, bytes)
	}
}

// allocated reports an allocation to the checks, and returns its error.
func (g *GPU) allocated(address, bytes uint64, err error) error {
	if g.checker != nil && err == nil {
		g.checker.Allocated(address, bytes)
	}
	return err
}

// submitted reports a command that is about to be submitted to the checks.
func (h *Host) submitted(g *GPU, c *hyperq.Command) {
	if g.checker == nil {
		return
	}
	var behind []any
	for _, other := range g.device.Manager().Before(c) {
		if other != nil {
			behind = append(behind, other)
		}
	}
	h.commands.Submit(c, c.Stream, c.Stream.Context, behind)
}

// waited reports to the checks that a process has waited for commands.
func (h *Host) waited(process int, commands ...*hyperq.Command) {
	if h.options.Check == finding.None {
		return
	}
	for _, c := range commands {
		if c != nil && c.Ended() {
			h.commands.Wait(process, c)
		}
	}
}

// Waited reports to the checks that a process has waited for all commands of the stream.
func (s *Stream) Waited(process int) { s.gpu.host.waited(process, s.stream.Last()) }

// Waited reports to the checks that a process has waited for all its commands on the device.
func (g *GPU) Waited(process int) {
	for _, s := range g.device.Manager().Streams() {
		if s.Context == process {
			g.host.waited(process, s.Last())
		}
	}
}

// Waited reports to the checks that a process has waited for the event.
func (e *Event) Waited(h *Host, process int) { h.waited(process, e.record) }

// stuckBarriers reports barriers that can never be complete, if a device ended in a deadlock.
func (h *Host) stuckBarriers(of *GPU, err error) {
	var fault *smx.Fault
	if of.checker != nil && errors.As(err, &fault) && fault.Kind == smx.FaultDeadlock {
		of.checker.Stuck()
	}
}
