package screen

import (
	"sort"
	"unsafe"

	"github.com/keplersim/keplersim/isa/exec"
)

const (
	pageBytes = 1 << exec.PageShift
	cellBytes = 4
)

// mode is what the screen keeps for an allocation during a launch.
type mode uint8

// The modes. A launch that needs a later mode than it began with is run again.
const (
	readOnly mode = iota // nothing: the launch only reads it, or does not access it
	words                // a cell for each word
	singly               // a cell for each byte
)

// region is an allocation.
type region struct {
	exec.Reach // its place, with cells and pages if the mode has them
	mode       mode
	read       bool // it was read in this launch before cells were kept
	unset      bool // it had unwritten bytes when the launch began, or first accessed it
	known      bool // unset is valid for this launch
	cells      []exec.Cell
	pages      []byte  // pages of exec.Reach
	set        []byte  // of a region that had unwritten bytes: Reach.Set with its margins
	saved      []saved // the pages that may be written, as they were
}

// saved is a page as it was before the launch.
type saved struct {
	page  uint64
	bytes []byte
}

// host returns the region's memory.
func (r *region) host() []byte { return unsafe.Slice((*byte)(r.Host), r.Bytes) }

// sync drops all regions if the allocations have changed; they are made again when needed.
func (s *Screen) sync() {
	if v := s.memory.Version(); v != s.version {
		s.version, s.regions, s.last = v, nil, nil
	}
}

// region returns the region of an address, nil if the memory has none that is in one piece on the host.
func (s *Screen) region(address uint64) *region {
	if r := s.last; r != nil && address-r.From < r.Bytes {
		return r
	}
	i := sort.Search(len(s.regions), func(i int) bool { return s.regions[i].From+s.regions[i].Bytes > address })
	if i < len(s.regions) && address >= s.regions[i].From {
		s.last = s.regions[i]
		return s.last
	}
	reach := s.memory.Reach(address)
	if reach.Bytes == 0 || reach.Live != nil {
		return nil
	}
	r := &region{Reach: reach}
	if s.stage == Screened {
		r.mode = s.modes[place{s.program, reach.From}]
	}
	s.regions = append(s.regions, nil)
	copy(s.regions[i+1:], s.regions[i:])
	s.regions[i], s.last = r, r
	if r.mode != readOnly {
		s.keep(r, r.mode)
	}
	return r
}

// keep starts to keep cells of a region.
func (s *Screen) keep(r *region, m mode) {
	r.mode = m
	count := (r.Bytes + 3) / 4
	if m == singly {
		count *= 4
	}
	if uint64(len(r.cells)) != count {
		r.cells = make([]exec.Cell, count)
	}
	r.makePages()
	s.account()
}

// makePages makes the bytes of the pages. Those at the ends are for lanes of rows that are inactive.
func (r *region) makePages() {
	if r.pages == nil {
		r.pages = make([]byte, r.Bytes/pageBytes+3)
		r.pages[0], r.pages[len(r.pages)-1] = 1, 1
	}
}

// incomplete reports whether a region has unwritten bytes.
func (s *Screen) incomplete(r *region) bool {
	if !r.known {
		r.known, r.unset = true, !s.written.Complete(r.From, r.Bytes)
	}
	if r.unset && r.set == nil {
		r.set = make([]byte, (r.Bytes+3)/4+2*exec.SetMargin)
		s.account()
	}
	return r.unset
}

// Reach returns the memory of an access that the screen has checked, for machine code; nothing if the screen must check each access.
func (s *Screen) Reach(address uint64, kind exec.AccessKind) (reach exec.Reach) {
	r := s.region(address)
	if r == nil || r.mode == singly || r.mode == readOnly && kind != exec.AccessLoad {
		return reach
	}
	reach = r.Reach
	if r.mode == words {
		reach.Cells, reach.Pages = unsafe.Pointer(&r.cells[0]), unsafe.Pointer(&r.pages[1])
	}
	if s.incomplete(r) {
		reach.Set = unsafe.Pointer(&r.set[exec.SetMargin])
	}
	return reach
}

// wrote notes that bytes from an offset on are known to be written.
func (r *region) wrote(offset uint64, bytes uint8) {
	for end := offset + uint64(bytes); bytes >= 4 && offset < end; offset += 4 {
		r.set[exec.SetMargin+offset/4] = exec.WordSet
	}
}

// save saves a page before the launch first writes it. Machine code may write a page that is saved.
func (s *Screen) save(r *region, offset uint64) {
	n := offset >> exec.PageShift
	if r.pages[n+1] != 0 {
		return
	}
	from := n << exec.PageShift
	to := min(from+pageBytes, r.Bytes)
	r.pages[n+1] = 1
	if len(r.saved) == 0 {
		s.changed = append(s.changed, r)
	}
	r.saved = append(r.saved, saved{n, append(s.page(), r.host()[from:to]...)})
	s.written.Keep(r.From+from, to-from)
	s.copies += to - from
	s.account()
}

// page returns an empty page, a reused one if possible.
func (s *Screen) page() []byte {
	if last := len(s.free) - 1; last >= 0 {
		page := s.free[last]
		s.free = s.free[:last]
		return page[:0]
	}
	return make([]byte, 0, pageBytes)
}

// release drops the records of the launch. With undo it restores the memory.
func (s *Screen) release(undo bool) {
	for _, r := range s.changed {
		for _, p := range r.saved {
			if undo {
				copy(r.host()[p.page<<exec.PageShift:], p.bytes)
				if r.set != nil {
					from := exec.SetMargin + p.page*pageBytes/4
					clear(r.set[from:min(from+pageBytes/4, uint64(len(r.set)))])
				}
			}
			r.pages[p.page+1] = 0
			s.free = append(s.free, p.bytes)
		}
		r.saved = r.saved[:0]
	}
	s.changed, s.copies = s.changed[:0], 0
	if undo {
		s.written.Undo()
	} else {
		s.written.Done()
	}
	if uint64(len(s.free))*pageBytes > mostFreeBytes {
		s.free = nil
	}
}

// mostFreeBytes is the most memory kept for reuse, in bytes.
const mostFreeBytes = 64 << 20
