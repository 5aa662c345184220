package cli

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/piped"
)

// standardInput is the file name that stands for what is piped to a command.
const standardInput = "-"

// pipedName is what messages call it, with the ending of its kind.
const pipedName = "<stdin>"

// pipedKinds tell by a text what kind of file it is, in the order of trial.
var pipedKinds = []struct {
	extension string
	sign      *regexp.Regexp
}{
	{".ptx", regexp.MustCompile(`(?m)^\s*\.version\s`)},
	{".cu", regexp.MustCompile(`__global__|__device__|(?m)^\s*#\s*include\b`)},
	{".yaml", regexp.MustCompile(`(?m)^[\s{]*"?(steps|buffers|module)"?\s*:`)}, // JSON, too
}

// takePiped reads standard input where a file of a command's arguments or of its --link is called -, and puts the name that means
// it in its place.
func takePiped(cmd *cobra.Command, lists ...[]string) error {
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
		return nil
	case 1:
	default:
		return errors.New("one file alone can be -, which is standard input")
	}
	text, err := files.ReadFrom(cmd.InOrStdin(), "standard input", files.MostCode)
	if tooLarge := new(files.TooLarge); errors.As(err, &tooLarge) {
		return err
	}
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("standard input is empty; pipe PTX, CUDA C or a workload file to it")
	}
	for _, kind := range pipedKinds {
		if kind.sign.Match(text) {
			*places[0] = pipedName + kind.extension
			cmd.SetContext(piped.With(cmd.Context(), *places[0], text))
			return nil
		}
	}
	return errors.New("standard input is neither PTX (it has no .version), nor CUDA C (no __global__), nor a workload file (no steps)")
}
