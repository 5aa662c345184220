package cli

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/pattern"
)

// standardInput is the file name that means standard input.
const standardInput = "-"

// pipedName is the name of standard input in messages; the extension for its kind follows.
const pipedName = "<stdin>"

// isPiped reports whether a file's name means standard input.
func isPiped(name string) bool { return strings.HasPrefix(name, pipedName+".") }

// pipedKinds recognise the kind of a text, in this order.
var pipedKinds = []struct {
	extension string
	sign      func() *regexp.Regexp
}{
	{".ptx", pattern.Lazy(`(?m)^\s*\.version\s`)},
	{".cu", pattern.Lazy(`__global__|__device__|(?m)^\s*#\s*include\b`)},
	{".yaml", pattern.Lazy(`(?m)^[\s{]*"?(steps|buffers|module)"?\s*:`)}, // JSON too
}

// takePiped reads standard input if a file in the lists is called -. It replaces - by a name with the right extension, and returns that
// name and the text; nothing if no file is called -.
func takePiped(cmd *cobra.Command, lists ...[]string) (sources.Piped, error) {
	var none sources.Piped
	var places []*string
	for _, list := range lists {
		for i := range list {
			if list[i] == standardInput {
				places = append(places, &list[i])
			}
		}
	}
	switch len(places) {
	case 0:
		return none, nil
	case 1:
	default:
		return none, errors.New("one file alone can be -, which is standard input")
	}
	text, err := files.ReadFrom(cmd.InOrStdin(), "standard input", files.MostCode)
	if tooLarge := new(files.TooLarge); errors.As(err, &tooLarge) {
		return none, err
	}
	if err != nil {
		return none, fmt.Errorf("read standard input: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return none, errors.New("standard input is empty; pipe PTX, CUDA C or a workload file to it")
	}
	for _, kind := range pipedKinds {
		if kind.sign().Match(text) {
			*places[0] = pipedName + kind.extension
			return sources.Piped{Name: *places[0], Text: text}, nil
		}
	}
	return none, errors.New(
		"standard input is neither PTX (it has no .version), nor CUDA C (no __global__), nor a workload file (no steps)",
	)
}
