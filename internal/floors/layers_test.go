package floors

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// module is the prefix of our packages' import paths.
const module = "github.com/keplersim/keplersim/"

// floor is a group of packages that do not import each other, except within one entry that ends in /...
type floor struct {
	// name says what the floor is for.
	name string
	// packages are folders from the root; NAME/... stands for all packages in a folder, which may import each other.
	packages []string
}

// floors lists the floors, the lowest first. A package imports only packages of lower floors.
var floors = []floor{
	{"files and their bounds", []string{
		"internal/files", "internal/yamllimits", "internal/command", "internal/access", "internal/columns"}},
	{"shared tools", []string{"internal/spelling", "study/store", "sim/checkpoint", "sim/memorymode", "isa/machinecode",
		"internal/hostcache", "internal/largepages", "internal/cputime", "internal/format", "internal/pattern", "internal/spill",
		"internal/version"}},
	{"names of policies, random kernels", []string{"internal/registry", "fuzz/randomc"}},
	{"formats, syntax", []string{"internal/jsonschema", "isa/fp", "isa/ptx", "isa/cubin"}},
	{"the program", []string{"isa", "isa/debuginfo", "isa/texture"}},
	{"generations, machine code", []string{"arch/...", "isa/lower/bitset", "isa/sass", "isa/sass/hazard"}},
	{"configurations, inputs of lowering", []string{"configs", "isa/lower/target"}},
	{"what forms of a function share", []string{"isa/lower/virtual", "isa/lower/flow"}},
	{"forms of a function", []string{"isa/lower/value", "isa/lower/machine"}},
	{"from form to form", []string{"isa/lower/expand", "isa/lower/schedule", "isa/lower/registers"}},
	{"decoding, lowering, execution, counters", []string{
		"isa/modes", "isa/sass/translate", "isa/sass/assemble", "isa/decode", "isa/exec", "isa/lower", "sim/stats", "sim/smx/occupancy",
		"sim/check/finding"}},
	{"from source to machine program", []string{"code"}},
	{"parts of a chip", []string{"sim/engine", "sim/cache", "sim/screen"}},
	{"power and clocks", []string{"sim/boost"}},
	{"observers", []string{"sim/observe"}},
	{"a memory channel", []string{"sim/dram"}},
	{"memory", []string{"sim/memory", "sim/check"}},
	{"warp scheduling", []string{"sim/scheduler"}},
	{"a multiprocessor", []string{"sim/smx"}},
	{"what a run leaves", []string{"recording"}},
	{"who writes it down", []string{"sim/record"}},
	{"work queues and blocks", []string{"sim/hyperq", "sim/sampling"}},
	{"a device", []string{"sim/device"}},
	{"the GPU", []string{"sim"}},
	{"kernels compiled, of C", []string{"toolchain/ckernel"}},
	{"inputs of a user", []string{"workload", "toolchain", "validation", "study/bundle"}},
	{"files of code, random kernels in all ways", []string{"code/sources", "fuzz"}},
	{"the host", []string{"host", "runtime"}},
	{"the debugger", []string{"debug"}},
	{"studies", []string{"study"}},
	{"published programs", []string{"validation/programs", "runtime/nvcc"}},
	{"reports", []string{"report/...", "workloads"}},
	{"the lab, suites of programs", []string{"lab/...", "lab", "study/suite"}},
	{"the command line", []string{"cli"}},
	{"what tests share", []string{"testkit/..."}},
	{"programs", []string{"cmd/...", "tools/...", "internal/..."}},
}

// floorOf finds a package's floor and the entry that names it.
func floorOf(pkg string) (number int, entry string, ok bool) {
	for i, f := range floors {
		for _, e := range f.packages {
			folder, under := strings.CutSuffix(e, "/...")
			if pkg == e || under && (pkg == folder || strings.HasPrefix(pkg, folder+"/")) {
				return i, e, true
			}
		}
	}
	return 0, "", false
}

// imports returns, for each package under a folder, which of our packages its files import, tests left out. Packages are named by their
// folder from the root.
func imports(root string) (map[string][]string, error) {
	all := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "examples" || strings.HasPrefix(name, ".") && file != root) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return fmt.Errorf("imports of %s: %w", relative, err)
		}
		pkg := path.Dir(filepath.ToSlash(relative))
		all[pkg] = append(all[pkg], ownImports(source.Imports)...)
		return nil
	})
	for pkg, list := range all {
		slices.Sort(list)
		all[pkg] = slices.Compact(list)
	}
	return all, err
}
