package lower

import (
	"context"

	"github.com/keplersim/keplersim/isa"
)

// Scheduled lowers a function as Program does, but never in PTX order.
func Scheduled(p *isa.Program, function *isa.Function, o Options) (*isa.MachineProgram, error) {
	return newFunction(context.Background(), p, function, 0, o.withDefaults()).lowered()
}
