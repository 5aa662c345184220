package check

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass/hazard"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// shortWaits finds operations of machine code that read a result too early, once for each pair of lines. It follows all paths of the code,
// even those that no warp takes.
func shortWaits(g *grid) (list []*finding.Finding) {
	m := g.program.machine
	if m.Kernel.Machine == nil {
		return nil
	}
	for _, h := range hazard.Check(hazard.Of(m), hazard.Nvcc) {
		f := &finding.Finding{Rule: finding.ShortWait, Count: 1,
			Detail: fmt.Sprintf("%d cycles lie between the two, and nvcc leaves %d", h.Waited, h.Needed)}
		for n, op := range []int{h.Consumer, h.Producer} {
			p := finding.Place{Does: [...]string{"reads", "writes"}[n], Who: word(m, op), Kernel: g.title, Launch: g.observed.ID,
				Stream: g.observed.Stream}
			locate(&p, m, int32(op))
			f.Places = append(f.Places, p)
		}
		list = append(list, f)
	}
	return list
}

// word returns an operation as in the listing of the machine code.
func word(m *isa.MachineProgram, op int) string {
	name := m.Ops[op].Mnemonic
	line := m.Ops[op].Line
	if line <= 0 || int(line) >= len(m.Program.Lines) {
		return name
	}
	at := int(m.Program.Lines[line].PTXLine)
	lines := strings.Split(m.Program.Listing, "\n")
	if at < 1 || at > len(lines) {
		return name
	}
	return strings.TrimSuffix(strings.TrimSpace(lines[at-1]), ";")
}
