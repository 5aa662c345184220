package check

// A screen may check launches before the checker sees them; see package screen. It records here which memory has been written.

// Alone reports whether all commands of the host are in one order, so that a launch can race with no other.
func (c *Commands) Alone() bool { return len(c.streams) <= 1 }

// Written records which global memory has been written. It implements screen.Written.
type Written struct {
	checker *Checker
	kept    []keptPage
}

// keptPage is the saved record of a page.
type keptPage struct {
	page  *page
	unset [pageBytes / 64]uint64
	some  bool // unset is not nil
	none  bool
	left  int
}

// WhatIsWritten returns the checker's record of written global memory.
func (c *Checker) WhatIsWritten() *Written { return &Written{checker: c} }

// Complete reports whether all bytes of a range have been written.
func (w *Written) Complete(address, bytes uint64) bool {
	for at, end := address, address+bytes; at < end; at = (at>>pageShift + 1) << pageShift {
		if p := w.checker.global.find(at); p != nil && !p.complete() {
			return false
		}
	}
	return true
}

// Missing returns a bit for each unwritten byte of up to 16.
func (w *Written) Missing(address uint64, bytes uint8) uint32 {
	if p := w.checker.global.find(address); p != nil {
		return p.missing(address, bytes)
	}
	return 0
}

// Write marks bytes as written.
func (w *Written) Write(address uint64, bytes uint8) {
	if p := w.checker.global.find(address); p != nil && !p.complete() {
		p.set(&w.checker.global, address, bytes)
	}
}

// Keep saves the record of a range.
func (w *Written) Keep(address, bytes uint64) {
	for at, end := address, address+bytes; at < end; at = (at>>pageShift + 1) << pageShift {
		p := w.checker.global.find(at)
		if p == nil || p.complete() {
			continue
		}
		k := keptPage{page: p, some: p.unset != nil, none: p.none, left: p.left}
		if k.some {
			k.unset = *p.unset
		}
		w.kept = append(w.kept, k)
	}
}

// Undo restores all that was saved. For a page saved twice the first one counts.
func (w *Written) Undo() {
	for i := len(w.kept) - 1; i >= 0; i-- {
		k := &w.kept[i]
		s := &w.checker.global
		if k.page.unset != nil {
			s.bytes -= pageBytes / 8
		}
		k.page.unset, k.page.none, k.page.left = nil, k.none, k.left
		if k.some {
			s.bytes += pageBytes / 8
			unset := k.unset
			k.page.unset = &unset
		}
	}
	w.Done()
}

// Done drops what was saved.
func (w *Written) Done() { w.kept = w.kept[:0] }
