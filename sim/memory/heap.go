package memory

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

const (
	// granule is what device-side malloc's blocks are aligned to and rounded up to (d CUDA C Programming Guide: 16 bytes).
	granule = 16
	// heapGuard lies behind every block, so that running past its end is seen.
	heapGuard = granule
)

// Heap is the device heap of malloc and free: one allocation of device memory, of which only the blocks in use may be accessed.
// Blocks are taken in turn round the heap, so that freed ones stay unused for as long as possible and their use is seen.
type Heap struct {
	base, bytes uint64
	live        []uint64 // one bit a granule: may be accessed
	free        []span   // by address, apart from one another
	rover       uint64   // where the search for the next block begins
	blocks      map[uint64]*HeapBlock
	used        uint64
	tails       map[uint64]uint64 // bytes in use of the last granules of blocks that do not fill them, by the granules' addresses
}

type span struct{ address, bytes uint64 }

// HeapBlock is a block in use, or one that has been freed and not been used since.
type HeapBlock struct {
	Address, Bytes uint64
	// Taken and Freed say who did, in words; Freed is empty while the block is in use.
	Taken, Freed string
}

// NewHeap sets the heap aside. Find reports only its blocks from then on.
func (g *Global) NewHeap(bytes uint64) (*Heap, error) {
	bytes = roundUp(max(bytes, granule), granule)
	base, err := g.Allocate("device heap", bytes)
	if err != nil {
		return nil, fmt.Errorf("device heap (heap.malloc): %w", err)
	}
	h := &Heap{
		base: base, bytes: bytes, live: make([]uint64, bytes/granule/64+1), free: []span{{base, bytes}}, rover: base,
		blocks: map[uint64]*HeapBlock{}, tails: map[uint64]uint64{},
	}
	g.heap = h
	return h, nil
}

// Used returns what blocks in use take, guards included; Bytes is the heap's size.
func (h *Heap) Used() uint64 { return h.used }

// Bytes returns the heap's size.
func (h *Heap) Bytes() uint64 { return h.bytes }

func heapTake(bytes uint64) uint64 { return roundUp(bytes, granule) + heapGuard }

// Malloc takes a block and returns its address, 0 when there is no room or bytes is 0.
func (h *Heap) Malloc(bytes uint64, who string) uint64 {
	if bytes == 0 || bytes > h.bytes {
		return 0
	}
	need := heapTake(bytes)
	start := sort.Search(len(h.free), func(i int) bool { return h.free[i].address+h.free[i].bytes > h.rover })
	for k := range h.free {
		i := (start + k) % len(h.free)
		if h.free[i].bytes < need {
			continue
		}
		address := h.free[i].address
		h.free[i].address += need
		h.free[i].bytes -= need
		if h.free[i].bytes == 0 {
			h.free = slices.Delete(h.free, i, i+1)
		}
		h.forget(address, need)
		h.blocks[address] = &HeapBlock{Address: address, Bytes: bytes, Taken: who}
		h.mark(address, roundUp(bytes, granule), true)
		if tail := bytes % granule; tail > 0 {
			h.tails[address+bytes-tail] = tail
		}
		h.rover = address + need
		h.used += need
		return address
	}
	return 0
}

// forget drops the records of freed blocks that new ones lie over.
func (h *Heap) forget(address, bytes uint64) {
	for a := address; a < address+bytes; a += granule {
		delete(h.blocks, a)
	}
}

// Free gives a block back. Freeing 0 does nothing; freeing what is no block in use is an error that says so.
func (h *Heap) Free(address uint64, who string) error {
	if address == 0 {
		return nil
	}
	b := h.blocks[address]
	switch {
	case b == nil:
		return fmt.Errorf("free of %#x, which malloc has not returned; %s", address, h.Explain(address))
	case b.Freed != "":
		return fmt.Errorf("double free of %d bytes at %#x: taken by %s, freed by %s", b.Bytes, address, b.Taken, b.Freed)
	}
	b.Freed = who
	delete(h.tails, b.Address+b.Bytes-b.Bytes%granule)
	need := heapTake(b.Bytes)
	h.mark(address, roundUp(b.Bytes, granule), false)
	h.used -= need
	i := sort.Search(len(h.free), func(i int) bool { return h.free[i].address > address })
	h.free = slices.Insert(h.free, i, span{address, need})
	if i+1 < len(h.free) && h.free[i].address+h.free[i].bytes == h.free[i+1].address {
		h.free[i].bytes += h.free[i+1].bytes
		h.free = slices.Delete(h.free, i+1, i+2)
	}
	if i > 0 && h.free[i-1].address+h.free[i-1].bytes == h.free[i].address {
		h.free[i-1].bytes += h.free[i].bytes
		h.free = slices.Delete(h.free, i, i+1)
	}
	return nil
}

func (h *Heap) mark(address, bytes uint64, live bool) {
	for n := (address - h.base) / granule; n < (address-h.base+bytes)/granule; n++ {
		if live {
			h.live[n/64] |= 1 << (n % 64)
		} else {
			h.live[n/64] &^= 1 << (n % 64)
		}
	}
}

// contains reports an address of the heap.
func (h *Heap) contains(address uint64) bool { return address-h.base < h.bytes }

// usable reports whether bytes of the heap lie in a block in use.
func (h *Heap) usable(address uint64, bytes int) bool {
	first, last := (address-h.base)/granule, (address-h.base+uint64(bytes)-1)/granule
	for n := first; n <= last; n++ {
		if h.live[n/64]>>(n%64)&1 == 0 {
			return false
		}
	}
	return true
}

// Blocks returns the blocks in use, by address.
func (h *Heap) Blocks() (list []*HeapBlock) {
	for _, b := range h.blocks {
		if b.Freed == "" {
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b *HeapBlock) int { return cmp.Compare(a.Address, b.Address) })
	return list
}

// Freed reports an address in a block that has been freed and lies unused since.
func (h *Heap) Freed(address uint64) bool {
	for _, b := range h.blocks {
		if b.Freed != "" && address-b.Address < roundUp(b.Bytes, granule) {
			return true
		}
	}
	return false
}

// Beyond reports bytes that begin in a block in use and reach past the size that was asked for, within the last granule.
func (h *Heap) Beyond(address uint64, bytes int) bool {
	last := address + uint64(bytes) - 1
	tail, ok := h.tails[last/granule*granule]
	return ok && last%granule >= tail
}

// Heap returns the device heap, nil until a kernel has used it.
func (g *Global) Heap() *Heap { return g.heap }

// Explain says what an address of the heap is, or was.
func (h *Heap) Explain(address uint64) string {
	var best *HeapBlock
	for _, b := range h.blocks {
		if b.Address <= address && (best == nil || b.Address > best.Address) {
			best = b
		}
	}
	switch {
	case best == nil || !h.contains(address):
		return "there is no block of the device heap"
	case best.Freed != "" && address < best.Address+best.Bytes:
		return fmt.Sprintf("use after free: %d bytes at %#x, taken by %s, were freed by %s",
			best.Bytes, best.Address, best.Taken, best.Freed)
	case address < best.Address+best.Bytes:
		return fmt.Sprintf("it is %d bytes into the %d bytes at %#x, taken by %s",
			address-best.Address, best.Bytes, best.Address, best.Taken)
	}
	return fmt.Sprintf("it is %d bytes after the %d bytes at %#x of the device heap, taken by %s",
		address-best.Address-best.Bytes, best.Bytes, best.Address, best.Taken)
}

// Explain says what the heap knows of an address, "" when it does not lie there.
func (g *Global) Explain(address uint64) string {
	if g.heap == nil || !g.heap.contains(address) {
		return ""
	}
	return g.heap.Explain(address)
}
