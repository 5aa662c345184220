package lower

import (
	"context"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// Scheduled lowers a function as Program does, but never in PTX order.
func Scheduled(p *isa.Program, function *isa.Function, o target.Options) (*isa.MachineProgram, error) {
	return lowerOnce(context.Background(), p, function, 0, o.WithDefaults())
}
