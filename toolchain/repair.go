package toolchain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/keplersim/keplersim/internal/pattern"
)

// Programs that nvcc accepts and clang rejects. When clang complains about a file in one of these ways, the file is compiled once more from
// a changed text, in which every line keeps its number.

// repairs are pairs of a complaint, whose first group is the file, and a change of the text. Their order does not matter.
var repairs = []struct {
	complaint func() *regexp.Regexp
	mend      func(text []byte) []byte
}{
	// `kernel << <grid, block>> >(arguments)`, as an editor's formatter may leave a launch.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: expected expression\n.*(?:<<[ \t]+<|>>[ \t]+>)`), closeBrackets},
	// `#define UNROLL #pragma unroll`: nvcc reads the pragma where the macro is used.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: note: expanded from macro '\w+'\n.*#[ \t]*define[ \t].*#[ \t]*pragma\b`), pragmaOperators},
	// `asm("mov.u32 %0, %laneid;" ...)`, where clang wants %%laneid.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: invalid % escape in inline assembly string`), doublePercents},
	// `extern __shared__ float tile[64];`: nvcc takes it for a definition, with a warning.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: __shared__ variable '\w+' cannot be 'extern'`), sizedShared},
	// `enum { MASK = -1 << STEPS };` in CUB 1.8 and older: a constant only since C++20.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: note: left shift of negative value -1\n`), shiftedOne},
	// `Type::template call(x)` without template arguments, also in CUB.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: a template argument list is expected after a name`), bareTemplates},
	// `__device__ int f(int);` and later `int f(int n) {`: for nvcc the same function.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: (?:__shared__ local variables not allowed in|` +
		`reference to __device__ .* in) __host__ function`),
		declaredForDevice},
	// `typedef unsigned long long uint64_t;` in a program without <stdint.h>, which our headers include.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: typedef redefinition with different types \('.*' vs '__u?int\d+_t'`), ownIntegers},
	// A line continued by a backslash before a comment: nvcc's front end has removed the comment by then.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: expected .*\n.*\\[ \t]+//`), continuedComments},
	// `template <class... T> Of(T...) -> Of<T...>;`: nvcc deduces on both sides, clang by a guide without attributes on the host alone.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: note: candidate function not viable: call to __host__ function from .*\n` +
		`.*\)[ \t]*(?:->.*)?$`), guidesForBoth},
	// g++ only warns of `int main(int argc, char *argv)`.
	{pattern.Lazy(`(?m)^([^\s:][^:\n]*):\d+:\d+: error: second parameter of 'main' \(argument array\) must be of type`), mainsArguments},
}

var mainsHead = pattern.Lazy(`\bmain(\s*\(\s*int\s+\w+\s*,\s*)char\s*(?:\*\s*(\w+)|\b(\w+)\s*\[\s*\])(\s*\)\s*\{)`)

// mainsArguments gives main the type that it must have, and the name to a variable of the program's type.
func mainsArguments(text []byte) []byte {
	return mainsHead().ReplaceAll(text, []byte(`main${1}char **keplersim_argv${4} char *${2}${3} = (char *)keplersim_argv;`))
}

// deductionGuide matches what may be a guide: what is before it, its name, its parameters and the name of the type that it deduces.
var deductionGuide = pattern.Lazy(`(?m)(^[ \t]*|[>;}]\s*|\bexplicit\s+)(\w+)([ \t]*\([^;{}]*\)\s*->\s*)(\w+)\s*<`)

// guidesForBoth makes deduction guides of both sides.
func guidesForBoth(text []byte) []byte {
	return deductionGuide().ReplaceAllFunc(text, func(guide []byte) []byte {
		part := deductionGuide().FindSubmatch(guide)
		if !bytes.Equal(part[2], part[4]) {
			return guide
		}
		return slices.Concat(part[1], []byte("__attribute__((host, device)) "), guide[len(part[1]):])
	})
}

// spacedToken also matches strings, characters and comments, which are skipped.
var spacedToken = pattern.Lazy(`(?s)"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/|<<[ \t]+<|>>[ \t]+>`)

// closeBrackets moves spaces inside the brackets of launches behind the brackets.
func closeBrackets(text []byte) []byte {
	return spacedToken().ReplaceAllFunc(text, func(token []byte) []byte {
		if token[0] != '<' && token[0] != '>' {
			return token
		}
		last := len(token) - 1
		return append([]byte{token[0], token[0], token[last]}, token[2:last]...)
	})
}

var pragmaMacro = pattern.Lazy(`(?m)^([ \t]*#[ \t]*define[ \t]+\w+[ \t]+)#[ \t]*pragma[ \t]+([^"\\/\r\n]+)`)

// pragmaOperators writes the pragmas in macros as C++'s _Pragma.
func pragmaOperators(text []byte) []byte {
	return pragmaMacro().ReplaceAll(text, []byte(`${1}_Pragma("${2}")`))
}

var (
	asmText         = pattern.Lazy(`\b(?:asm|__asm__|__asm)\b(?:\s+(?:volatile|__volatile__))?\s*\(\s*(?:"(?:\\.|[^"\\])*"\s*)+`)
	specialRegister = pattern.Lazy(`(^|[^%])%([a-z]{2}\w*)`)
)

// doublePercents doubles the % of special registers in inline assembly. Operands are numbers, or names in brackets.
func doublePercents(text []byte) []byte {
	return asmText().ReplaceAllFunc(text, func(asm []byte) []byte { return specialRegister().ReplaceAll(asm, []byte(`$1%%$2`)) })
}

var sizedExtern = pattern.Lazy(`\bextern(\s+__shared__\s[^;\[\]{}()]*\[\s*[^\]\s])`)

// sizedShared makes extern shared arrays with a size definitions.
func sizedShared(text []byte) []byte { return sizedExtern().ReplaceAll(text, []byte(`static$1`)) }

var (
	negativeShift = pattern.Lazy(`-1[ \t]*<<[ \t]*(\w+)[ \t]*([);,}])`)
	bareTemplate  = pattern.Lazy(`(::|\.|->)([ \t]*)template([ \t]+\w+[ \t]*\()`)
)

// shiftedOne shifts 1 and negates the result, instead of shifting -1.
func shiftedOne(text []byte) []byte { return negativeShift().ReplaceAll(text, []byte(`-(1 << $1)$2`)) }

// bareTemplates drops the word template from calls without template arguments.
func bareTemplates(text []byte) []byte { return bareTemplate().ReplaceAll(text, []byte(`$1$2$3`)) }

var (
	devicePrototype = pattern.Lazy(`(?m)^[ \t]*(?:(?:static|extern|inline)[ \t]+)*__device__[ \t][^;{}()]*?\b(\w+)[ \t]*\([^;{}]*\)[ \t]*;`)
	definition      = pattern.Lazy(`(?m)^((?:[\w:<>*&]+[ \t*&]+)+)(\w+)([ \t]*\([^;{}()]*\)\s*\{)`)
)

// declaredForDevice adds __device__ to definitions whose earlier declaration has it.
func declaredForDevice(text []byte) []byte {
	device := map[string]bool{}
	for _, found := range devicePrototype().FindAllSubmatch(text, -1) {
		device[string(found[1])] = true
	}
	return definition().ReplaceAllFunc(text, func(head []byte) []byte {
		words := definition().FindSubmatch(head)
		if !device[string(words[2])] || bytes.Contains(words[1], []byte("__")) {
			return head
		}
		return append([]byte("__device__ "), head...)
	})
}

var ownInteger = pattern.Lazy(`\btypedef\s+[\w \t]+?\bu?int(?:8|16|32|64)_t[ \t]*;`)

// ownIntegers deletes a program's own typedefs of <stdint.h> names.
func ownIntegers(text []byte) []byte { return ownInteger().ReplaceAll(text, nil) }

var continuedComment = pattern.Lazy(`(?m)\\([ \t]+//)`)

// continuedComments deletes backslashes before comments.
func continuedComments(text []byte) []byte { return continuedComment().ReplaceAll(text, []byte(` $1`)) }

// ambiguous matches names that C++17's library also defines, in a file with `using namespace std`. nvcc's default was long C++14.
var ambiguous = pattern.Lazy(`error: reference to '\w+' is ambiguous`)

// olderStandard returns the arguments for C++14 if names of the default standard's library clash with the program's.
func olderStandard(arguments []string, messages string) (changed []string, ok bool) {
	at := slices.Index(arguments, "-std="+defaultStandard)
	if at < 0 || !ambiguous().MatchString(messages) {
		return arguments, false
	}
	changed = slices.Clone(arguments)
	changed[at] = "-std=gnu++14"
	return changed, true
}

var (
	filledArray = pattern.Lazy(`(?m)^([^\s:][^:\n]*):(\d+):\d+: error: variable-sized object may not be initialized`)
	arrayFilled = pattern.Lazy(`^(\s*)(?:const\s+)?(\w[\w\s:]*?)\s*\b(\w+)\s*\[([^\[\]{};]+)\]\s*=?\s*(\{[^{};]*\})\s*;`)
)

// filledArrays rewrites `int a[n] = {1};`, which g++ takes, on these lines (from 1): the array is declared, cleared, and then given its
// first elements.
func filledArrays(text []byte, lines []int) []byte {
	at := bytes.SplitAfter(text, []byte("\n"))
	for _, line := range slices.Backward(slices.Sorted(slices.Values(lines))) {
		if line > len(at) {
			continue
		}
		rest := bytes.Join(at[line-1:], nil)
		mended := arrayFilled().ReplaceAll(rest, []byte(`${1}${2} ${3}[${4}]; __builtin_memset(${3}, 0, sizeof ${3}); `+
			`{ ${2} keplersim_${3}[] = ${5}; __builtin_memcpy(${3}, keplersim_${3}, sizeof keplersim_${3}); }`))
		at = append(at[:line-1], mended)
	}
	return bytes.Join(at, nil)
}

var ownBuiltin = pattern.Lazy(`error: static declaration of '(\w+)' follows non-static declaration\n(?:.*\n){0,3}.*' is a builtin`)

// CUB 1.8 under clang prints through a Thrust function that came with it. A program may define how CUB prints.
var logsByThrust = pattern.Lazy(`error: use of undeclared identifier 'thrust'\n(?:.*\n){0,3}.*expanded from macro '_CubLog'`)

// renamed returns flags that let a program define a function with the name of a clang builtin, such as __rdtsc.
func renamed(messages string) (flags []string) {
	for _, found := range ownBuiltin().FindAllStringSubmatch(messages, -1) {
		flags = append(flags, "-D"+found[1]+"=__keplersim_own_"+found[1])
	}
	if logsByThrust().MatchString(messages) {
		flags = append(flags, "-D_CubLog(format,...)=printf(format,__VA_ARGS__);")
	}
	return flags
}

// repaired returns flags and replacement texts for the files that clang complains about; none if no repair applies.
func repaired(messages string) (flags []string, texts map[string][]byte) {
	var names []string
	for _, r := range repairs {
		for _, found := range r.complaint().FindAllStringSubmatch(messages, -1) {
			if !slices.Contains(names, found[1]) {
				names = append(names, found[1])
			}
		}
	}
	filled := map[string][]int{}
	for _, found := range filledArray().FindAllStringSubmatch(messages, -1) {
		if line, err := strconv.Atoi(found[2]); err == nil {
			filled[found[1]] = append(filled[found[1]], line)
		}
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	texts = map[string][]byte{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // standard input, or a name from #line
		}
		for _, r := range repairs {
			text = r.mend(text)
		}
		text = filledArrays(text, filled[name])
		texts[name] = text
	}
	flags = renamed(messages)
	if trivialVectors().MatchString(messages) {
		flags = append(flags, "-DKEPLERSIM_PLAIN_VECTORS")
	}
	return flags, texts
}

// trivialVectors matches complaints about the assignment that vector types have of their own: of unions with them that are assigned, and of
// programs that ask whether types are trivial.
var trivialVectors = pattern.Lazy(`copy assignment operator of '\w+' is implicitly deleted because variant field|` +
	`error: static assertion failed.*(?:trivial|is_pod|__is_pod)`)

// overlay returns flags with which clang reads other texts in place of files. done deletes the temporary files.
func overlay(texts map[string][]byte) (flags []string, done func(), err error) {
	if len(texts) == 0 {
		return nil, func() {}, nil
	}
	folder, err := temporaryFolder()
	if err != nil {
		return nil, func() {}, err
	}
	type entry struct {
		Name     string  `json:"name"`
		Type     string  `json:"type"`
		External string  `json:"external-contents,omitempty"`
		Contents []entry `json:"contents,omitempty"`
	}
	var roots []entry
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		path, err := filepath.Abs(name)
		if err != nil {
			continue
		}
		other := filepath.Join(folder.Path, fmt.Sprint(i))
		if err := os.WriteFile(other, texts[name], 0o600); err != nil {
			return nil, folder.Close, &Unwritable{err}
		}
		file := entry{Name: filepath.Base(path), Type: "file", External: other}
		roots = append(roots, entry{Name: filepath.Dir(path), Type: "directory", Contents: []entry{file}})
	}
	list := filepath.Join(folder.Path, "overlay.yaml")
	text, err := json.Marshal(map[string]any{"version": 0, "use-external-names": "false", "roots": roots}) // JSON is valid YAML
	if err != nil {
		return nil, folder.Close, err
	}
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return nil, folder.Close, &Unwritable{err}
	}
	return []string{"-ivfsoverlay", list}, folder.Close, nil
}
