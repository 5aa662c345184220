package check

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/sim/observe"
)

// A record returns its fields, and those of later warps are greater.
func TestRecords(t *testing.T) {
	r := newRecord(70000, 31, 0x1_2345, 0xabcd)
	assert.Equal(t, uint32(70000), r.warp())
	assert.Equal(t, 31, r.lane())
	assert.Equal(t, uint32(0x2345), r.clock(), "the low bits")
	assert.Equal(t, uint16(0xabcd), r.site())
	assert.Less(t, r, newRecord(70001, 0, 0, 0))
	assert.Equal(t, severalLanes, r.ofSeveral().lane())
	assert.Equal(t, r.warp(), r.ofSeveral().warp())
	m := mark(splitMark, 17)
	assert.Equal(t, uint32(splitMark), m.warp())
	assert.Equal(t, uint32(17), m.number())
}

// Marks of written and unwritten memory are exact to the byte, and take no memory for pages that are wholly one.
func TestShadowFollowsBytes(t *testing.T) {
	s := &shadow{}
	s.mark(0x10000, 3*pageBytes+100, false)
	assert.Equal(t, uint64(pageBytes/8), s.bytes, "the last page alone has a bitmap")
	written := map[uint64]bool{}
	for _, m := range [][2]uint64{{0x10000, 64}, {0x10040 - 3, 10}, {0x10ff0, 32}, {0x12000, pageBytes}, {0x13001, 7}} {
		s.mark(m[0], m[1], true)
		for at := m[0]; at < m[0]+m[1]; at++ {
			written[at] = true
		}
	}
	for at := uint64(0x10000); at < 0x13000+100; at++ {
		want := uint32(1)
		if written[at] {
			want = 0
		}
		if got := s.find(at).missing(at, 1); got != want {
			t.Fatalf("byte %#x: %d, not %d", at, got, want)
		}
	}
	assert.Zero(t, s.find(0x13000).missing(0x13000+100, 4), "behind the range")
	p := s.find(0x11000)
	p.set(s, 0x11100, 4)
	assert.Zero(t, p.missing(0x11100, 4))
	assert.Equal(t, uint32(0xf), p.missing(0x11104, 4))
	s.mark(0x10000, 4*pageBytes, true)
	assert.Zero(t, s.bytes)
}

// Bytes that are written and then unwritten again are unset, and nothing is stored once every byte has been written.
func TestShadowCountsUnsetBytes(t *testing.T) {
	s := &shadow{}
	s.mark(0, pageBytes, false)
	s.mark(8, 8, true)
	s.mark(8, 8, false)
	for at := range uint64(pageBytes) {
		if s.find(at).missing(at, 1) != 1 {
			t.Fatalf("byte %#x counts as written", at)
		}
	}
	for at := uint64(0); at < pageBytes; at += 64 {
		assert.NotZero(t, s.bytes)
		s.mark(at, 64, true)
	}
	assert.Zero(t, s.bytes)
}

// joinKnown returns a new list, or the longer list if that includes the other.
func TestJoinKnownLeavesItsLists(t *testing.T) {
	x, y, z := &log{}, &log{}, &log{}
	a, b := []acquired{{x, 1}, {y, 5}}, []acquired{{x, 3}, {y, 4}, {z, 2}}
	assert.True(t, slices.Equal([]acquired{{x, 3}, {y, 5}, {z, 2}}, joinKnown(a, b)))
	assert.True(t, slices.Equal([]acquired{{x, 1}, {y, 5}}, a))
	assert.True(t, slices.Equal([]acquired{{x, 3}, {y, 4}, {z, 2}}, b))
	assert.Same(t, &a[0], &joinKnown(a, []acquired{{y, 5}})[0])
	assert.Same(t, &b[0], &joinKnown(nil, b)[0])
}

// A word is split as long as its bytes differ.
func TestWordsSplitAndJoin(t *testing.T) {
	s := &shadow{}
	p := s.page(0x4000)
	word := cell{write: 9, read: 3, strong2: 4}
	s.keep(p, 5, &word)
	c := s.split(p, 5)
	assert.Equal(t, split{word, word, word, word}, *c)
	c[2].read = 11
	s.join(p, 5)
	assert.Equal(t, uint32(splitMark), p.at(5).write.warp())
	for i := range 4 {
		s.split(p, 5)[i] = cell{write: 12}
	}
	s.join(p, 5)
	assert.Equal(t, cell{write: 12}, p.at(5))
	s.split(p, 6)
	assert.Equal(t, mark(splitMark, 0), p.at(6).write, "the place serves again")
	assert.Len(t, s.splits, 1)
}

// Commands are ordered only by streams, events and waits of the host.
func TestCommands(t *testing.T) {
	c := NewCommands()
	run := func(name, stream string, behind ...any) moment {
		c.Submit(name, stream, 0, behind)
		c.Begin(name)
		return c.begun[name]
	}
	a := run("a", "one")
	b := run("b", "two")
	assert.False(t, b.after(a))
	assert.False(t, a.after(b))
	a2 := run("a2", "one", "a")
	assert.True(t, a2.after(a))
	assert.False(t, a2.after(b))
	waited := run("w", "two", "b", "a2") // an event recorded after a2
	assert.True(t, waited.after(a))
	assert.True(t, waited.after(b))
	d := run("d", "three")
	assert.False(t, d.after(a))
	c.Wait(0, "a2")
	e := run("e", "three", "d")
	assert.True(t, e.after(a2))
	assert.True(t, e.after(a))
	assert.False(t, e.after(b))
	assert.True(t, e.after(d))
}

// newBlock makes a block of single-lane warps in clock 10.
func newBlock(warps int) *block {
	b := &block{grid: &grid{}, threads: threads{uint32(32 * warps), 1, 1}, warps: make([]warp, warps)}
	for i := range b.warps {
		b.warps[i] = warp{block: b, index: i, clock: 10, seen: make([]uint64, warps), live: 1, active: 1, together: 10}
	}
	return b
}

// What one warp has acquired from another block, and its own clock, are known behind a barrier to each warp that waited there.
func TestBarriersHandOnWhatIsKnown(t *testing.T) {
	c := New(Options{}, &List{}, NewCommands())
	writer, b := newBlock(1), newBlock(3)
	c.fence(&writer.warps[0], 0)
	c.release(&writer.warps[0], variable{address: 4}, false)
	c.acquire(&b.warps[0], variable{address: 4})
	c.complete(b, &arrivals{[]arrival{{warp: 0, threads: 96}, {warp: 1, threads: 96}, {warp: 2, threads: 96, only: true}}})
	for i, waited := range []bool{true, true, false} {
		w := &b.warps[i]
		assert.Equal(t, waited, w.knows(writer, 0, 10), "warp %d", i)
		assert.Equal(t, waited, w.seen[1] >= 10, "warp %d", i)
	}
}

// A release is known to others through any chain of variables, up to the clock of its fence and no further.
func TestReleasesAreTransitive(t *testing.T) {
	c := New(Options{}, &List{}, NewCommands())
	blocks := []*block{newBlock(1), newBlock(1), newBlock(1)}
	first, second, third := &blocks[0].warps[0], &blocks[1].warps[0], &blocks[2].warps[0]
	x, y := variable{address: 4}, variable{address: 8}
	c.release(first, x, false)
	assert.Empty(t, c.logs, "without a fence nothing is handed on")
	c.fence(first, 0)
	c.release(first, x, false)
	c.acquire(second, x)
	assert.True(t, second.knows(blocks[0], 0, 10))
	assert.False(t, second.knows(blocks[0], 0, 11), "what came behind the fence")
	c.fence(second, 0)
	c.release(second, y, false)
	assert.False(t, third.knows(blocks[0], 0, 10))
	c.acquire(third, y)
	assert.True(t, third.knows(blocks[0], 0, 10))
	assert.True(t, third.knows(blocks[1], 0, 10))
}

// Lanes are in lockstep with those that have been active with them since.
func TestLockstep(t *testing.T) {
	c := New(Options{}, &List{}, NewCommands())
	w := &warp{block: &block{}, clock: 5, live: 0xf, active: 0xf, together: 5}
	c.tick(w, 0x3) // 6
	c.tick(w, 0xc) // 7
	assert.False(t, w.lockstep(6, 0, 2))
	assert.True(t, w.lockstep(6, 3, 2), "both were active in clock 7")
	assert.True(t, w.lockstep(5, 0, 2))
	c.tick(w, 0xf) // 8
	assert.True(t, w.lockstep(6, 0, 2))
}

// joinSeen takes the later clock of each warp, or the only list.
func TestJoinSeen(t *testing.T) {
	one, other := []uint64{3, 0, 7}, []uint64{2, 5, 7}
	for _, test := range []struct{ a, b, want []uint64 }{
		{one, other, []uint64{3, 5, 7}}, {nil, other, other}, {one, nil, one}, {nil, nil, nil},
	} {
		assert.Equal(t, test.want, joinSeen(test.a, test.b))
	}
	assert.Equal(t, []uint64{3, 0, 7}, one)
}

// The checker ignores a barrier number that no chip has: the SMX reports it.
func TestBarriersBeyondTheLast(t *testing.T) {
	for _, id := range []uint32{16, 17, 1 << 31} {
		assert.NotPanics(t, func() { (&Checker{}).Barrier(observe.Barrier{ID: id}) })
	}
}
