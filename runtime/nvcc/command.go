package nvcc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// phase is the last step of the work.
type phase uint8

const (
	link phase = iota
	compile
	ptx
	machineCode // a cubin
	fatbin      // a cubin and PTX
	deviceLink
	archive
	preprocess
	hostText // like preprocess, but into files
	dependencies
	ownDependencies
	showVersion
	listArchs
	listCodes
	showHelp
)

// Command is a parsed command line.
type Command struct {
	phase  phase
	inputs []string // in order
	// files and flags for the linker, in order
	link         []string
	read         []string // files of options, and headers that options name
	output       string
	outputFolder string
	language     string // the inputs' language, from -x
	includes     []string
	host, device []string // further flags for clang
	level        string
	standard     string
	// how the runtime is linked: none, shared or static
	runtime    string
	depend     bool // write a make rule of the headers next to the object
	dependFile string
	archs      []int // the requested compute capabilities, as 35
	registers  int
	arguments  []string
	keepFolder string // where keep writes its files; "" is the working folder

	keep, usage, rdc, fast, flush, fastDivision, fastRoot, apart, openMP, shared, run, verbose, dry, forward bool
}

// mostNested bounds the depth of files of options that name each other.
const mostNested = 8

// Parse reads a command line. Its errors name the flag and say what to do.
func Parse(words []string) (*Command, error) {
	c := &Command{}
	words = slices.Concat(strings.Fields(os.Getenv("NVCC_PREPEND_FLAGS")), words, strings.Fields(os.Getenv("NVCC_APPEND_FLAGS")))
	if err := c.parse(words, 0); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Command) parse(words []string, depth int) error {
	if depth > mostNested {
		return errors.New("files of options (--options-file) name each other in a circle")
	}
	if slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "-forward-unknown") || strings.HasPrefix(w, "--forward-unknown")
	}) {
		c.forward = true
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if !strings.HasPrefix(word, "-") || word == "-" {
			c.input(word)
			continue
		}
		o, value, has := lookUp(word)
		if o == nil {
			if !c.forward {
				return unknown(word)
			}
			c.host = append(c.host, word)
			c.link = append(c.link, word)
			continue
		}
		if o.kind != flag && !has {
			i++
			if i == len(words) {
				return fmt.Errorf("%s: its value is missing", word)
			}
			value = words[i]
		}
		if o.long == "options-file" {
			c.read = append(c.read, strings.Split(value, ",")...)
			more, err := optionsOf(value)
			if err != nil {
				return err
			}
			if err := c.parse(more, depth+1); err != nil {
				return err
			}
			continue
		}
		values := []string{value}
		if o.kind == list {
			values = splitList(value)
		}
		for _, value := range values {
			if err := o.take(c, value); err != nil {
				return fmt.Errorf("%s: %w", word, err)
			}
		}
	}
	return nil
}

// optionsOf returns the words in files of options.
func optionsOf(names string) ([]string, error) {
	var all []string
	for _, name := range strings.Split(names, ",") {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("file of options: %w", err)
		}
		all = append(all, Words(string(text))...)
	}
	return all, nil
}

// Words splits a text into words as a shell does, with quotes and backslashes.
func Words(text string) []string {
	var all []string
	var word strings.Builder
	inside, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\r\n", ch) >= 0:
			if inside {
				all = append(all, word.String())
				word.Reset()
			}
			inside = false
			continue
		case ch == quote:
			quote = 0
		case quote == 0 && (ch == '"' || ch == '\''):
			quote = ch
		case ch == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		default:
			word.WriteByte(ch)
		}
		inside = true
	}
	if inside {
		all = append(all, word.String())
	}
	return all
}

// splitList splits a list at its commas, except those after a backslash or within parentheses, as in macros.
func splitList(text string) []string {
	var all []string
	depth, from := 0, 0
	var escaped bool
	for i := 0; i < len(text); i++ {
		switch {
		case escaped:
			escaped = false
		case text[i] == '\\':
			escaped = true
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth--
		case text[i] == ',' && depth <= 0:
			all, from = append(all, text[from:i]), i+1
		}
	}
	all = append(all, text[from:])
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], `\,`, ",")
	}
	return all
}

// input adds a file: a source to compile, or a file for the linker.
func (c *Command) input(name string) {
	c.inputs = append(c.inputs, name)
	c.link = append(c.link, name)
}

// takeArch reads sm_35, compute_35, 35, and lists of arch=compute_35,code=[sm_35,compute_35].
func takeArch(c *Command, value string) error {
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("=,[]\"' ", r) }) {
		switch word {
		case "arch", "code", "all", "all-major", "native", "lto":
			continue
		}
		number := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(word, "sm_"), "compute_"), "lto_")
		arch, err := strconv.Atoi(strings.TrimRight(number, "abcdef"))
		if err != nil || arch < 10 {
			return fmt.Errorf("%q is not an architecture; keplersim has sm_30, sm_32, sm_35 and sm_37", word)
		}
		c.archs = append(c.archs, arch)
	}
	return nil
}

// arch chooses the architecture to compile for: the best of the requested ones that a K20 or K40 runs. Other architectures are compiled as
// sm_35.
func (c *Command) arch() (arch string, note string) {
	best := 0
	for _, a := range c.archs {
		if a == 30 || a == 32 || a == 35 || a == 37 && best == 0 {
			best = max(best, a)
			if a == 35 && best == 37 {
				best = 35
			}
		}
	}
	switch {
	case best > 0:
		return fmt.Sprintf("sm_%d", best), ""
	case len(c.archs) == 0:
		return "sm_35", ""
	}
	return "sm_35", fmt.Sprintf("keplersim: note: sm_%d is not Kepler's; compiled for sm_35", slices.Max(c.archs))
}

func takeRegisters(c *Command, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of registers", value)
	}
	c.registers = n
	return nil
}

func takeMachine(_ *Command, value string) error {
	if value != "64" {
		return fmt.Errorf("programs of %s bits are not built", value)
	}
	return nil
}

func takeDefaultStream(c *Command, value string) error {
	switch value {
	case "legacy", "null":
	case "per-thread":
		return passed("-D", true)(c, "CUDA_API_PER_THREAD_DEFAULT_STREAM=1")
	default:
		return fmt.Errorf("%q is not legacy, null or per-thread", value)
	}
	return nil
}

// takePtxas reads options for ptxas: the register limit and reports matter here, optimisation levels do not.
func takePtxas(c *Command, value string) error {
	if value == "-v" || value == "--verbose" {
		c.usage = true
	}
	name, number, ok := strings.Cut(strings.TrimLeft(value, "-"), "=")
	if ok && name == "maxrregcount" {
		return takeRegisters(c, number)
	}
	return nil
}

// takeCompiler reads options for the host compiler. Macros and include folders are also for the device pass, whose text the host compiler's
// preprocessor makes.
func takeCompiler(c *Command, value string) error {
	for _, word := range Words(value) {
		switch {
		case word == "-fopenmp":
			c.openMP = true
		case strings.HasPrefix(word, "-std="):
			c.standard = strings.TrimPrefix(word, "-std=")
		case word == "-export-dynamic": // gcc's older name
			c.host, c.link = append(c.host, "-rdynamic"), append(c.link, "-rdynamic")
		case strings.HasPrefix(word, "-D"), strings.HasPrefix(word, "-U"), strings.HasPrefix(word, "-I"):
			c.host, c.device = append(c.host, word), append(c.device, word)
		case strings.HasPrefix(word, "-l"), strings.HasPrefix(word, "-L"):
			c.link = append(c.link, word)
		case strings.HasPrefix(word, "-Wl,"), word == "-rdynamic", word == "-pthread", word == "-static",
			strings.HasPrefix(word, "-fsanitize"):
			c.host, c.link = append(c.host, word), append(c.link, word)
		case gccAlone[word] || strings.HasPrefix(word, "-fmax-errors"):
		default:
			c.host = append(c.host, word)
		}
	}
	return nil
}

// gccAlone are flags of gcc that clang rejects and that do not change a program's results.
var gccAlone = map[string]bool{
	"-fno-tree-vectorize": true, "-ftree-vectorizer-verbose=0": true, "-fno-gcse": true, "-mno-avx512f-split": true,
	"-fprefetch-loop-arrays": true, "-fgcse-las": true, "-frename-registers": true, "-fmodulo-sched": true, "-fopt-info": true,
}

// isObject tells whether a file goes directly to the linker.
func isObject(name string) bool {
	switch filepath.Ext(name) {
	case ".o", ".obj", ".a", ".so", ".lib", ".lo", ".res":
		return true
	}
	return strings.Contains(filepath.Base(name), ".so.")
}

// isCUDA tells whether an input is CUDA C, by -x or by its name.
func (c *Command) isCUDA(name string) bool {
	if c.language != "" {
		return c.language == "cu" || c.language == "cuda"
	}
	return filepath.Ext(name) == ".cu"
}
