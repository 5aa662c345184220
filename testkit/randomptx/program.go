package randomptx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/fuzz"
)

// function is one function of a program's text.
type function struct {
	lines      []string
	labels     map[string]int
	parameters []string        // results first
	rolled     map[string]bool // labels of loops kept by .pragma "nounroll"
	plan       *plan
}

// read splits a program's text into functions, by name. It knows only the form of Generate's programs.
func read(text string) map[string]*function {
	all := map[string]*function{}
	var f *function
	label := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		switch {
		case strings.HasPrefix(line, ".func"), strings.HasPrefix(line, ".visible .entry"):
			f = &function{labels: map[string]int{}, rolled: map[string]bool{}}
			name := "random"
			words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" (),", r) })
			for k, w := range words {
				switch {
				case k > 1 && words[k-2] == ".param":
					f.parameters = append(f.parameters, w)
				case w == "f0" || w == "f1" || w == "give_up":
					name = w
				}
			}
			all[name] = f
		case f == nil, line == "", line == "{", line == "}", strings.HasPrefix(line, ".reg"),
			strings.HasPrefix(line, ".param"), strings.HasPrefix(line, ".shared"):
		case strings.HasPrefix(line, ".pragma"):
			f.rolled[label] = true
		case strings.HasSuffix(line, ":"):
			label = strings.TrimSuffix(line, ":")
			f.labels[label] = len(f.lines)
		default:
			f.lines = append(f.lines, line)
		}
	}
	for _, f := range all {
		f.unroll()
		f.plan = contract(f)
	}
	return all
}

// Evaluate runs a program of Generate from its text. input has InputWords words for each thread, the result OutputWords. Each thread runs
// by itself, with integers of any size. Threads wait for each other at barriers and where they see each other's registers.
func Evaluate(text string, input []byte) ([]byte, error) {
	functions := read(text)
	const in, out = 4 * fuzz.InputWords, 4 * fuzz.OutputWords
	output := make([]byte, fuzz.Threads*out)
	block := newBarrier(fuzz.Threads)
	warps := make([]*barrier, fuzz.Threads/32)
	for w := range warps {
		warps[w] = newBarrier(32)
	}
	board := make([]uint32, 2*fuzz.Threads)
	failures := make(chan error, fuzz.Threads)
	for thread := range fuzz.Threads {
		e := &evaluator{
			functions: functions, thread: thread, board: board, block: block, warp: warps[thread/32],
			input: input[thread*in : (thread+1)*in], output: output[thread*out : (thread+1)*out],
		}
		go func() {
			_, err := e.run("random", map[string]uint64{})
			block.leave()
			if errors.Is(err, errExit) {
				err = nil
			}
			if err != nil {
				block.fail()
				e.warp.fail()
			}
			failures <- err
		}()
	}
	var first error
	for range fuzz.Threads {
		if err := <-failures; err != nil && (first == nil || first == errOthersFailed) {
			first = err
		}
	}
	return output, first
}

// errExit ends a thread at any call depth.
var errExit = errors.New("the thread has ended")

// run executes one function with its parameters and returns its .param variables.
func (e *evaluator) run(name string, parameters map[string]uint64) (map[string]uint64, error) {
	f := e.functions[name]
	if f == nil {
		return nil, fmt.Errorf("no function %s", name)
	}
	outer := e.frame
	e.frame = frame{registers: map[string]uint64{}, parameters: parameters, factors: map[int][2]uint64{}}
	defer func() { e.frame = outer }()
	for pc, steps := 0, 0; ; steps++ {
		if steps > 100_000 {
			return nil, fmt.Errorf("the program does not end")
		}
		at, line := pc, f.lines[pc]
		pc++
		if guard, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(guard, "@") {
			if !e.holds(guard[1:]) {
				continue
			}
			line = rest
		}
		mnemonic, rest, _ := strings.Cut(line, " ")
		var err error
		switch mnemonic {
		case "exit":
			return nil, errExit
		case "ret":
			return e.parameters, nil
		case "bra":
			pc = f.labels[rest]
		case "call":
			err = e.call(rest)
		default:
			if fused := f.plan.fused[at]; fused != nil {
				err = e.fuse(mnemonic, strings.Split(rest, ", "), fused)
				break
			}
			operands := strings.Split(rest, ", ")
			if f.plan.factor[at] {
				e.factors[at] = [2]uint64{e.bits(operands[1]), e.bits(operands[2])}
			}
			err = e.instruction(mnemonic, operands)
		}
		if err != nil && !errors.Is(err, errExit) {
			err = fmt.Errorf("%s: %w", line, err)
		}
		if err != nil {
			return nil, err
		}
	}
}

// call executes "(back), f0, (given, wide)".
func (e *evaluator) call(text string) error {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" (),", r) })
	callee := e.functions[words[1]]
	given := map[string]uint64{}
	for k, name := range callee.parameters[1:] {
		given[name] = e.parameters[words[2+k]]
	}
	results, err := e.run(words[1], given)
	if err != nil {
		return err
	}
	e.parameters[words[0]] = results[callee.parameters[0]]
	return nil
}
