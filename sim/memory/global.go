package memory

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"unsafe"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

const (
	// pageShift is the size of the pages that back allocations as they are written: 64 KiB.
	pageShift = 16
	pageBytes = 1 << pageShift
	// firstAddress is where device memory begins: above the windows of shared and local memory.
	firstAddress = uint64(0x1_0000_0000)
	// alignment is what allocations begin at a multiple of, as cudaMalloc promises (d CUDA C Programming Guide).
	alignment = 256
	// guardBytes lie between two allocations, so that running past the end of one is seen.
	guardBytes = 256
)

// Allocation is one piece of device memory.
type Allocation struct {
	Name    string
	Address uint64
	Bytes   uint64
	Home    Home
}

// Home is where the bytes of an allocation lie.
type Home uint8

// Homes.
const (
	OnDevice Home = iota // in the device's memory
	Mapped               // in the host's, page-locked: every access of the device crosses the link
	Managed              // in the device's while it works, in the host's else; it moves as a whole
)

// String is what messages call memory of a home.
func (h Home) String() string { return [...]string{"device", "mapped", "managed"}[h] }

// Global is device memory: what its bytes are, not how long they take. Find and Nearest may be called from several
// goroutines while no allocation changes; everything else is for one goroutine at a time.
type Global struct {
	base     uint64 // where allocations begin
	capacity uint64
	used     uint64
	list     []Allocation // by address
	pages    [][]byte     // by (address - base) >> pageShift; nil reads as zero
	first    []int32      // first allocation in list that touches the page, -1 for none
	heap     *Heap        // of device-side malloc; nil until a kernel needs it
	mapped   int          // allocations that lie in the host's memory
	arena    *Arena       // what backs the pages as far as it goes; others are made one by one
	shared   bool         // the arena is a host program's, too: nothing lies outside
	version  uint64       // changes with the allocations
	peers    []*Global    // other devices' memory that accesses reach
	late     []late       // allocations that are filled page by page
	// journal is what pages held before they were written to, while journaling.
	journal    *journal
	journaling bool
}

// NewGlobal returns empty device memory of the configured size, less what error correction takes when it is on.
func NewGlobal(cfg *configs.Config) *Global {
	capacity := uint64(cfg.DRAM.Bytes)
	if cfg.DRAM.ECC {
		capacity -= uint64(float64(capacity) * cfg.DRAM.ECCCapacityPercent / 100)
	}
	return &Global{base: firstAddress, capacity: capacity}
}

// UseShortAddresses makes allocations begin low, where programs with 32-bit addresses reach them, unless there are some already.
func (g *Global) UseShortAddresses() {
	if len(g.list) == 0 && g.base != isa.GlobalBase {
		g.base = isa.GlobalBase
		g.capacity = min(g.capacity, 1<<32-g.base)
	}
}

// Arena is memory that a host program shares with the device: byte i is that of address Base + i. What lies there changes
// without the device's hearing of it, between kernels.
type Arena struct {
	Base  uint64
	Bytes []byte
	// Zero makes a range of Bytes zero again; whole pages are best given back to the operating system.
	Zero func(from, to uint64) error
}

// UseArena makes an arena the device's memory, before anything is allocated. The capacity is at most what the arena holds.
func (g *Global) UseArena(a *Arena) {
	g.arena, g.base, g.shared = a, a.Base, true
	g.capacity = min(g.capacity, uint64(len(a.Bytes)))
}

// Capacity returns the memory that allocations share, in bytes.
func (g *Global) Capacity() uint64 { return g.capacity }

// Used returns what allocations take of the capacity, in bytes.
func (g *Global) Used() uint64 { return g.used }

// Allocations returns the pieces in use, by address. The caller does not change them.
func (g *Global) Allocations() []Allocation { return g.list }

// Allocate sets bytes aside, zeroed, at the lowest free address that is a multiple of 256.
func (g *Global) Allocate(name string, bytes uint64) (uint64, error) {
	return g.AllocateAligned(name, bytes, alignment)
}

// AllocateAligned is Allocate at a multiple of another power of two, 256 or more.
func (g *Global) AllocateAligned(name string, bytes, alignment uint64) (uint64, error) {
	return g.AllocateAt(OnDevice, name, bytes, alignment)
}

// AllocateAt is AllocateAligned with a home. Mapped memory has an address like all else, and takes nothing of the capacity.
func (g *Global) AllocateAt(home Home, name string, bytes, alignment uint64) (uint64, error) {
	if bytes == 0 {
		return 0, fmt.Errorf("allocate %s: zero bytes", name)
	}
	if home != Mapped && bytes > g.capacity-g.used {
		return 0, fmt.Errorf("allocate %s: %d bytes asked for, %d of %d are free (dram.bytes)", name, bytes, g.capacity-g.used, g.capacity)
	}
	address, at := g.base, len(g.list)
	for i, a := range g.list {
		if roundUp(address+bytes+guardBytes, alignment) <= roundDown(a.Address, alignment) {
			at = i
			break
		}
		address = roundUp(a.Address+a.Bytes+guardBytes, alignment)
	}
	if g.arena == nil {
		g.arena = reserve(g, g.capacity+g.capacity/8)
	}
	if g.shared && address+bytes > g.arena.Base+uint64(len(g.arena.Bytes)) {
		return 0, fmt.Errorf("allocate %s: no free piece of %d bytes is left", name, bytes)
	}
	g.list = append(g.list, Allocation{})
	copy(g.list[at+1:], g.list[at:])
	g.list[at] = Allocation{Name: name, Address: address, Bytes: bytes, Home: home}
	g.count(g.list[at], 1)
	pages := int((address+bytes-g.base+pageBytes-1)>>pageShift) + 1
	for len(g.pages) < pages {
		g.pages = append(g.pages, nil)
		g.first = append(g.first, -1)
	}
	g.index()
	if g.inArena(address, bytes) {
		g.share(address, bytes)
		return address, nil // freed pieces were made zero when they were
	}
	g.clear(address, bytes)
	return address, nil
}

// errNotAllocated is in the error of a Free, Read or Write outside the allocations.
var errNotAllocated = errors.New("not allocated")

// Free gives back the allocation that begins at the address.
func (g *Global) Free(address uint64) error {
	i := sort.Search(len(g.list), func(i int) bool { return g.list[i].Address >= address })
	if i == len(g.list) || g.list[i].Address != address {
		return fmt.Errorf("free 0x%x: %w: no allocation begins there", address, errNotAllocated)
	}
	g.count(g.list[i], -1)
	freed := g.list[i]
	g.list = append(g.list[:i], g.list[i+1:]...)
	g.late = slices.DeleteFunc(g.late, func(l late) bool { return l.address == address })
	g.index()
	for page := (freed.Address - g.base) >> pageShift; page <= (freed.Address+freed.Bytes-1-g.base)>>pageShift; page++ {
		if g.first[page] < 0 {
			g.pages[page] = nil
		}
	}
	if g.inArena(freed.Address, freed.Bytes) {
		return g.arena.Zero(freed.Address-g.base, freed.Address-g.base+freed.Bytes)
	}
	return nil
}

// inArena reports whether a piece lies in the arena, with the pages that it touches.
func (g *Global) inArena(address, bytes uint64) bool {
	return g.arena != nil && roundUp(address-g.base+bytes, pageBytes) <= uint64(len(g.arena.Bytes))
}

// count adds an allocation to what is in use, or takes it away.
func (g *Global) count(a Allocation, sign int) {
	if a.Home == Mapped {
		g.mapped += sign
	} else {
		g.used += uint64(sign) * a.Bytes
	}
}

// onHost reports that an address lies in the host's memory. Where nothing does, as nearly always, that is known at once.
func (g *Global) onHost(address uint64) bool {
	if g.mapped == 0 {
		return false
	}
	a, distance := g.Nearest(address)
	return a.Home == Mapped && distance == 0
}

// index fills first anew: allocations are few and change seldom.
func (g *Global) index() {
	g.version++
	for i := range g.first {
		g.first[i] = -1
	}
	for i := len(g.list) - 1; i >= 0; i-- {
		a := g.list[i]
		for page := (a.Address - g.base) >> pageShift; page <= (a.Address+a.Bytes-1-g.base)>>pageShift; page++ {
			g.first[page] = int32(i)
		}
	}
}

// Find reports whether all the bytes at the address lie in one allocation.
func (g *Global) Find(address uint64, bytes int) bool {
	page := (address - g.base) >> pageShift
	if page >= uint64(len(g.first)) {
		peer := g.peerOf(address)
		return peer != nil && peer.Find(address, bytes)
	}
	i := g.first[page]
	if i < 0 {
		return false
	}
	for ; int(i) < len(g.list); i++ {
		a := &g.list[i]
		if address < a.Address {
			return false
		}
		if offset := address - a.Address; offset < a.Bytes {
			return a.Bytes-offset >= uint64(bytes) && (g.heap == nil || a.Address != g.heap.base || g.heap.usable(address, bytes))
		}
	}
	return false
}

// Version is a number that changes with the allocations, those of peers too.
func (g *Global) Version() uint64 {
	version := g.version
	for _, peer := range g.peers {
		version += peer.version
	}
	return version
}

// reachable is the size of the largest piece that Reach returns: places in it are positive numbers of 32 bits.
const reachable = 1 << 31

// Reach returns the allocation of an address as memory that lies side by side on the host, nothing where it does not: in an
// arena it does, else as far as one page goes. The device's heap is left out: not all of it may be accessed.
func (g *Global) Reach(address uint64) (r exec.Reach) {
	if peer := g.peerOf(address); peer != nil {
		return peer.Reach(address)
	}
	page := (address - g.base) >> pageShift
	if page >= uint64(len(g.first)) || g.first[page] < 0 {
		return r
	}
	for i := int(g.first[page]); i < len(g.list); i++ {
		a := &g.list[i]
		if address-a.Address >= a.Bytes {
			continue
		}
		if r, late := g.lately(a, address); late {
			return r
		}
		from, to := a.Address-g.base, a.Address-g.base+a.Bytes
		switch {
		case a.Bytes > reachable || g.heap != nil && a.Address == g.heap.base:
		case g.inArena(a.Address, a.Bytes):
			return exec.Reach{From: a.Address, Bytes: a.Bytes, Host: unsafe.Pointer(&g.arena.Bytes[from])}
		case from>>pageShift == (to-1)>>pageShift:
			return exec.Reach{From: a.Address, Bytes: a.Bytes, Host: unsafe.Pointer(&g.page(a.Address)[from&(pageBytes-1)])}
		}
		return r
	}
	return r
}

// Nearest returns the allocation closest to an address and its distance in bytes: 0 inside, positive when the address lies
// behind its last byte, negative when it lies before its first. Without any allocation the name is empty.
func (g *Global) Nearest(address uint64) (Allocation, int64) {
	var best Allocation
	var distance int64
	for _, a := range g.list {
		var d int64
		switch {
		case address < a.Address:
			d = -int64(a.Address - address)
		case address >= a.Address+a.Bytes:
			d = int64(address - (a.Address + a.Bytes) + 1)
		}
		if best.Bytes == 0 || magnitude(d) < magnitude(distance) {
			best, distance = a, d
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

// Read copies device memory out; all of it must lie in one allocation.
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

// Write copies into device memory; all of it must lie in one allocation.
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

// share backs the pages of an allocation by the arena.
func (g *Global) share(address, bytes uint64) {
	for i := (address - g.base) >> pageShift; i <= (address+bytes-1-g.base)>>pageShift; i++ {
		from := i << pageShift
		g.pages[i] = g.arena.Bytes[from:min(from+pageBytes, uint64(len(g.arena.Bytes)))]
	}
}

// content returns the page of an allocated address, nil where it is zero and not there yet.
func (g *Global) content(address uint64) []byte {
	if page := g.pages[(address-g.base)>>pageShift]; page != nil {
		return page
	}
	return g.absent((address - g.base) >> pageShift)
}

// page returns the page of an allocated address, made when it is not there yet.
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
