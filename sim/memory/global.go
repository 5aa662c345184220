package memory

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

const (
	// pageShift is log2 of the page size. Pages back allocations as they are written: 64 KiB.
	pageShift = 16
	pageBytes = 1 << pageShift
	// firstAddress is the start of device memory: above the windows of shared and local memory.
	firstAddress = uint64(0x1_0000_0000)
	// alignment is the alignment of allocations that cudaMalloc promises (d CUDA C Programming Guide).
	alignment = 256
	// guardBytes separate two allocations, so that an access past the end of one is found.
	guardBytes = 256
	// mostBytes is more than any host can allocate, and far from overflow of sums of addresses.
	mostBytes = 1 << 47
)

// Allocation is one piece of device memory.
type Allocation struct {
	Name    string
	Address uint64
	Bytes   uint64
	Home    Home
}

// Home is the place of an allocation's bytes.
type Home uint8

// Homes.
const (
	OnDevice Home = iota // in the device's memory
	Mapped               // in the host's, page-locked: every access of the device crosses the link
	Managed              // in the device's while it works, else in the host's; it moves as a whole
)

// String returns the name of a home in messages.
func (h Home) String() string { return [...]string{"device", "mapped", "managed"}[h] }

// Global is the contents of device memory, without timing. Find and Nearest may be called from several goroutines while no allocation
// changes. All other methods need exclusive access.
type Global struct {
	base     uint64 // start of memory
	capacity uint64
	used     uint64
	pieces   allocations
	pages    [][]byte   // by (address - base) >> pageShift; nil reads as zero
	first    []*piece   // the first allocation on each page, nil for none
	heap     *Heap      // device-side malloc's; nil until a kernel needs it
	mapped   int        // number of mapped allocations
	managed  uint64     // bytes of managed memory
	most     uint64     // limit of all, mapped memory included; 0 for none
	all      uint64     // bytes of all allocations
	arena    *Arena     // backs the pages up to its length; further ones are made one by one
	shared   bool       // the arena belongs to a host program, too; nothing may be outside it
	version  uint64     // changes with the allocations
	peers    []*Global  // other devices' memory that accesses can reach
	lazy     []lazyFill // allocations that are filled page by page
	card     *card      // nil if accesses must be in allocations
}

// NewGlobal returns empty device memory of the configured size, less the part that error correction takes.
func NewGlobal(cfg *configs.Config) *Global {
	capacity := uint64(cfg.DRAM.Bytes)
	if cfg.DRAM.ECC {
		capacity -= uint64(float64(capacity) * cfg.DRAM.ECCCapacityPercent / 100)
	}
	g := &Global{capacity: capacity}
	g.begin(firstAddress)
	return g
}

// begin sets the start of memory.
func (g *Global) begin(at uint64) {
	g.base, g.pieces.base = at, at
	if g.card != nil {
		g.pieces.base += cardPage
	}
}

// UseShortAddresses makes allocations begin low, so that programs with 32-bit addresses reach them, unless there are allocations already.
func (g *Global) UseShortAddresses() {
	if g.pieces.count == 0 && g.base != isa.GlobalBase {
		g.begin(isa.GlobalBase)
		g.capacity = min(g.capacity, 1<<32-g.base)
	}
}

// Arena is memory that a host program shares with the device: byte i has address Base + i. The host program changes it between kernels
// without notice.
type Arena struct {
	Base  uint64
	Bytes []byte
	// Zero clears a range of Bytes; it should return whole pages to the operating system.
	Zero func(from, to uint64) error
	// Touch, if not nil, takes pages for a range of Bytes at once, which is quicker than a page fault for each.
	Touch func(from, to uint64)
}

// mostTouched is the most memory whose pages are taken when it is allocated. A program may never use what it allocates beyond.
const mostTouched = 256 << 20

// UseArena makes an arena the device's memory, before the first allocation. It limits the capacity to its size.
func (g *Global) UseArena(a *Arena) {
	g.arena, g.shared = a, true
	g.begin(a.Base)
	g.capacity = min(g.capacity, uint64(len(a.Bytes)))
}

// Limit limits the bytes of all allocations of any home; 0 for no limit but the capacity.
func (g *Global) Limit(bytes uint64) { g.most = bytes }

// Room returns an error if more bytes would exceed the limit. It begins with what.
func (g *Global) Room(what string, bytes uint64) error {
	if g.most > 0 && bytes > g.most-g.all {
		return fmt.Errorf("%s: %d bytes asked for, and %d are in use of the %d that this run may have", what, bytes, g.all, g.most)
	}
	return nil
}

// Capacity returns the memory that allocations share, in bytes.
func (g *Global) Capacity() uint64 { return g.capacity }

// Used returns the allocated part of the capacity, in bytes.
func (g *Global) Used() uint64 { return g.used }

// ManagedBytes returns the size of all managed memory.
func (g *Global) ManagedBytes() uint64 { return g.managed }

// Allocations returns all allocations by address.
func (g *Global) Allocations() []Allocation { return g.pieces.list() }

// Allocate allocates zeroed bytes at the lowest free address that is a multiple of 256.
func (g *Global) Allocate(name string, bytes uint64) (uint64, error) {
	return g.AllocateAligned(name, bytes, alignment)
}

// AllocateAligned is Allocate at a multiple of another power of two, at least 256.
func (g *Global) AllocateAligned(name string, bytes, alignment uint64) (uint64, error) {
	return g.AllocateAt(OnDevice, name, bytes, alignment)
}

// AllocateAt is AllocateAligned with a home. Mapped memory has an address, too, but takes nothing of the capacity.
func (g *Global) AllocateAt(home Home, name string, bytes, alignment uint64) (uint64, error) {
	if bytes == 0 {
		return 0, fmt.Errorf("allocate %s: zero bytes", name)
	}
	if home != Mapped && bytes > g.capacity-g.used {
		return 0, fmt.Errorf("allocate %s: %d bytes asked for, %d of %d are free (dram.bytes)", name, bytes, g.capacity-g.used, g.capacity)
	}
	if err := g.Room("allocate "+name, bytes); err != nil {
		return 0, err
	}
	if bytes > mostBytes {
		return 0, fmt.Errorf("allocate %s: %d bytes asked for, more than there are addresses", name, bytes)
	}
	address := g.pieces.place(bytes, alignment)
	if g.arena == nil && len(g.pages) == 0 { // otherwise earlier pieces have pages elsewhere
		g.arena = reserve(g, g.capacity+g.capacity/8)
	}
	if g.shared && address+bytes > g.arena.Base+uint64(len(g.arena.Bytes)) {
		return 0, fmt.Errorf("allocate %s: no free piece of %d bytes is left", name, bytes)
	}
	g.add(Allocation{Name: name, Address: address, Bytes: bytes, Home: home})
	if g.inArena(address, bytes) {
		g.share(address, bytes)
		if g.arena.Touch != nil && max(bytes, g.used+g.managed) <= mostTouched { // used leaves out the host's
			g.arena.Touch(address-g.base, address-g.base+bytes)
		}
		return address, nil // Free has zeroed it
	}
	g.clear(address, bytes)
	return address, nil
}

// errNotAllocated is wrapped by errors of Free, Read and Write outside the allocations.
var errNotAllocated = errors.New("not allocated")

// Free frees the allocation that begins at the address.
func (g *Global) Free(address uint64) error {
	freed := g.pieces.remove(address)
	if freed == nil {
		return fmt.Errorf("free 0x%x: %w: no allocation begins there", address, errNotAllocated)
	}
	g.version++
	g.count(&freed.Allocation, -1)
	g.lazy = slices.DeleteFunc(g.lazy, func(l lazyFill) bool { return l.address == address })
	next := g.pieces.next(address)
	for page, last := g.touched(&freed.Allocation); page <= last; page++ {
		if g.first[page] != freed {
			continue
		}
		if g.first[page] = nil; next != nil && (next.Address-g.base)>>pageShift == page {
			g.first[page] = next
		} else {
			g.pages[page] = nil
		}
	}
	if g.inArena(freed.Address, freed.Bytes) {
		return g.arena.Zero(freed.Address-g.base, freed.Address-g.base+freed.Bytes)
	}
	return nil
}

// inArena reports whether all pages of a piece are in the arena.
func (g *Global) inArena(address, bytes uint64) bool {
	return g.arena != nil && roundUp(address-g.base+bytes, pageBytes) <= uint64(len(g.arena.Bytes))
}

// touched returns the first and last page of an allocation.
func (g *Global) touched(a *Allocation) (first, last uint64) {
	return (a.Address - g.base) >> pageShift, (a.Address + a.Bytes - 1 - g.base) >> pageShift
}

// add adds an allocation to pieces and pages.
func (g *Global) add(a Allocation) {
	made := g.pieces.add(a)
	g.version++
	g.count(&a, 1)
	page, last := g.touched(&a)
	_, end := g.card.backed(g.base, a.Address, a.Bytes)
	for most := max(last+1, (end-1-g.base)>>pageShift); uint64(len(g.pages)) <= most; {
		g.pages = append(g.pages, nil)
		g.first = append(g.first, nil)
	}
	for ; page <= last; page++ {
		if g.first[page] == nil || g.first[page].Address > a.Address {
			g.first[page] = made
		}
	}
}

// count adds an allocation to the counts of memory in use, or subtracts it.
func (g *Global) count(a *Allocation, sign int) {
	g.all += uint64(sign) * a.Bytes
	if a.Home == Mapped {
		g.mapped += sign
	} else {
		g.used += uint64(sign) * a.Bytes
	}
	if a.Home == Managed {
		g.managed += uint64(sign) * a.Bytes
	}
}

// onHost reports whether an address is in the host's memory. Without mapped memory, the usual case, it returns at once.
func (g *Global) onHost(address uint64) bool {
	if g.mapped == 0 {
		return false
	}
	a, distance := g.Nearest(address)
	return a.Home == Mapped && distance == 0
}

// within returns the allocation that holds an address, nil for none.
func (g *Global) within(address uint64) *Allocation {
	page := (address - g.base) >> pageShift
	if page >= uint64(len(g.first)) || g.first[page] == nil {
		return nil
	}
	p := g.first[page]
	if address-p.Address < p.Bytes {
		return &p.Allocation
	}
	if p = g.pieces.last(address); p != nil && address-p.Address < p.Bytes {
		return &p.Allocation
	}
	return nil
}

// Find reports whether all bytes at the address are in one allocation.
func (g *Global) Find(address uint64, bytes int) bool {
	a := g.within(address)
	if a == nil {
		peer := g.peerOf(address)
		return peer != nil && peer.Find(address, bytes)
	}
	return a.Bytes-(address-a.Address) >= uint64(bytes) && (g.heap == nil || a.Address != g.heap.base || g.heap.usable(address, bytes))
}

// Version is a number that changes with the allocations, those of peers included.
func (g *Global) Version() uint64 {
	version := g.version
	for _, peer := range g.peers {
		version += peer.version
	}
	return version
}

// reachable is the largest piece that Reach returns: offsets in it must be positive 32-bit numbers.
const reachable = 1 << 31

// Reach returns the allocation of an address as one piece of the host's memory, the zero Reach if it is not in one piece. It is in an
// arena, and within one page.
func (g *Global) Reach(address uint64) (r exec.Reach) {
	if peer := g.peerOf(address); peer != nil {
		return peer.Reach(address)
	}
	a := g.within(address)
	if a == nil {
		return r
	}
	if r, lazy := g.lazyReachOf(a, address); lazy {
		return r
	}
	from, to := a.Address-g.base, a.Address-g.base+a.Bytes
	switch {
	case a.Bytes > reachable:
	case g.inArena(a.Address, a.Bytes):
		r = exec.Reach{From: a.Address, Bytes: a.Bytes, Host: unsafe.Pointer(&g.arena.Bytes[from])}
		if g.heap != nil && a.Address == g.heap.base {
			r.Live = unsafe.Pointer(&g.heap.live[0])
		}
		return r
	case g.heap != nil && a.Address == g.heap.base:
	case from>>pageShift == (to-1)>>pageShift:
		return exec.Reach{From: a.Address, Bytes: a.Bytes, Host: unsafe.Pointer(&g.page(a.Address)[from&(pageBytes-1)])}
	}
	return r
}

// Nearest returns the allocation closest to an address and its distance in bytes: 0 inside, positive if the address is behind its last
// byte, negative if it is before its first. The name is empty if there is no allocation.
func (g *Global) Nearest(address uint64) (Allocation, int64) {
	below, above := g.pieces.last(address), g.pieces.next(address)
	var best Allocation
	var distance int64
	if below != nil {
		best = below.Allocation
		if address >= best.Address+best.Bytes {
			distance = int64(address - (best.Address + best.Bytes) + 1)
		}
	}
	if above != nil {
		if d := -int64(above.Address - address); below == nil || magnitude(d) < magnitude(distance) {
			best, distance = above.Allocation, d
		}
	}
	return best, distance
}

func magnitude(d int64) uint64 {
	if d < 0 {
		return uint64(-d)
	}
	return uint64(d)
}

// Read copies bytes out of device memory. All must be in one allocation.
func (g *Global) Read(address uint64, into []byte) error {
	if len(into) == 0 {
		return nil
	}
	if !g.Find(address, len(into)) {
		return fmt.Errorf("read %d bytes at 0x%x: %w", len(into), address, errNotAllocated)
	}
	for len(into) > 0 {
		offset := address & (pageBytes - 1)
		n := min(len(into), int(pageBytes-offset))
		if page := g.content(address); page != nil {
			copy(into[:n], page[offset:])
		} else {
			clear(into[:n])
		}
		into, address = into[n:], address+uint64(n)
	}
	return nil
}

// Write copies bytes into device memory. All must be in one allocation.
func (g *Global) Write(address uint64, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	if !g.Find(address, len(from)) {
		return fmt.Errorf("write %d bytes at 0x%x: %w", len(from), address, errNotAllocated)
	}
	for len(from) > 0 {
		offset := address & (pageBytes - 1)
		n := min(len(from), int(pageBytes-offset))
		copy(g.page(address)[offset:], from[:n])
		from, address = from[n:], address+uint64(n)
	}
	return nil
}

// clear zeroes what earlier allocations left in the pages.
func (g *Global) clear(address, bytes uint64) {
	for bytes > 0 {
		offset := address & (pageBytes - 1)
		n := min(bytes, pageBytes-offset)
		if page := g.pages[(address-g.base)>>pageShift]; page != nil {
			clear(page[offset : offset+n])
		}
		address, bytes = address+n, bytes-n
	}
}

// share makes the arena back the pages of an allocation.
func (g *Global) share(address, bytes uint64) {
	first, end := g.card.backed(g.base, address, bytes)
	end = min(end, g.base+uint64(len(g.arena.Bytes)))
	for i := (first - g.base) >> pageShift; i <= (end-1-g.base)>>pageShift; i++ {
		from := i << pageShift
		g.pages[i] = g.arena.Bytes[from:min(from+pageBytes, uint64(len(g.arena.Bytes)))]
	}
}

// content returns the page of an allocated address, nil if it does not exist yet and reads as zero.
func (g *Global) content(address uint64) []byte {
	if page := g.pages[(address-g.base)>>pageShift]; page != nil {
		return page
	}
	return g.absent((address - g.base) >> pageShift)
}

// page returns the page of an allocated address, and makes it if it does not exist yet.
func (g *Global) page(address uint64) []byte {
	i := (address - g.base) >> pageShift
	page := g.content(address)
	if page == nil {
		page = make([]byte, pageBytes)
		g.pages[i] = page
	}
	return page
}

func roundDown(value, multiple uint64) uint64 { return value / multiple * multiple }

func roundUp(value, multiple uint64) uint64 { return (value + multiple - 1) / multiple * multiple }
