package cache

import "math/bits"

// lineTable maps lines to numbers: open addressing with linear probing, at most half full.
type lineTable struct {
	lines   []uint64
	numbers []int32
	shift   uint
	mask    int
}

// noLines is an empty table that stays empty.
var noLines = &lineTable{lines: []uint64{noLine}, numbers: []int32{-1}, shift: 63}

func newLineTable(entries int) *lineTable {
	size := 1 << bits.Len(uint(2*entries-1))
	t := &lineTable{lines: make([]uint64, size), numbers: make([]int32, size), shift: 64 - uint(bits.Len(uint(size-1))), mask: size - 1}
	t.empty()
	return t
}

// empty removes every line.
func (t *lineTable) empty() {
	for i := range t.lines {
		t.lines[i] = noLine
	}
}

// home returns where the search for a line begins: Fibonacci hashing.
func (t *lineTable) home(line uint64) int {
	return int(line*0x9e37_79b9_7f4a_7c15>>t.shift) & t.mask
}

func (t *lineTable) find(line uint64) int {
	for i := t.home(line); ; i = (i + 1) & t.mask {
		switch t.lines[i] {
		case line:
			return int(t.numbers[i])
		case noLine:
			return -1
		}
	}
}

func (t *lineTable) insert(line uint64, number int) {
	i := t.home(line)
	for t.lines[i] != noLine {
		i = (i + 1) & t.mask
	}
	t.lines[i], t.numbers[i] = line, int32(number)
}

// remove removes a line and returns its number. It moves the lines behind back, so that searches need no tombstones.
func (t *lineTable) remove(line uint64) (number int32) {
	i := t.home(line)
	for t.lines[i] != line {
		i = (i + 1) & t.mask
	}
	number = t.numbers[i]
	for j := (i + 1) & t.mask; t.lines[j] != noLine; j = (j + 1) & t.mask {
		if home := t.home(t.lines[j]); (j-home)&t.mask >= (j-i)&t.mask {
			t.lines[i], t.numbers[i] = t.lines[j], t.numbers[j]
			i = j
		}
	}
	t.lines[i] = noLine
	return number
}
