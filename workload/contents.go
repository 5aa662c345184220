package workload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/keplersim/keplersim/internal/files"
)

// pieceBytes is the size of a piece of a buffer: whole elements of any type, small enough for a host core's caches.
const pieceBytes = 1 << 18

// Contents are a buffer's initial bytes, little endian. They are computed or read on demand, so that there is no second copy of a large
// buffer.
type Contents struct {
	bytes int64
	// head has the first headBytes bytes; zeros follow. It is nil if elements are computed.
	head      io.ReaderAt
	headBytes int64
	file      *os.File // the file behind head, nil for none
	// size is an element's size in bytes. put writes elements, starting with number first.
	size int64
	put  func(first int64, into []byte)
}

// Contents opens a buffer's initial contents; the caller closes it. addresses resolves pointers; if it is nil, pointers are zeros. The
// error is about a missing file, a file longer than the buffer, or a pointer to an unknown buffer.
func (w *Workload) Contents(b Buffer, addresses Addresses) (*Contents, error) {
	c := &Contents{bytes: b.Bytes(), size: int64(b.Type.Size()), head: bytes.NewReader(nil)}
	var err error
	switch b.Init.Kind {
	case InitFill:
		err = c.fill(b)
	case InitValues:
		err = c.values(b.Type, b.Init.Values)
	case InitRamp:
		c.head, c.put = nil, func(first int64, into []byte) {
			b.Type.putAll(into, func(n int64) uint64 { return b.Init.rampElement(b.Type, first+n) })
		}
	case InitRandom:
		elements := b.Init.randomElements(b.Type)
		c.head, c.put = nil, func(first int64, into []byte) {
			generator := SplitMix64(b.Init.Seed)
			generator.skip(uint64(first))
			elements(into, &generator)
		}
	case InitFile:
		if err = c.open(w.File(b.Init.File)); err == nil && c.headBytes > c.bytes {
			c.Close()
			err = fmt.Errorf("%s is longer than the buffer's %d bytes", w.File(b.Init.File), c.bytes)
		}
	case InitPointers:
		if addresses != nil {
			err = c.pointers(b.Init.Pointers, addresses)
		}
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Computed returns a function that computes the bytes at an offset at any time; nil for contents that are stored or read.
func (c *Contents) Computed() func(offset int64, into []byte) {
	if c.head != nil {
		return nil
	}
	return func(offset int64, into []byte) { c.elements(into, offset) }
}

// Close closes the file, if there is one.
func (c *Contents) Close() {
	if c.file != nil {
		_ = c.file.Close() // it was only read
	}
}

// ReadAt implements [io.ReaderAt].
func (c *Contents) ReadAt(into []byte, offset int64) (n int, err error) {
	if offset < 0 || offset > c.bytes {
		return 0, fmt.Errorf("byte %d of %d", offset, c.bytes)
	}
	if left := c.bytes - offset; int64(len(into)) > left {
		into, err = into[:left], io.EOF
	}
	if c.head == nil {
		c.elements(into, offset)
		return len(into), err
	}
	read := 0
	if offset < c.headBytes {
		head := into[:min(int64(len(into)), c.headBytes-offset)]
		var failure error
		if read, failure = c.head.ReadAt(head, offset); failure != nil && !errors.Is(failure, io.EOF) {
			return read, failure
		}
	}
	clear(into[read:])
	return len(into), err
}

// elements computes bytes at an offset. They may begin and end within elements.
func (c *Contents) elements(into []byte, offset int64) {
	first, last := offset/c.size, (offset+int64(len(into))+c.size-1)/c.size
	if offset == first*c.size && int64(len(into))%c.size == 0 {
		c.put(first, into)
		return
	}
	whole := make([]byte, (last-first)*c.size)
	c.put(first, whole)
	copy(into, whole[offset-first*c.size:])
}

func (c *Contents) fill(b Buffer) error {
	if len(b.Init.Values) == 0 {
		return nil
	}
	bits, err := b.Init.Values[0].bits(b.Type)
	c.head, c.put = nil, func(_ int64, into []byte) { b.Type.putAll(into, func(int64) uint64 { return bits }) }
	return err
}

func (c *Contents) values(t Type, values []Number) error {
	head := make([]byte, len(values)*t.Size())
	for i, v := range values {
		bits, err := v.bits(t)
		if err != nil {
			return err
		}
		t.put(head[i*t.Size():], bits)
	}
	c.head, c.headBytes = bytes.NewReader(head), int64(len(head))
	return nil
}

func (c *Contents) pointers(list []Argument, addresses Addresses) error {
	head := make([]byte, 0, 8*len(list))
	for n, a := range list {
		packed, err := a.pack(ParamInfo{Type: "u64", Size: 8}, addresses)
		if err != nil {
			return fmt.Errorf("pointer %d: %w", n, err)
		}
		head = append(head, packed...)
	}
	c.head, c.headBytes = bytes.NewReader(head), int64(len(head))
	return nil
}

// open opens a file for the first bytes. It must be a regular file: a pipe cannot be read in pieces.
func (c *Contents) open(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		c.head, c.headBytes, c.file = f, info.Size(), f
		return nil
	}
	defer f.Close()
	var all []byte
	if err == nil {
		all, err = files.ReadFrom(f, path, c.bytes)
	}
	c.head, c.headBytes = bytes.NewReader(all), int64(len(all))
	return err
}

// Initial returns the buffer's initial bytes, with zeros for addresses. It fails only for a missing file or one that is too long.
func (w *Workload) Initial(b Buffer) ([]byte, error) {
	c, err := w.Contents(b, nil)
	if err != nil {
		return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
	}
	defer c.Close()
	out := make([]byte, b.Bytes())
	if _, err := c.ReadAt(out, 0); err != nil {
		return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
	}
	return out, nil
}

// InPieces reads bytes from an offset in pieces, and calls take for each with its offset. A piece is valid only during the call.
func InPieces(from io.ReaderAt, offset, bytes int64, take func(offset int64, piece []byte) error) error {
	piece := make([]byte, min(bytes, pieceBytes))
	for end := offset + bytes; offset < end; {
		piece = piece[:min(int64(len(piece)), end-offset)]
		if n, err := from.ReadAt(piece, offset); err != nil && (n < len(piece) || !errors.Is(err, io.EOF)) {
			return err
		}
		if err := take(offset, piece); err != nil {
			return err
		}
		offset += int64(len(piece))
	}
	return nil
}

// putAll fills a slice with elements; element gives the bits of the n-th.
func (t Type) putAll(into []byte, element func(n int64) uint64) {
	switch t.Size() {
	case 1:
		for i := range into {
			into[i] = byte(element(int64(i)))
		}
	case 2:
		for n := int64(0); len(into) >= 2; n, into = n+1, into[2:] {
			binary.LittleEndian.PutUint16(into, uint16(element(n)))
		}
	case 4:
		for n := int64(0); len(into) >= 4; n, into = n+1, into[4:] {
			binary.LittleEndian.PutUint32(into, uint32(element(n)))
		}
	default:
		for n := int64(0); len(into) >= 8; n, into = n+1, into[8:] {
			binary.LittleEndian.PutUint64(into, element(n))
		}
	}
}

// rampElement is start + i * step: in double precision, or modulo the integer type.
func (i Init) rampElement(t Type, n int64) uint64 {
	if t.IsFloat() {
		return floatBits(t, i.Start.float()+float64(float64(n)*i.Step.float()))
	}
	return i.Start.wrapped() + uint64(n)*i.Step.wrapped()
}

// randomElements returns the function that fills a slice with elements, each made from the next 64 random bits.
func (i Init) randomElements(t Type) func([]byte, *SplitMix64) {
	low, high := i.bounds(t)
	if !t.IsFloat() {
		least, span := low.wrapped(), high.wrapped()-low.wrapped()+1
		if mask := span - 1; t.Size() == 1 && span&mask == 0 { // as for pictures: no call and no division per element
			return func(into []byte, generator *SplitMix64) {
				for i := range into {
					into[i] = byte(least + generator.Next()&mask)
				}
			}
		}
		return func(into []byte, generator *SplitMix64) {
			t.putAll(into, func(int64) uint64 {
				if span == 0 { // every 64-bit pattern: the random bits themselves
					return generator.Next()
				}
				return least + generator.Next()%span
			})
		}
	}
	lo, span := low.float(), high.float()-low.float()
	next := func(generator *SplitMix64) float64 {
		return lo + float64(span*(float64(generator.Next()>>11)*0x1p-53)) // the conversion forbids a fused multiply-add
	}
	if t != "f32" {
		return func(into []byte, generator *SplitMix64) {
			t.putAll(into, func(int64) uint64 { return floatBits(t, next(generator)) })
		}
	}
	return func(into []byte, generator *SplitMix64) { // the most common type, without a call per element
		for ; len(into) >= 4; into = into[4:] {
			v := lo + float64(span*(float64(generator.Next()>>11)*0x1p-53))
			binary.LittleEndian.PutUint32(into, math.Float32bits(float32(v)))
		}
	}
}
