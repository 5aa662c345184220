package smx

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// mostPlaces is the most places that Standing names.
const mostPlaces = 4

// standing is a place of the program and the resident warps there.
type standing struct {
	line    isa.LineIndex
	barrier bool
	warps   int
	example *warp // one of these warps, if possible with lanes that wait for others
}

// Standing says where the warps are that have not ended, for a launch that stops early. It has a line for each place, those with most warps
// first; "" for none. It points out lanes that wait for others of their warp, because a lock that they hold stays taken.
func Standing(list []*SMX) string {
	places, total := gather(list)
	if total == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n  %s not ended:", pluralHave(total))
	waiting := false
	for i, p := range places {
		if i == mostPlaces {
			fmt.Fprintf(&b, "\n    and others at %d more places", len(places)-i)
			break
		}
		text, diverged := p.describe()
		b.WriteString("\n    " + text)
		waiting = waiting || diverged
	}
	if waiting {
		b.WriteString("\n  Lanes that have left a loop wait for those of their warp that are in it still. If these wait for a lock " +
			"that one of those holds," +
			"\n  none goes on: free the lock inside the loop, or let one lane of a warp take it for all")
	}
	return b.String()
}

// gather finds the places at which warps are, those with most warps first, otherwise in the program's order.
func gather(list []*SMX) (places []*standing, total int) {
	for _, s := range list {
		for _, b := range s.blocks {
			if !b.resident {
				continue
			}
			for _, w := range b.warps {
				if !w.resident || w.atExit {
					continue
				}
				total++
				op := w.barrierOp
				if !w.atBarrier {
					op = w.current()
				}
				i := slices.IndexFunc(places, func(p *standing) bool { return p.line == op.machine.Line && p.barrier == w.atBarrier })
				if i < 0 {
					i = len(places)
					places = append(places, &standing{line: op.machine.Line, barrier: w.atBarrier, example: w})
				}
				if places[i].warps++; w.diverged() && !places[i].example.diverged() {
					places[i].example = w
				}
			}
		}
	}
	slices.SortStableFunc(places, func(a, b *standing) int { return cmp.Or(b.warps-a.warps, cmp.Compare(a.line, b.line)) })
	return places, total
}

// describe describes a place, and whether lanes of a warp there wait for others of the warp.
func (p *standing) describe() (text string, diverged bool) {
	w := p.example
	at := "at "
	if p.barrier {
		at = "waiting at a barrier at "
	}
	text = fmt.Sprintf("%d %s%s; block (%d,%d,%d), warp %d", p.warps, at, w.block.grid.Program.Machine.Program.Where(p.line),
		w.block.Ctaid[0], w.block.Ctaid[1], w.block.Ctaid[2], w.index)
	if !w.diverged() {
		return text, false
	}
	active, live := bits.OnesCount32(w.stack.top().mask), bits.OnesCount32(w.stack.live())
	return text + fmt.Sprintf(" has %d of %d lanes there, for which the others wait", active, live), !p.barrier
}

// diverged reports whether lanes of the warp wait while others run.
func (w *warp) diverged() bool { return w.stack.top().mask != w.stack.live() }

func pluralHave(n int) string {
	if n == 1 {
		return "1 warp has"
	}
	return fmt.Sprintf("%d warps have", n)
}
