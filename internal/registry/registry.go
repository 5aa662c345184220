// Package registry holds everything that a configuration chooses by name, such as the policies of a chip. Each variant is one file that
// registers itself. The configuration's schema asks here which names a key may have, so policies of other modules work like our own.
package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/spelling"
)

// Kind is a kind of variant, such as replacement policies, with its variants by name. T is what a variant is registered as, mostly a
// constructor.
type Kind[T any] struct {
	name     string
	variants map[string]T
}

// entry is what a variant was registered with, apart from its constructor.
type entry struct {
	does       string
	parameters []Parameter
}

var (
	lock  sync.Mutex
	known = map[string]map[string]entry{} // by kind and name
)

// NewKind returns a kind without variants. Messages and the schema's tags use its name: "replacement policy". The package that owns a kind
// makes it, once.
func NewKind[T any](name string) *Kind[T] {
	lock.Lock()
	defer lock.Unlock()
	if _, taken := known[name]; taken {
		panic(fmt.Sprintf("registry: the kind %q is made twice", name))
	}
	known[name] = map[string]entry{}
	return &Kind[T]{name: name, variants: map[string]T{}}
}

// Register adds a variant under a name, with a short sentence that says what it does, and its parameters. Call it while packages are
// initialised. It panics if the name is empty or taken.
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

// Choose returns the variant that a configuration's text names, and the values of its parameters.
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

// Names returns the names of a kind's variants, sorted; none if the program does not import the kind's package.
func Names(kind string) []string {
	lock.Lock()
	defer lock.Unlock()
	return slices.Sorted(maps.Keys(known[kind]))
}

// Does returns the sentence that a variant was registered with, "" if there is none of that name.
func Does(kind, name string) string {
	lock.Lock()
	defer lock.Unlock()
	return known[kind][name].does
}

// Parameters returns the parameters that a variant was registered with.
func Parameters(kind, name string) []Parameter {
	lock.Lock()
	defer lock.Unlock()
	return known[kind][name].parameters
}
