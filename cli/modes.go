package cli

import (
	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/isa/modes"
)

// modeFlags are nvcc's floating-point flags, which change a kernel when it is loaded.
type modeFlags struct {
	values [4]bool
}

// modeFlag is one flag: its name, its help, and the field of the override that it sets.
type modeFlag struct {
	name, help string
	field      func(*modes.Override) **bool
}

var modeFlagTable = [4]modeFlag{
	{"ftz", "single precision flushes subnormals (default: as compiled)", func(o *modes.Override) **bool { return &o.FTZ }},
	{"prec-div", "single-precision divisions and reciprocals round correctly (default: as compiled)", func(o *modes.Override) **bool {
		return &o.PrecDiv
	}},
	{"prec-sqrt", "single-precision square roots round correctly (default: as compiled)", func(o *modes.Override) **bool {
		return &o.PrecSqrt
	}},
	{"fuse", "products that are added become fused multiply-adds although both say .rn, or fused multiply-adds are split " +
		"(default: as compiled)",
		func(o *modes.Override) **bool { return &o.Fuse }},
}

func (m *modeFlags) flags(f *pflag.FlagSet) {
	for i, flag := range modeFlagTable {
		f.BoolVar(&m.values[i], flag.name, false, flag.help)
		f.Lookup(flag.name).DefValue = "" // the help shows no default
	}
}

// override returns the modes that the user gave. A flag that is not given leaves the program as compiled.
func (m *modeFlags) override(f *pflag.FlagSet) modes.Override {
	var o modes.Override
	for i, flag := range modeFlagTable {
		if f.Changed(flag.name) {
			*flag.field(&o) = &m.values[i]
		}
	}
	return o
}
