// Package pattern compiles regular expressions when they are first used. The program has dozens, most of them for rare messages of other
// tools. Compiling them all at the start would take a tenth of the time of a small run.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that returns an expression, compiled at the first call. It is safe for several goroutines. An invalid expression
// panics at that call.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
