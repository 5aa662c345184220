package sim

import (
	"context"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/modes"
	"github.com/keplersim/keplersim/sim/smx"
)

// Programs caches programs for GPUs that run the same texts: each text is read once, and each kernel is lowered once for all that use the
// same options. The zero value is empty; nil caches nothing. It is for one goroutine.
type Programs struct {
	linked  map[linking]*isa.Program
	lowered map[lowering]*smx.Program
	sources map[*smx.Program]*sourceMap
	shared  lower.Shared
}

// linking is the key of a program.
type linking struct {
	text    string
	options decode.Options
}

// lowering is the key of a lowered kernel.
type lowering struct {
	program           *isa.Program
	kernel            *isa.Function
	chip, compiledFor *configs.Config
	registers         int
	unoptimised       bool
}

// Link returns the program of a text.
func (p *Programs) Link(source Source, o decode.Options) (*isa.Program, error) {
	return p.link([]Source{source}, o, modes.Override{})
}

// link returns the program of texts.
func (p *Programs) link(sources []Source, o decode.Options, override modes.Override) (*isa.Program, error) {
	link := func() (*isa.Program, error) {
		program, _, err := code.Link(sources, o)
		return program, err
	}
	if p == nil || len(sources) > 1 || override != (modes.Override{}) { // modes will change the program
		return link()
	}
	key := linking{string(sources[0].Text), o}
	key.options.ConstantGaps = false
	if known := p.linked[key]; !o.ConstantGaps || known != nil && !decode.MayBeApart(known) {
		return once(&p.linked, key, link)
	}
	key.options.ConstantGaps = true
	return once(&p.linked, key, link)
}

// lower returns a kernel's lowered program.
func (p *Programs) lower(ctx context.Context, of lowering, o lower.Options) (*smx.Program, error) {
	lower := func() (*smx.Program, error) {
		machine, err := code.LowerWith(ctx, of.program, of.kernel, o)
		if err != nil {
			return nil, err // which names the kernel
		}
		return smx.Prepare(machine, of.chip)
	}
	if p == nil {
		return lower()
	}
	o.Shared = &p.shared
	return once(&p.lowered, of, lower)
}

// Cubin returns a cubin of a program's kernels for a chip, with a limit on registers, 0 for none.
func (p *Programs) Cubin(ctx context.Context, program *isa.Program, chip *configs.Config, maxRegisters int) ([]byte, error) {
	o := code.Options(chip, maxRegisters)
	if p != nil {
		o.Shared = &p.shared
	}
	cubin, _, err := code.CubinWith(ctx, program, chip, o)
	return cubin, err
}

// once makes a value when it is first needed.
func once[K comparable, V any](known *map[K]V, key K, make func() (V, error)) (V, error) {
	if v, ok := (*known)[key]; ok {
		return v, nil
	}
	v, err := make()
	if err == nil {
		if *known == nil {
			*known = map[K]V{}
		}
		(*known)[key] = v
	}
	return v, err
}
