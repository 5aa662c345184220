package debuginfo

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maximumDemangled bounds a demangled name to 2^16 bytes: nested substitutions can make short names explode.
var maximumDemangled = demangle.MaxLength(16)

// Demangle returns the C++ or Rust name that a symbol stands for, with parameter types, or the symbol itself when it is
// no mangled name.
func Demangle(symbol string) string {
	return demangle.Filter(symbol, maximumDemangled)
}

// DemangledBase returns Demangle without the parameter types of a C++ function.
func DemangledBase(symbol string) string {
	name, err := demangle.ToString(symbol, demangle.NoParams, maximumDemangled)
	if err != nil {
		return symbol
	}
	return strings.TrimSpace(name)
}
