package debuginfo

import (
	"runtime"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maximumDemangled limits a demangled name to 2^16 bytes: nested substitutions can make short names explode.
var maximumDemangled = demangle.MaxLength(16)

// Demangle returns the C++ or Rust name of a symbol, with parameter types, or the symbol itself if it is not mangled. The browser build
// demangles only C++.
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
	tree, err := demangle.ToAST(symbol, options...) // the downloaded program is without the Rust part
	if err != nil {
		return "", err
	}
	return demangle.ASTToString(tree, options...), nil
}
