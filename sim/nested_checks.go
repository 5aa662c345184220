package sim

import (
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
)

// What the checks hear of launches from kernels: the order between a kernel and what it gives the device.

// tellGiven tells of a command that a warp is about to give.
func (n *nested) tellGiven(c *smx.SystemCall, command *hyperq.Command) {
	if n.gpu.checker == nil {
		return
	}
	root := command.Parent
	for root.Parent != nil {
		root = root.Parent
	}
	var behind []any
	for _, other := range n.gpu.device.Manager().Before(command) {
		if other != nil {
			behind = append(behind, other)
		}
	}
	n.gpu.checker.Gives(c.Warp(), command, root, behind)
}

// tellBegun tells of a command of a kernel that begins.
func (n *nested) tellBegun(c *hyperq.Command) {
	if n.gpu.checker == nil || c.Parent == nil {
		return
	}
	var grid *observe.Grid
	if c.Kind == hyperq.Kernel {
		grid = c.Grid.Observed
	}
	n.gpu.checker.Begins(c, grid)
}

// tellEnded tells of a command of a kernel that has ended, and of one of the host's whose children have all ended.
func (n *nested) tellEnded(c *hyperq.Command) {
	switch {
	case n.gpu.checker == nil:
	case c.Parent != nil:
		n.gpu.checker.Ends(c, c.Parent)
	case c.Kind == hyperq.Kernel:
		n.gpu.checker.Over(c)
	}
}

// tellSynchronized tells that a warp goes on that has waited.
func (n *nested) tellSynchronized(w *waiter) {
	if n.gpu.checker != nil {
		n.gpu.checker.Synchronizes(w.call.Warp(), w.of)
	}
}
