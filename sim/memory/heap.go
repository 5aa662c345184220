package memory

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/keplersim/keplersim/isa/exec"
)

const (
	// granule is the alignment and rounding of device-side malloc's blocks (d CUDA C Programming Guide: 16 bytes).
	granule = 1 << exec.GranuleShift
	// heapGuard separates blocks, so that an access past the end of one is found.
	heapGuard = granule
)

// Heap is the device heap of malloc and free: one allocation of device memory, in which only the blocks in use may be accessed. Malloc goes
// round the heap, so that freed blocks stay unused for as long as possible and accesses to them are found.
type Heap struct {
	base, bytes uint64
	live        []byte // exec.Reach.Live
	free        []span // by address, never adjacent
	rover       uint64 // where the next search begins
	blocks      map[uint64]*HeapBlock
	used        uint64
	tails       map[uint64]uint64 // bytes in use of the partly used last granules, by the granules' addresses
}

type span struct{ address, bytes uint64 }

// HeapBlock is a block in use, or a freed one whose place has not been reused.
type HeapBlock struct {
	Address, Bytes uint64
	// Taken and Freed describe the callers; Freed is empty while the block is in use.
	Taken, Freed string
}

// NewHeap allocates the heap. From then on Find reports only its blocks in use.
func (g *Global) NewHeap(bytes uint64) (*Heap, error) {
	bytes = roundUp(max(bytes, granule), granule)
	base, err := g.Allocate("device heap", bytes)
	if err != nil {
		return nil, fmt.Errorf("device heap (heap.malloc): %w", err)
	}
	h := &Heap{
		base: base, bytes: bytes, live: make([]byte, bytes/granule+3), free: []span{{base, bytes}}, rover: base,
		blocks: map[uint64]*HeapBlock{}, tails: map[uint64]uint64{},
	}
	g.heap = h
	return h, nil
}

// Used returns the bytes of blocks in use, guards included.
func (h *Heap) Used() uint64 { return h.used }

// Bytes returns the heap's size.
func (h *Heap) Bytes() uint64 { return h.bytes }

func heapTake(bytes uint64) uint64 { return roundUp(bytes, granule) + heapGuard }

// Malloc allocates a block and returns its address, 0 if there is no room or bytes is 0.
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
		h.mark(address, roundUp(bytes, granule), 1)
		if tail := bytes % granule; tail > 0 {
			h.tails[address+bytes-tail] = tail
		}
		h.rover = address + need
		h.used += need
		return address
	}
	return 0
}

// forget deletes the records of freed blocks that a new block overlaps.
func (h *Heap) forget(address, bytes uint64) {
	for a := address; a < address+bytes; a += granule {
		delete(h.blocks, a)
	}
}

// Free frees a block. Freeing 0 does nothing. Freeing an address that is no block in use is an error.
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
	h.mark(address, roundUp(b.Bytes, granule), 0)
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

func (h *Heap) mark(address, bytes uint64, live byte) {
	for n := (address - h.base) / granule; n < (address-h.base+bytes)/granule; n++ {
		h.live[n] = live
	}
}

// contains reports whether an address is in the heap.
func (h *Heap) contains(address uint64) bool { return address-h.base < h.bytes }

// usable reports whether bytes of the heap are in blocks in use.
func (h *Heap) usable(address uint64, bytes int) bool {
	first, last := (address-h.base)/granule, (address-h.base+uint64(bytes)-1)/granule
	return !slices.Contains(h.live[first:last+1], 0)
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

// Freed reports whether an address is in a freed block whose place has not been reused.
func (h *Heap) Freed(address uint64) bool {
	for _, b := range h.blocks {
		if b.Freed != "" && address-b.Address < roundUp(b.Bytes, granule) {
			return true
		}
	}
	return false
}

// Beyond reports whether bytes begin in a block in use but exceed the requested size, within the last granule.
func (h *Heap) Beyond(address uint64, bytes int) bool {
	last := address + uint64(bytes) - 1
	tail, ok := h.tails[last/granule*granule]
	return ok && last%granule >= tail
}

// Heap returns the device heap, nil until a kernel has used it.
func (g *Global) Heap() *Heap { return g.heap }

// Explain describes what an address of the heap is, or was.
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

// Explain describes an address of the device heap; "" for others.
func (g *Global) Explain(address uint64) string {
	if g.heap == nil || !g.heap.contains(address) {
		return ""
	}
	return g.heap.Explain(address)
}
