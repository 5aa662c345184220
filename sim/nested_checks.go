package sim

import (
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx"
)

// Reports to the checks about nested launches: the order between a kernel and its commands.

// tellGiven reports a command that a warp is about to submit.
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

// tellBegun reports a command of a kernel that begins.
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

// tellEnded reports a command of a kernel that has ended, or a host launch whose children have all ended.
func (n *nested) tellEnded(c *hyperq.Command) {
	switch {
	case n.gpu.checker == nil:
	case c.Parent != nil:
		n.gpu.checker.Ends(c, c.Parent)
	case c.Kind == hyperq.Kernel:
		n.gpu.checker.Over(c)
	}
}

// tellSynchronized reports that a warp goes on after a wait.
func (n *nested) tellSynchronized(w *waiter) {
	if n.gpu.checker != nil {
		n.gpu.checker.Synchronizes(w.call.Warp(), w.of)
	}
}
