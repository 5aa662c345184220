package screen

import (
	"math/bits"
	"unsafe"

	"github.com/keplersim/keplersim/isa/exec"
)

// Stage is how a launch is watched. A suspected launch is undone and begins again in a later stage.
type Stage uint8

// The stages, from the last one.
const (
	Checked  Stage = iota // by the checks
	Screened              // by the screen
	Surveyed              // by no one, but the screen learns which memory the launch only reads
	Spared                // by the checks, which need not hear of reads of that memory
)

// Provisional reports whether launches in a stage are undone before the checks see them.
func (s Stage) Provisional() bool { return s == Screened || s == Surveyed }

// Survey notes an access in the stage Surveyed, and saves what it is about to change. It returns false if that cannot be undone.
func (s *Screen) Survey(a *exec.Access) bool {
	for m := a.Active; m != 0; m &= m - 1 {
		at := a.Address[bits.TrailingZeros32(m)&31]
		r := s.region(at)
		switch {
		case r == nil:
			return a.Kind == exec.AccessLoad
		case a.Kind == exec.AccessLoad:
			r.read = true
		default:
			r.mode = words
			r.makePages()
			s.save(r, at-r.From)
		}
	}
	return true
}

// Surveyed returns the memory of an access that need not be noted in the stage Surveyed, or checked in the stage Spared.
func (s *Screen) Surveyed(address uint64, kind exec.AccessKind) (reach exec.Reach) {
	r := s.region(address)
	switch {
	case r == nil:
	case kind == exec.AccessLoad && r.read && (s.stage == Surveyed || s.spared(r)):
		return r.Reach
	case kind != exec.AccessLoad && s.stage == Surveyed && r.mode == words:
		reach = r.Reach
		reach.Pages = unsafe.Pointer(&r.pages[1])
	}
	return reach
}

// spared reports whether the surveyed launch only reads a region without unwritten bytes.
func (s *Screen) spared(r *region) bool { return r.read && r.mode == readOnly && !s.incomplete(r) }
