package cli

import (
	"fmt"
	"io"
	"strings"
)

// reportBug reports a panic: what to do, and everything needed to find the bug.
func reportBug(w io.Writer, args []string, cause any, stack []byte) {
	fmt.Fprintf(w, `keplersim: this is a bug in keplersim, not in your kernel: %v

Please report it at https://github.com/keplersim/keplersim/issues with the text below and, if you can, the files that the
command line names. A simpler kernel, another --config or --threads 1 may avoid it meanwhile.

version:      %s
command line: keplersim %s

%s`, cause, ownVersion(), strings.Join(args, " "), stack)
}
