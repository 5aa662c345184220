package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
)

// reportBug tells of a panic: what to do, and all that finding the mistake needs.
func reportBug(w io.Writer, args []string, cause any, stack []byte) {
	fmt.Fprintf(w, `keplersim: this is a bug in keplersim, not in your kernel: %v

Please report it at https://github.com/keplersim/keplersim/issues with the text below and, if you can, the files that the
command line names. A simpler kernel, another --config or --threads 1 may avoid it meanwhile.

version:      %s
command line: keplersim %s

%s`, cause, version(), strings.Join(args, " "), stack)
}

// release is what make built: the tag or commit, and whether files were changed since. Go's own tools leave it empty.
var release string

// version returns what make built, or the module's version with the commit where that is known, and the Go release and platform.
func version() string {
	text, commit, changed := "(devel)", "", ""
	if release != "" {
		text = release
	} else if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			text = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = " " + s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " with changes"
			}
		}
	}
	return fmt.Sprintf("keplersim %s%s%s, %s %s/%s", text, commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
