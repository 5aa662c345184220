package spill

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"unsafe"

	"github.com/keplersim/keplersim/internal/files"
)

const (
	// pieceBytes is the size at which a piece is closed. Pieces are written at once, and each can be read alone.
	pieceBytes = 64 << 10
	// mostKept bounds how many earlier values of a piece are kept for comparison: the last one of each key.
	mostKept = 64
)

// List keeps values of a type in order. It must not be used by several goroutines at once.
type List[T any] struct {
	layout *layout
	key    func(*T) string
	limit  int
	count  int
	names  names

	open     []byte // the piece being written
	values   int    // in it
	places   map[string]int
	previous []*T // the last value of each key in the open piece, by place

	closed  []piece
	held    int // bytes of the closed pieces that are in memory
	file    *os.File
	name    string // of the file, if it could not be removed while open
	size    int64
	refused bool // no file can be written
	failure error
}

// piece is a block of written values, in memory or else in the file.
type piece struct {
	values int
	data   []byte
	offset int64
	bytes  int
}

// New returns an empty list that holds at most limit bytes of closed pieces in memory if a temporary file can be written. Values with equal
// keys should be similar. T must hold no functions, channels, maps, interfaces, or pointers to its own type.
func New[T any](limit int, key func(*T) string) *List[T] {
	return &List[T]{
		layout: newLayout(reflect.TypeFor[T](), nil), key: key, limit: limit, names: names{number: map[string]uint64{}},
		places: map[string]int{},
	}
}

// Len returns the number of values, 0 for a nil list.
func (l *List[T]) Len() int {
	if l == nil {
		return 0
	}
	return l.count
}

// Append adds a value and keeps it to compare later ones with. It returns an earlier value that the list no longer needs, nil for none.
func (l *List[T]) Append(v *T) (free *T) {
	key := l.key(v)
	place, known := l.places[key]
	if !known {
		place = min(len(l.places), mostKept-1) // all further keys share the last place
		l.places[key] = place
	}
	previous := l.layout.zero
	if place < len(l.previous) {
		free = l.previous[place]
		previous = unsafe.Pointer(free)
	} else {
		l.previous = append(l.previous, nil)
	}
	l.open = append(l.open, byte(place))
	l.open = l.layout.write(l.open, unsafe.Pointer(v), previous, &l.names)
	l.previous[place] = v
	l.values++
	l.count++
	if len(l.open) >= pieceBytes {
		l.close()
	}
	return free
}

// close ends the open piece.
func (l *List[T]) close() {
	l.closed = append(l.closed, piece{values: l.values, data: append([]byte(nil), l.open...)})
	l.held += len(l.open)
	l.open, l.values, l.previous = l.open[:0], 0, l.previous[:0]
	clear(l.places)
	if l.held > l.limit && !l.refused {
		l.spill()
	}
}

// spill moves the closed pieces from memory to the file. If that fails, they stay in memory.
func (l *List[T]) spill() {
	if l.file == nil && !l.create() {
		return
	}
	for i := range l.closed {
		p := &l.closed[i]
		if p.data == nil {
			continue
		}
		if _, err := l.file.WriteAt(p.data, l.size); err != nil {
			l.refused = true
			return
		}
		p.offset, p.bytes = l.size, len(p.data)
		l.size += int64(p.bytes)
		l.held -= p.bytes
		p.data = nil
	}
}

// create makes the file. It removes the file's name if the system allows, so that a killed run leaves nothing behind.
func (l *List[T]) create() bool {
	file, unlinked, err := files.Scratch()
	if err != nil {
		l.refused = true
		return false
	}
	l.file = file
	if !unlinked {
		l.name = file.Name()
	}
	return true
}

// All returns the values with their indices. Callers must not change them, since values share memory, nor append meanwhile. If the file
// cannot be read back, the sequence ends early and Err says why.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		if l == nil {
			return
		}
		at := 0
		var room []byte
		for i := range l.closed {
			data, err := l.dataOf(&l.closed[i], &room)
			if err != nil {
				l.failure = err
				return
			}
			if !l.read(data, l.closed[i].values, &at, yield) {
				return
			}
		}
		l.read(l.open, l.values, &at, yield)
	}
}

// dataOf returns the bytes of a piece.
func (l *List[T]) dataOf(p *piece, room *[]byte) ([]byte, error) {
	if p.data != nil {
		return p.data, nil
	}
	if cap(*room) < p.bytes {
		*room = make([]byte, p.bytes)
	}
	data := (*room)[:p.bytes]
	if _, err := l.file.ReadAt(data, p.offset); err != nil {
		return nil, fmt.Errorf("read a temporary file: %w", err)
	}
	return data, nil
}

// read yields the values of a piece, and reports whether the caller wants more.
func (l *List[T]) read(data []byte, values int, at *int, yield func(int, *T) bool) bool {
	r := reader{data: data, names: l.names.list}
	var previous [mostKept]*T
	for range values {
		v, err := l.next(&r, &previous)
		if err != nil {
			l.failure = err
			return false
		}
		if !yield(*at, v) {
			return false
		}
		*at++
	}
	return true
}

// next reads a value.
func (l *List[T]) next(r *reader, previous *[mostKept]*T) (v *T, err error) {
	defer func() {
		if failed := recover(); failed != nil {
			if failed != any(errCut) {
				panic(failed)
			}
			err = errCut
		}
	}()
	place := r.upTo(mostKept - 1)
	v = new(T)
	if previous[place] != nil {
		*v = *previous[place]
	}
	r.read(l.layout, unsafe.Pointer(v))
	previous[place] = v
	return v, nil
}

// Err returns why values could not be read back, nil if all could.
func (l *List[T]) Err() error {
	if l == nil {
		return nil
	}
	return l.failure
}

// Close frees the file, and with it the values.
func (l *List[T]) Close() error {
	if l == nil || l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file, l.closed, l.count = nil, nil, 0
	if l.name != "" {
		err = errors.Join(err, os.Remove(l.name))
	}
	return err
}
