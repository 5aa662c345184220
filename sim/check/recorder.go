package check

import (
	"unsafe"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// recorder tells machine code what has been recorded. Machine code compares a row of accesses with the records, and leaves out the events
// that would change nothing: those of ownWrite.
type recorder struct {
	checker *Checker
	own     exec.OwnRecords // see Own
}

// Reach returns the records of a page. It implements observe.Recorder.
func (r *recorder) Reach(address uint64) (reach exec.Reach) {
	c := r.checker
	p := c.global.find(address)
	if c.timed || p == nil || !p.complete() || !c.set.Has(finding.Races|finding.Sync) {
		return reach
	}
	all := c.memory.Reach(address)
	if all.Bytes == 0 || all.Live != nil {
		return reach
	}
	first := address &^ (pageBytes - 1)
	reach.From = max(first, all.From)
	reach.Bytes = min(first+pageBytes, all.From+all.Bytes) - reach.From
	reach.Host = unsafe.Add(all.Host, reach.From-all.From)
	reach.Cells = unsafe.Pointer(&p.PageRecords)
	return reach
}

// Own returns the records of weak accesses by a warp's lanes. It implements observe.Recorder.
func (r *recorder) Own(o *observe.Warp) *exec.OwnRecords {
	w := r.checker.of(o)
	if first := newRecord(w.number, 0, uint32(w.clock), 0); record(r.own[0]) != first {
		for lane := range r.own {
			r.own[lane] = uint64(first | record(lane)<<laneShift)
		}
	}
	return &r.own
}
