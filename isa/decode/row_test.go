package decode

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

// spellings lists mnemonics of a form: the shortest, and for each type and each modifier one that has it.
func spellings(f *Form) []string {
	var bare []string
	if f.Trigger != "" {
		for _, word := range strings.Fields(f.Trigger) {
			bare = append(bare, f.Opcode.String()+"."+word)
		}
		return bare
	}
	build := func(group int, word string, position int, ty isa.Type) string {
		out := []string{f.Opcode.String()}
		for k, g := range f.groups {
			switch {
			case g.any:
			case k == group:
				out = append(out, word)
			case !g.optional:
				out = append(out, slices.Min(slices.Collect(maps.Keys(groups[g.name]))))
			}
		}
		for k, alternatives := range f.types {
			if k == position {
				out = append(out, ty.String())
			} else {
				out = append(out, alternatives[0].String())
			}
		}
		return strings.Join(out, ".")
	}
	list := []string{build(-1, "", -1, isa.TypeNone)}
	for k, g := range f.groups {
		if !g.any {
			for _, word := range groupWords(g.name) {
				list = append(list, build(k, word, -1, isa.TypeNone))
			}
		}
	}
	for k, alternatives := range f.types {
		for _, ty := range alternatives {
			list = append(list, build(-1, "", k, ty))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestEveryRow decodes each row of the opcode table with each of its types and modifiers. An accepted form decodes to an instruction of its
// opcode and type. A refused form is refused with the architecture that has it.
func TestEveryRow(t *testing.T) {
	for _, f := range Forms() {
		for _, text := range spellings(f) {
			tpl, message := resolve(mnemonic(text))
			if strings.HasPrefix(text, "tex.") || strings.HasPrefix(text, "tld4.") ||
				strings.HasPrefix(text, "ld.") && strings.Contains(text, ".v4.") {
				// Rules beyond the columns: four components always, 16 bytes at most.
				text = strings.ReplaceAll(text, ".v2.", ".v4.")
				tpl, message = resolve(mnemonic(text))
			}
			if strings.Contains(message, ".sat is not allowed") {
				continue // TestOracleForms checks these
			}
			if !assert.Empty(t, message, text) {
				continue
			}
			kernelOf := kernelOf
			if tpl.legacy {
				kernelOf = legacyKernelOf
			}
			_, err := decodeText(t, kernelOf(text+" "+operandText(tpl, false)+";"), Options{})
			if f.Status == Refused {
				assert.ErrorContains(t, err, "refused", text)
				continue
			}
			if tpl.ins.Type.Bytes()*int(tpl.memory.Vector) > 16 {
				assert.ErrorContains(t, err, "at most 16", text)
				continue
			}
			assert.NoError(t, err, text)
			_, err = decodeText(t, kernelOf(text+" "+operandText(tpl, false)+";"), Options{StrictTarget: true})
			if tpl.form.Status == Emulated {
				assert.ErrorContains(t, err, "--strict-target", text)
			} else {
				assert.NoError(t, err, text)
			}
		}
	}
}

// legacyKernelOf is kernelOf for the forms that PTX had before version 1.4.
func legacyKernelOf(statements string) string {
	return strings.NewReplacer(".version 4.2", ".version 1.3", "sm_35", "sm_13").Replace(kernelOf(statements))
}
