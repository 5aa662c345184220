// Package pattern makes regular expressions when they are first asked for. Dozens of them stand in the program, most for messages of other
// tools that are seldom seen: compiled as the program starts they would take a tenth of the time of a small run.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that returns an expression, compiled at its first call. It may be called from several goroutines. A mistake in
// the expression is a panic then.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
