package debuginfo

import (
	"runtime"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maximumDemangled bounds a demangled name to 2^16 bytes: nested substitutions can make short names explode.
var maximumDemangled = demangle.MaxLength(16)

// Demangle returns the C++ or Rust name that a symbol stands for, with parameter types, or the symbol itself when it is
// no mangled name. A browser's program knows C++ names alone.
func Demangle(symbol string) string {
	name, err := demangled(symbol)
	if err != nil {
		return symbol
	}
	return name
}

// DemangledBase returns Demangle without the parameter types of a C++ function.
func DemangledBase(symbol string) string {
	name, err := demangled(symbol, demangle.NoParams)
	if err != nil {
		return symbol
	}
	return strings.TrimSpace(name)
}

func demangled(symbol string, options ...demangle.Option) (string, error) {
	options = append(options, maximumDemangled)
	if runtime.GOOS != "js" {
		return demangle.ToString(symbol, options...)
	}
	tree, err := demangle.ToAST(symbol, options...) // what knows of Rust is left out of what is downloaded
	if err != nil {
		return "", err
	}
	return demangle.ASTToString(tree, options...), nil
}
