// Package registry holds what is chosen by name: the policies of a chip, of which each is one file that registers itself. The
// configuration's schema asks here which names a key may have, so that a policy of another module counts like our own.
package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/spelling"
)

// Kind is one kind of thing with its variants by name. T is what makes a variant, mostly a function.
type Kind[T any] struct {
	name     string
	variants map[string]T
}

// entry is what is known of a variant besides how it is made.
type entry struct {
	does       string
	parameters []Parameter
}

var (
	lock  sync.Mutex
	known = map[string]map[string]entry{} // by kind and name
)

// NewKind returns a kind without variants. Its name stands in messages and in the schema's tags: "replacement policy". A kind is made
// once, by the package that owns it.
func NewKind[T any](name string) *Kind[T] {
	lock.Lock()
	defer lock.Unlock()
	if _, taken := known[name]; taken {
		panic(fmt.Sprintf("registry: the kind %q is made twice", name))
	}
	known[name] = map[string]entry{}
	return &Kind[T]{name: name, variants: map[string]T{}}
}

// Register adds a variant under a name, with a short sentence of what it does and the parameters that it takes. It is called while packages
// are initialised, and panics on a name that is taken or empty: two variants of one name would make a configuration ambiguous.
func (k *Kind[T]) Register(name, does string, variant T, parameters ...Parameter) {
	lock.Lock()
	defer lock.Unlock()
	if _, taken := k.variants[name]; taken || name == "" {
		panic(fmt.Sprintf("registry: the %s %q is registered twice, or has no name", k.name, name))
	}
	k.variants[name] = variant
	known[k.name][name] = entry{does, parameters}
}

// Find returns the variant of a name. The error lists the names that there are.
func (k *Kind[T]) Find(name string) (T, error) {
	lock.Lock()
	variant, ok := k.variants[name]
	lock.Unlock()
	if ok {
		return variant, nil
	}
	message := fmt.Sprintf("no %s %q; there are %s", k.name, name, strings.Join(Names(k.name), ", "))
	if near := spelling.Nearest(name, Names(k.name)); near != "" {
		message += fmt.Sprintf("; did you mean %s?", near)
	}
	return variant, fmt.Errorf("%s", message)
}

// Choose returns the variant that a configuration's text names, with the values of its parameters.
func (k *Kind[T]) Choose(text string) (variant T, values Values, err error) {
	choice := ParseChoice(text)
	if variant, err = k.Find(choice.Name); err != nil {
		return variant, values, err
	}
	values = Values{of: choice.Name, declared: Parameters(k.name, choice.Name)}
	for _, p := range values.declared {
		values.numbers = append(values.numbers, p.Default)
	}
	for _, given := range choice.Given {
		i, problem := values.check(given)
		if problem != "" {
			return variant, values, fmt.Errorf("%s: %s", given.Name, problem)
		}
		values.numbers[i] = given.Value
	}
	return variant, values, nil
}

// Names returns the names of a kind's variants, sorted; none for a kind whose package is not part of the program.
func Names(kind string) []string {
	lock.Lock()
	defer lock.Unlock()
	return slices.Sorted(maps.Keys(known[kind]))
}

// Does returns the sentence that a variant was registered with, empty where there is none of that name.
func Does(kind, name string) string {
	lock.Lock()
	defer lock.Unlock()
	return known[kind][name].does
}

// Parameters returns what a variant takes from the configuration.
func Parameters(kind, name string) []Parameter {
	lock.Lock()
	defer lock.Unlock()
	return known[kind][name].parameters
}
