package lower

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/target"
	"github.com/keplersim/keplersim/isa/lower/value"
)

// PrintAfter writes a kernel as it is after a pass, block by block: PTX-like instructions or, from expand on, Kepler's operations, each
// with its effect. Registers have their PTX names, with words as in r7.lo. Registers that passes add are called t and a number. From
// allocate on, physical registers follow in parentheses.
//
// Errors are those of Program, and one for an unknown pass.
func PrintAfter(ctx context.Context, p *isa.Program, kernel *isa.Function, o target.Options, pass string, w io.Writer) error {
	if err := CheckPass(pass); err != nil {
		return err
	}
	f, err := formAfter(ctx, p, kernel, o.WithDefaults(), pass)
	if err != nil && !o.NoSchedule && ctx.Err() == nil { // as Program does
		o.NoSchedule = true
		if again, failure := formAfter(ctx, p, kernel, o.WithDefaults(), pass); failure == nil {
			f, err = again, nil
		}
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, f.Listing())
	return err
}

// formAfter returns a kernel's form after a pass.
func formAfter(ctx context.Context, p *isa.Program, kernel *isa.Function, o target.Options, pass string) (last form, err error) {
	if _, chosen, err := allocated(ctx, p, kernel, 0, o); err == nil {
		o = chosen
	}
	reached := errors.New("the pass has run")
	_, err = runPasses(value.New(ctx, p, kernel, 0, o), watcher{after: func(name string, f form) error {
		if name != pass {
			return nil
		}
		last = f
		return reached
	}})
	if err != nil && !errors.Is(err, reached) {
		return nil, err
	}
	return last, nil
}

// CheckPass returns an error for an unknown pass.
func CheckPass(name string) error {
	names := PassNames()
	if slices.Contains(names, name) {
		return nil
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("no pass is called %q; %s is", name, near)
	}
	return fmt.Errorf("no pass is called %q; there are %s", name, strings.Join(names, ", "))
}

// PassNames returns the names of all passes in their order.
func PassNames() []string {
	var names []string
	for n := range Passes {
		names = append(names, Passes[n].Name)
	}
	return names
}
