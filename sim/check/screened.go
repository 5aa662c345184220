package check

// Launches may be screened before the checker hears of them; see package screen. What somebody has written the screen notes here.

// Alone reports that all commands of the host are in one order, so that a launch that is looked at by itself races with no other.
func (c *Commands) Alone() bool { return len(c.streams) <= 1 }

// Written is what is known of who has written global memory; it implements screen.Written.
type Written struct {
	checker *Checker
	kept    []keptPage
}

// keptPage is what was known of a page.
type keptPage struct {
	page  *page
	unset [pageBytes / 64]uint64
	some  bool // unset is not nil
	none  bool
	left  int
}

// WhatIsWritten returns what the checker knows of who has written global memory.
func (c *Checker) WhatIsWritten() *Written { return &Written{checker: c} }

// Complete reports that somebody has written all bytes of a range.
func (w *Written) Complete(address, bytes uint64) bool {
	for at, end := address, address+bytes; at < end; at = (at>>pageShift + 1) << pageShift {
		if p := w.checker.global.find(at); p != nil && !p.complete() {
			return false
		}
	}
	return true
}

// Missing has a bit for each of up to 16 bytes that nobody has written.
func (w *Written) Missing(address uint64, bytes uint8) uint32 {
	if p := w.checker.global.find(address); p != nil {
		return p.missing(address, bytes)
	}
	return 0
}

// Write says that somebody has written some bytes.
func (w *Written) Write(address uint64, bytes uint8) {
	if p := w.checker.global.find(address); p != nil && !p.complete() {
		p.set(&w.checker.global, address, bytes)
	}
}

// Keep keeps what is known of a range.
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

// Undo makes all that was kept known again: of a page that was kept twice, what was kept first.
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

// Done forgets what was kept.
func (w *Written) Done() { w.kept = w.kept[:0] }
