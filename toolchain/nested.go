package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/pattern"
)

// Launches from kernels. clang knows `kernel<<<grid, block>>>(arguments)` in host code alone. A file whose kernels launch is compiled
// again: clang preprocesses it, each launch becomes `(__keplersim_configure(grid, block), kernel(arguments))`, and __global__ makes
// functions that device code may call. So C++ chooses the kernel and converts the arguments, as for any call. In the PTX, a call of a
// kernel is a launch: package decode takes it for one if __keplersim_configure_launch is declared.

// launchesFromKernels matches clang's errors when kernels launch kernels or call the runtime.
var launchesFromKernels = pattern.Lazy(
	`reference to __global__ function|call to __global__ function from __(global|device)__ function|` +
		`(reference to __host__ function|no matching function for call to) 'cuda\w+`)

// failedOnNestedLaunch tells whether to retry a failed compilation with launches from kernels.
func failedOnNestedLaunch(err error) bool {
	var failed *CompileError
	return errors.As(err, &failed) && launchesFromKernels().MatchString(failed.Messages)
}

// nested compiles a file with launches from kernels.
func nested(ctx context.Context, clang Clang, dir, name string, input source, options Options) (Result, error) {
	text := filepath.Join(dir, "nested.cui")
	arguments, err := options.arguments(clang, dir, input, text)
	if err != nil {
		return Result{}, err
	}
	preprocess := slices.Clone(arguments)
	preprocess[slices.Index(preprocess, "-S")] = "-E"
	rule := text + ".d"
	preprocess = slices.Concat(dependencyFlags(rule), []string{"-DKEPLERSIM_NESTED"}, preprocess)
	if _, err := runClang(ctx, clang, name, preprocess, input.text, nil); err != nil {
		return Result{}, err
	}
	raw, err := os.ReadFile(text)
	if err != nil {
		return Result{}, fmt.Errorf("read what clang made of %s: %w", name, err)
	}
	if err := os.WriteFile(text, []byte(rewriteLaunches(string(raw))), 0o600); err != nil {
		return Result{}, &Unwritable{fmt.Errorf("compile %s: %w", name, err)}
	}
	if i := slices.Index(arguments, "-include"); i >= 0 {
		arguments = slices.Delete(arguments, i, i+2)
	}
	// A kernel that launches itself last must not become a loop, and a launch must not call a copy specialised for some arguments.
	arguments = slices.Insert(arguments, 0, "-fno-optimize-sibling-calls")
	if clang.Version >= 17 {
		arguments = slices.Insert(arguments, 0, "-mllvm", "-funcspec-max-clones=0")
	}
	output := filepath.Join(dir, "kernel.ptx")
	arguments[slices.Index(arguments, text)] = output
	arguments[len(arguments)-1] = text
	result, err := finish(ctx, clang, name, arguments, nil, output)
	if err == nil {
		result.Read, err = filesRead(rule, dir)
	}
	return result, err
}

// rewriteLaunches turns each launch in preprocessed text into a configuration and a call.
func rewriteLaunches(text string) string {
	var out strings.Builder
	for {
		at := findLaunch(text)
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		begin := calleeBegin(text, at)
		configuration := balanced(text, at+3, ">>>")
		if begin < 0 || configuration < 0 {
			out.WriteString(text[:at+3])
			text = text[at+3:]
			continue
		}
		open := configuration + 3
		for open < len(text) && strings.IndexByte(" \t\r\n", text[open]) >= 0 {
			open++
		}
		end := -1
		if open < len(text) && text[open] == '(' {
			end = balanced(text, open+1, ")")
		}
		if end < 0 {
			out.WriteString(text[:at+3])
			text = text[at+3:]
			continue
		}
		// The configuration moves in front of the kernel's name, with its line ends: later text keeps its line numbers.
		out.WriteString(text[:begin])
		fmt.Fprintf(&out, "(__keplersim_configure(%s), %s(%s))",
			rewriteLaunches(text[at+3:configuration]), text[begin:at], rewriteLaunches(text[open+1:end]))
		text = text[end+1:]
	}
}

// skip returns the end of a comment, string, character or preprocessor line that begins at a position of C++ text. If code begins there, it
// returns the position itself.
func skip(text string, at int) int {
	rest := text[at:]
	until := func(from int, end string) int {
		if i := strings.Index(rest[from:], end); i >= 0 {
			return at + from + i + len(end)
		}
		return len(text)
	}
	switch {
	case strings.HasPrefix(rest, "//"), rest[0] == '#' && (at == 0 || text[at-1] == '\n'):
		return until(0, "\n")
	case strings.HasPrefix(rest, "/*"):
		return until(2, "*/")
	case strings.HasPrefix(rest, `R"`) && (at == 0 || !isWord(text[at-1])):
		if open := strings.IndexByte(rest, '('); open > 0 {
			return until(open, ")"+rest[2:open]+`"`)
		}
	case rest[0] == '"', rest[0] == '\'' && (at == 0 || !isWord(text[at-1])): // 1'000 is a number
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case rest[0]:
				return at + i + 1
			}
		}
		return len(text)
	}
	return at
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// findLaunch finds the first <<< in code; -1 for none.
func findLaunch(text string) int {
	for at := 0; at < len(text); {
		if next := skip(text, at); next > at {
			at = next
			continue
		}
		if strings.HasPrefix(text[at:], "<<<") {
			return at
		}
		at++
	}
	return -1
}

// balanced finds an end at the same bracket depth as the position; -1 for none.
func balanced(text string, at int, end string) int {
	depth := 0
	for at < len(text) {
		if next := skip(text, at); next > at {
			at = next
			continue
		}
		switch {
		case depth == 0 && strings.HasPrefix(text[at:], end):
			return at
		case strings.IndexByte("([{", text[at]) >= 0:
			depth++
		case strings.IndexByte(")]}", text[at]) >= 0:
			if depth--; depth < 0 {
				return -1
			}
		}
		at++
	}
	return -1
}

// calleeBegin finds where the kernel's name before a position begins: an identifier with namespaces and template arguments, or an
// expression in parentheses.
func calleeBegin(text string, at int) int {
	space := func() {
		for at > 0 && strings.IndexByte(" \t\r\n", text[at-1]) >= 0 {
			at--
		}
	}
	back := func(open, shut byte) bool {
		for depth := 0; at > 0; {
			at--
			switch text[at] {
			case shut:
				depth++
			case open:
				if depth--; depth == 0 {
					return true
				}
			}
		}
		return false
	}
	if space(); at == 0 {
		return -1
	}
	if text[at-1] == ')' {
		if !back('(', ')') {
			return -1
		}
		return at
	}
	for {
		if at > 0 && text[at-1] == '>' {
			if !back('<', '>') {
				return -1
			}
			space()
		}
		end := at
		for at > 0 && isWord(text[at-1]) {
			at--
		}
		if at == end {
			return -1
		}
		begin := at
		space()
		if !strings.HasSuffix(text[:at], "::") {
			return begin
		}
		if at -= 2; at == 0 {
			return 0
		}
		begin = at
		if space(); at == 0 || !isWord(text[at-1]) && text[at-1] != '>' {
			return begin
		}
	}
}

// nestedHost compiles the host code of a file with launches from kernels. The host pass does not need the kernels' bodies, but clang would
// reject them there too. The flags are those of the compilation, without output and input.
func (b *Builder) nestedHost(ctx context.Context, source string, flags []string, output string) error {
	text := output + ".cui"
	defer os.Remove(text)
	preprocess := append([]string{"-DKEPLERSIM_NESTED_HOST", "-E"}, flags...)
	if err := b.compile(ctx, source, append(preprocess, "-o", text)); err != nil {
		return err
	}
	raw, err := os.ReadFile(text)
	if err != nil {
		return fmt.Errorf("read what clang made of %s: %w", source, err)
	}
	if err := os.WriteFile(text, []byte(emptyKernels(string(raw))), 0o600); err != nil {
		return &Unwritable{fmt.Errorf("compile %s: %w", source, err)}
	}
	again := slices.Clone(flags)
	if i := slices.Index(again, "-include"); i >= 0 {
		again = slices.Delete(again, i, i+2)
	}
	return b.run(ctx, source, append(again, "-c", "-o", output, "--", text))
}

// globalAttribute is the expansion of __global__ in preprocessed text.
const globalAttribute = "__attribute__((global))"

// emptyKernels deletes the bodies of kernels from preprocessed text and keeps their line ends.
func emptyKernels(text string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, globalAttribute)
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		at += len(globalAttribute)
		open := bodyOf(text, at)
		if open < 0 {
			out.WriteString(text[:at])
			text = text[at:]
			continue
		}
		end := balanced(text, open+1, "}")
		if end < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:open+1])
		for line := range strings.Lines(text[open+1 : end]) {
			if strings.HasSuffix(line, "\n") {
				out.WriteByte('\n')
			}
		}
		text = text[end:]
	}
}

// bodyOf finds where a function's body begins, from a position in its declaration; -1 if it has no body.
func bodyOf(text string, at int) int {
	for depth := 0; at < len(text); {
		if next := skip(text, at); next > at {
			at = next
			continue
		}
		switch {
		case text[at] == '{' && depth == 0:
			return at
		case text[at] == ';' && depth == 0:
			return -1
		case text[at] == '(':
			depth++
		case text[at] == ')':
			depth--
		}
		at++
	}
	return -1
}
