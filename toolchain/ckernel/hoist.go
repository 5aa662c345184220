package ckernel

import (
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/pattern"
)

// registerName matches registers in an instruction's text.
var registerName = pattern.Lazy(`%[a-z_]+[0-9a-z_]*`)

// registersOf returns the registers that an instruction writes and reads.
func registersOf(text string) (written, read []string) {
	if strings.ContainsAny(text, "\n{;") && !strings.HasPrefix(text, "ld") {
		return nil, nil // the program's inline assembly
	}
	all := registerName().FindAllString(text, -1)
	if len(all) == 0 || strings.HasPrefix(text, "st") {
		return nil, all
	}
	targets := 1
	if open, end := strings.IndexByte(text, '{'), strings.IndexByte(text, '}'); open >= 0 && end > open {
		targets = len(registerName().FindAllString(text[open:end], -1))
	}
	return all[:targets], all[targets:]
}

// opcodeOf is an instruction's first word.
func opcodeOf(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// hoistLoads moves loop-invariant loads, with their address computations, in front of the loop. It takes only loads in the loop's first
// block, which every iteration runs, from memory that the loop does not write. isa/lower moves the other invariants.
func (g *generator) hoistLoads(before, head *block, loop []*block) {
	changes, stores, ordered := effects(loop)
	var moving []int
	needed := map[string]int{} // the instruction that writes a register, of those that can move
	for n, i := range head.code {
		written, read := registersOf(i.text)
		word := opcodeOf(i.text)
		load := strings.HasPrefix(word, "ld.") && !strings.Contains(word, ".volatile")
		if len(written) == 0 || !load && i.cost >= expensive || strings.HasPrefix(word, "mov") && i.cost == 0 {
			continue
		}
		if slices.ContainsFunc(read, func(r string) bool { return changes[r] && needed[r] == 0 }) {
			continue
		}
		safe := strings.HasPrefix(word, "ld.const") || strings.Contains(word, ".nc") ||
			!ordered && !stores["generic"] && !stores[spaceOf(word)] && !(spaceOf(word) == "generic" && len(stores) > 0)
		if load && !safe {
			continue
		}
		for _, r := range written {
			needed[r] = n + 1
		}
		if load {
			moving = append(moving, n)
		}
	}
	for k := 0; k < len(moving); k++ {
		_, read := registersOf(head.code[moving[k]].text)
		for _, r := range read {
			if n := needed[r]; n > 0 && !slices.Contains(moving, n-1) {
				moving = append(moving, n-1)
			}
		}
	}
	slices.Sort(moving)
	for _, n := range moving {
		before.code = append(before.code, head.code[n])
	}
	kept := head.code[:0:0]
	for n, i := range head.code {
		if !slices.Contains(moving, n) {
			kept = append(kept, i)
		}
	}
	head.code = kept
}

// effects returns the registers that a loop writes, the memories it stores to, and whether it has instructions that loads cannot pass.
func effects(loop []*block) (changes, stores map[string]bool, ordered bool) {
	changes, stores = map[string]bool{}, map[string]bool{}
	for _, b := range loop {
		for _, i := range b.code {
			written, _ := registersOf(i.text)
			for _, r := range written {
				changes[r] = true
			}
			switch word := opcodeOf(i.text); {
			case strings.HasPrefix(word, "st."):
				stores[spaceOf(word)] = true
			case strings.HasPrefix(word, "ld.") && !strings.Contains(word, ".volatile"):
			case i.cost < expensive && !strings.ContainsAny(i.text, "{\n"):
			case strings.HasPrefix(word, "div"), strings.HasPrefix(word, "rem"), strings.HasPrefix(word, "sqrt"),
				strings.HasPrefix(word, "rcp"):
			default:
				ordered = true
			}
		}
	}
	return changes, stores, ordered
}

// spaceOf is the memory that a load or store names.
func spaceOf(opcode string) string {
	for _, name := range spaceNames[globalSpace:] {
		if strings.Contains(opcode, name) {
			return name
		}
	}
	return "generic"
}
