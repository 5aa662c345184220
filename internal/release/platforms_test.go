package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// The program's own packages have correct types on every platform of a release, and find all that they import.
func TestEveryPlatform(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the types of all packages and of what they import, for each platform: a minute")
	}
	for _, platform := range platforms {
		system, arch, _ := strings.Cut(platform, "/")
		all, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax |
				packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedCompiledGoFiles | packages.NeedFiles,
			Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch),
		}, "github.com/keplersim/keplersim/cmd/keplersim")
		require.NoError(t, err, platform)
		packages.Visit(all, nil, func(p *packages.Package) {
			for _, e := range p.Errors {
				assert.Fail(t, e.Error(), "%s: %s", platform, p.PkgPath)
			}
		})
	}
}
