package cli

import (
	"cmp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valueNames are the names of flags' values in help texts.
var valueNames = map[string]string{
	"a": "VALUES", "arg": "[NAME=]VALUE", "b": "VALUES", "block": "X,Y,Z", "cache-config": "SPLIT", "check": "CHECKS",
	"cpuprofile": "FILE", "detail": "DETAIL", "host-time": "TIME", "keep-errors": "FILE", "keep-points": "FILE",
	"memprofile": "FILE", "suppressions": "FILE",
	"listen": "ADDRESS", "script": "FILE",
	"clocks": "MEMORY,CORE", "color": "WHEN", "config": "CONFIG", "data": "FILE", "define": "MACRO", "after": "PASS", "dlcm": "WHERE",
	"dump": "BUFFER=FILE", "format": "FORMAT", "grid": "X,Y,Z", "include": "FOLDER", "kernel": "NAME", "library": "NAME",
	"library-folder": "FOLDER", "link": "FILE", "machine": "MACHINE", "metrics": "NAME,...", "optimize": "LEVEL", "output": "FILE",
	"picture": "WHEN", "plot": "FILE",
	"plot-power": "FILE", "boost": "on|off", "autoboost": "on|off", "printf": "FILE", "registers-of": "CONFIG",
	"row": "PATTERN", "run": "REPORT.json", "save-workload": "FILE", "set": "KEY=VALUE", "shared": "BYTES", "sheets": "FOLDER",
	"staircase": "FILE", "study": "FILE", "staircase-config": "CONFIG", "sweep": "SWEEP",
	"store": "FOLDER", "from": "FOLDER", "shard": "I/N", "folder": "FOLDER", "sbatch": "OPTION", "metric": "NAME", "events": "NAME,...",
	"kernels": "NAME,...",
	"against": "NAME", "html": "FILE", "symbol": "NAME=VALUE", "type": "TYPE", "cycles": "FROM..TO", "svg": "FILE", "serve": "ADDRESS",
	"std": "VERSION", "compiler": "COMPILER", "save-at": "[LAUNCH:]CYCLE", "save-to": "FILE", "resume": "FILE",
	"record": "FILE", "record-smx": "LIST", "record-window": "FROM..TO", "trace": "FILE", "pprof": "FILE", "report": "FILE",
	"baseline": "REPORT.json", "check-baseline": "FILE", "check-exit-code": "CODE",
}

// outputName is the file for --output; - and no flag are standard output.
type outputName struct{ file *string }

// String returns the file's name.
func (o outputName) String() string {
	if o.file == nil {
		return ""
	}
	return *o.file
}

// Set takes the given name.
func (o outputName) Set(name string) error {
	if *o.file = name; name == "-" {
		*o.file = ""
	}
	return nil
}

// Type returns "string", so that nameValues replaces it by a name for the value.
func (o outputName) Type() string { return "string" }

// outputFlag adds --output, which writes a command's report to a file.
func outputFlag(f *pflag.FlagSet, into *string) {
	f.VarP(outputName{into}, "output", "o", "write the report to this file; - is standard output, as without")
}

// takeFlags adds flags of another command, in the given order.
func takeFlags(f, from *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f.AddFlag(from.Lookup(name))
	}
}

// namedValue is a flag's value with a name for help texts.
type namedValue struct {
	pflag.Value
	name string
}

// Type returns the name.
func (v namedValue) Type() string { return v.name }

// nameValues replaces Go's types by names for the values, in the flags of a command and its subcommands.
func nameValues(command *cobra.Command) {
	name := func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "string", "stringArray", "stringSlice":
			f.Value = namedValue{f.Value, cmp.Or(valueNames[f.Name], f.Value.Type())}
			if f.DefValue == "[]" {
				f.DefValue = ""
			}
		}
	}
	command.Flags().VisitAll(name)
	command.PersistentFlags().VisitAll(name)
	for _, below := range command.Commands() {
		nameValues(below)
	}
}
