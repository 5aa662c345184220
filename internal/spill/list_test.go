package spill

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type inner struct {
	name   string
	on     bool
	counts [3]uint64
	places []place
}

type place struct {
	file string
	line int32
}

// everything has a field of each kind that can be written.
type everything struct {
	Kind    string
	a, b    uint64
	small   uint8
	f       float32
	x       float64
	pair    [2]inner
	list    []inner
	texts   []string
	bytes   []byte
	to      *inner
	none    *place
	lists   [][]int
	nothing []struct{}
}

// random returns a value with some fields as in an earlier one.
func random(r *rand.Rand, kinds int, before *everything) *everything {
	v := &everything{}
	if before != nil {
		*v = *before
	}
	again := func() bool { return before != nil && r.IntN(3) > 0 }
	text := func() string { return fmt.Sprint("text ", r.IntN(20)) }
	one := func() inner {
		i := inner{name: text(), on: r.IntN(2) > 0, counts: [3]uint64{r.Uint64(), 0, r.Uint64N(10)}}
		for range r.IntN(3) {
			i.places = append(i.places, place{text(), r.Int32()})
		}
		return i
	}
	v.Kind = fmt.Sprint("kind ", r.IntN(kinds))
	for _, change := range []func(){
		func() { v.a, v.b = r.Uint64(), r.Uint64() }, func() { v.small, v.f, v.x = uint8(r.Uint32()), r.Float32(), r.NormFloat64() },
		func() { v.pair[r.IntN(2)] = one() }, func() { v.list = append([]inner{}, one(), one())[:r.IntN(3)] }, func() { v.list = nil },
		func() { v.texts = []string{text(), "", text()}[r.IntN(3):] }, func() { v.bytes = []byte(text()) },
		func() { i := one(); v.to = &i }, func() { v.to = nil }, func() { v.none = &place{line: 1} },
		func() { v.lists = [][]int{nil, {}, {r.Int()}}[:r.IntN(4)] }, func() { v.nothing = make([]struct{}, r.IntN(2)) },
		func() { v.a++ },
	} {
		if !again() {
			change()
		}
	}
	return v
}

// The values that come out are those that went in, in memory and in a file, whatever changes from value to value.
func TestAll(t *testing.T) {
	for _, test := range []struct{ values, kinds, limit int }{
		{0, 1, 1}, {1, 1, 1 << 20}, {500, 3, 1 << 30}, {4000, 3, 1 << 17}, {3000, 200, 0},
	} {
		r := rand.New(rand.NewPCG(uint64(test.values), uint64(test.kinds)))
		list := New(test.limit, func(v *everything) string { return v.Kind })
		var want []*everything
		var last *everything
		for i := range test.values {
			last = random(r, test.kinds, last)
			copied := *last
			want = append(want, &copied)
			list.Append(last)
			if i%1000 == 7 { // reading does not end writing
				for at, v := range list.All() {
					require.Equal(t, want[at], v)
				}
			}
		}
		assert.Equal(t, test.values, list.Len())
		for range 2 {
			next := 0
			for i, v := range list.All() {
				require.Equal(t, next, i)
				require.Equal(t, want[i], v)
				next++
			}
			require.Equal(t, test.values, next)
		}
		require.NoError(t, list.Err())
		assert.Equal(t, test.limit < 1<<20 && test.values > 1, list.file != nil, "a file")
		require.NoError(t, list.Close())
	}
}

// A nil list is empty.
func TestNil(t *testing.T) {
	var list *List[everything]
	assert.Zero(t, list.Len())
	for range list.All() {
		t.Error("a value")
	}
	require.NoError(t, list.Err())
	require.NoError(t, list.Close())
}

type numbers struct {
	label  string
	values [400]uint64
}

// fill appends values with numbers that do not follow from earlier ones.
func fill(list *List[numbers], count int) (sum uint64) {
	r := rand.New(rand.NewPCG(1, 2))
	for range count {
		v := &numbers{label: "all"}
		for i := range v.values {
			v.values[i] = r.Uint64()
			sum += v.values[i]
		}
		list.Append(v)
	}
	return sum
}

func sumOf(list *List[numbers]) (sum uint64) {
	for _, v := range list.All() {
		for _, n := range v.values {
			sum += n
		}
	}
	return sum
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// With a file, memory does not grow with the values. The file has no name if the system allows.
func TestMemoryIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	list := New(1<<20, func(*numbers) string { return "" })
	before := heap()
	sum := fill(list, 8000) // 29 MB
	assert.Less(t, heap()-before, 3<<20)
	assert.Equal(t, sum, sumOf(list))
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	require.NoError(t, err)
	if runtime.GOOS == "linux" {
		assert.Empty(t, left)
	}
	require.NoError(t, list.Close())
}

// If a file cannot be made, or no longer be written to, values stay in memory.
func TestNoFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	list := New(1000, func(*numbers) string { return "" })
	sum := fill(list, 200)
	assert.Equal(t, sum, sumOf(list))
	require.NoError(t, list.Err())

	t.Setenv("TMPDIR", t.TempDir())
	list = New(1000, func(*numbers) string { return "" })
	sum = fill(list, 200)
	written, err := os.Open(os.DevNull)
	require.NoError(t, err)
	read := list.file
	list.file = written // a file that cannot be written to
	sum += fill(list, 200)
	require.True(t, list.refused)
	list.file = read
	assert.Equal(t, sum, sumOf(list))
	require.NoError(t, list.Err())
}

// A file that has lost bytes gives an error, and no wrong value.
func TestCutFile(t *testing.T) {
	list := New(1000, func(*numbers) string { return "" })
	fill(list, 400)
	require.NoError(t, list.file.Truncate(list.size/2))
	sumOf(list)
	require.ErrorContains(t, list.Err(), "read a temporary file")

	list = New(1000, func(*numbers) string { return "" })
	fill(list, 400)
	_, err := list.file.WriteAt([]byte(strings.Repeat("\xff", 1000)), 0)
	require.NoError(t, err)
	sumOf(list)
	require.ErrorIs(t, list.Err(), errCut)
}

// Types that cannot be written panic when the list is made.
func TestTypes(t *testing.T) {
	type self []*self
	assert.PanicsWithValue(t, "spill: a func() cannot be written", func() { New(0, func(*struct{ f func() }) string { return "" }) })
	assert.PanicsWithValue(t, "spill: a map[int]int cannot be written", func() { New(0, func(*map[int]int) string { return "" }) })
	assert.PanicsWithValue(t, "spill: a spill.self holds others of its type", func() { New(0, func(*self) string { return "" }) })
}

func BenchmarkAppend(b *testing.B) {
	list := New(1<<20, func(*numbers) string { return "" })
	v := &numbers{label: "all"}
	for i := range b.N {
		for k := range 40 {
			v.values[10*k] += uint64(i)
		}
		list.Append(v)
	}
}

func BenchmarkAll(b *testing.B) {
	list := New(1<<20, func(*numbers) string { return "" })
	v := &numbers{label: "all"}
	for i := range 1000 {
		for k := range 40 {
			v.values[10*k] += uint64(i)
		}
		list.Append(v)
	}
	for b.Loop() {
		sumOf(list)
	}
}
