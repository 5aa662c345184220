package check

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa/exec"
)

const (
	pageShift = exec.PageShift
	pageBytes = 1 << pageShift
	pageWords = pageBytes / 4
)

// page is the record of 4 KiB of memory. It has lists of writes only if something has been written, and of reads only if something has been
// read.
type page struct {
	// Writes are the last weak writes, Reads the last reads, and Strong the last atomics and other strong writes. Of unordered reads and
	// strong writes it keeps a second one, of another block if there is one.
	exec.PageRecords[record]
	// unset has a bit for each unwritten byte. It is nil if all are written, or, with none set, if none is.
	unset *[pageBytes / 64]uint64
	none  bool
	left  int // number of bits in unset
	// values are the stored values in a timed run, which memory gets later; nil for none.
	values *[pageBytes]byte
}

// shadow is the record of a memory.
type shadow struct {
	base  uint64 // number of the first page
	pages []*page
	// splits are the words with a record for each byte.
	splits []split
	unused []uint32
	bytes  uint64 // size of the pages' contents
}

// page returns the page of an address, and makes it if necessary.
func (s *shadow) page(address uint64) *page {
	n := address>>pageShift - s.base
	if n < uint64(len(s.pages)) {
		if p := s.pages[n]; p != nil {
			return p
		}
	}
	return s.makePage(address)
}

func (s *shadow) makePage(address uint64) *page {
	n := address >> pageShift
	if len(s.pages) == 0 {
		s.base = n
	}
	if n < s.base {
		s.pages = append(make([]*page, s.base-n), s.pages...)
		s.base = n
	}
	n -= s.base
	for n >= uint64(len(s.pages)) {
		s.pages = append(s.pages, make([]*page, max(n+1-uint64(len(s.pages)), uint64(len(s.pages))))...)
	}
	if s.pages[n] == nil {
		s.pages[n] = &page{}
	}
	return s.pages[n]
}

// find returns the page of an address, nil for none.
func (s *shadow) find(address uint64) *page {
	if n := address>>pageShift - s.base; n < uint64(len(s.pages)) {
		return s.pages[n]
	}
	return nil
}

func (s *shadow) records(into **[pageWords]record) *[pageWords]record {
	if *into == nil {
		*into = new([pageWords]record)
		s.bytes += pageWords * 8
	}
	return *into
}

// cell is the record of a word or byte; see page.
type cell struct{ write, read, read2, strong, strong2 record }

// split is a word with a record for each byte.
type split [4]cell

// at returns the record of a word of the page.
func (p *page) at(i uint64) (c cell) {
	for _, field := range []struct {
		from *[pageWords]record
		to   *record
	}{{p.Writes, &c.write}, {p.Reads, &c.read}, {p.Reads2, &c.read2}, {p.Strong, &c.strong}, {p.Strong2, &c.strong2}} {
		if field.from != nil {
			*field.to = field.from[i]
		}
	}
	return c
}

// keep sets the record of a word.
func (s *shadow) keep(p *page, i uint64, c *cell) {
	s.put(&p.Writes, i, c.write)
	s.put(&p.Reads, i, c.read)
	s.put(&p.Reads2, i, c.read2)
	s.put(&p.Strong, i, c.strong)
	s.put(&p.Strong2, i, c.strong2)
}

func (s *shadow) put(list **[pageWords]record, i uint64, r record) {
	if *list != nil || r != 0 {
		s.records(list)[i] = r
	}
}

// split gives each byte of a word a record, and returns these.
func (s *shadow) split(p *page, i uint64) *split {
	c := p.at(i)
	if c.write.warp() == splitMark {
		return &s.splits[c.write.number()]
	}
	var n uint32
	if last := len(s.unused) - 1; last >= 0 {
		n, s.unused = s.unused[last], s.unused[:last]
	} else {
		n = uint32(len(s.splits))
		s.splits = append(s.splits, split{})
		s.bytes += splitBytes
	}
	s.splits[n] = split{c, c, c, c}
	s.keep(p, i, &cell{write: mark(splitMark, n)})
	return &s.splits[n]
}

const splitBytes = 4 * 5 * 8

// join merges the records of a split word if all bytes have the same.
func (s *shadow) join(p *page, i uint64) {
	n := p.Writes[i].number()
	c := &s.splits[n]
	if c[1] != c[0] || c[2] != c[0] || c[3] != c[0] {
		return
	}
	whole := c[0]
	s.keep(p, i, &whole)
	s.unused = append(s.unused, n)
}

// forget drops the records of a freed range of memory.
func (s *shadow) forget(address, bytes uint64) {
	for end := address + bytes; address < end; address = (address>>pageShift + 1) << pageShift {
		if p := s.find(address); p != nil {
			first, last := address%pageBytes/4, min(end-address+address%pageBytes, pageBytes)/4
			for i := first; i < last; i++ {
				s.keep(p, i, &cell{})
			}
		}
	}
}

// mark marks a range of memory as written or unwritten.
func (s *shadow) mark(address, bytes uint64, written bool) {
	for end := address + bytes; address < end; {
		from := address % pageBytes
		to := min(end-address+from, pageBytes)
		if p := s.find(address); p != nil {
			p.mark(s, from, to, written)
		} else if !written {
			s.makePage(address).mark(s, from, to, false)
		}
		address += to - from
	}
}

func (p *page) mark(s *shadow, from, to uint64, written bool) {
	if from == 0 && to == pageBytes {
		if p.unset != nil {
			s.bytes -= pageBytes / 8
		}
		p.unset, p.none, p.left = nil, !written, 0
		return
	}
	if written && p.unset == nil && !p.none {
		return
	}
	bitmap := p.bitmap(s)
	for at := from; at < to; {
		n := min(64-at%64, to-at)
		bits64 := (^uint64(0) >> (64 - n)) << (at % 64)
		word := &bitmap[at/64]
		p.left -= bits.OnesCount64(*word & bits64)
		if *word &^= bits64; !written {
			*word |= bits64
			p.left += int(n)
		}
		at += n
	}
	if p.left == 0 {
		p.unset = nil
		s.bytes -= pageBytes / 8
	}
}

// bitmap returns the page's bits of unset bytes, and makes them if necessary.
func (p *page) bitmap(s *shadow) *[pageBytes / 64]uint64 {
	if p.unset == nil {
		p.unset = new([pageBytes / 64]uint64)
		s.bytes += pageBytes / 8
		if p.none {
			for i := range p.unset {
				p.unset[i] = ^uint64(0)
			}
			p.left = pageBytes
		}
		p.none = false
	}
	return p.unset
}

// complete reports whether every byte of the page has been written.
func (p *page) complete() bool { return p.unset == nil && !p.none }

// missing returns a bit for each unwritten byte of up to 16 bytes in one page.
func (p *page) missing(at uint64, bytes uint8) uint32 {
	all := uint32(1)<<bytes - 1
	if p.none {
		return all
	}
	if p.unset == nil {
		return 0
	}
	at %= pageBytes
	return uint32(p.unset[at/64]>>(at%64)) & all // an aligned access of up to 16 bytes is in one word of the bitmap
}

// set marks up to 16 aligned bytes as written.
func (p *page) set(s *shadow, at uint64, bytes uint8) {
	at %= pageBytes
	word := &p.bitmap(s)[at/64]
	mask := (uint64(1)<<bytes - 1) << (at % 64)
	p.left -= bits.OnesCount64(*word & mask)
	if *word &^= mask; p.left == 0 {
		p.unset = nil
		s.bytes -= pageBytes / 8
	}
}
