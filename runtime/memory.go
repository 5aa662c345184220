package runtime

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/sim"
)

// memoryKind is a kind of allocation, with the numbers of native/cudart_memory.inc.
type memoryKind uint64

const (
	deviceMemory memoryKind = iota
	hostMemory
	managedMemory
	registeredMemory
)

// piece is one of the program's allocations.
type piece struct {
	kind  memoryKind
	bytes uint64
}

// names are the allocating calls, for messages.
var names = [...]string{"cudaMalloc", "cudaMallocHost", "cudaMallocManaged", "cudaHostRegister"}

// releases are the calls that free each kind.
var releases = [...]string{"cudaFree", "cudaFreeHost", "cudaFree", "cudaHostUnregister"}

// allocate allocates device memory. Memory that the host program may access has its own pages. Nothing overlaps the call.
func (s *Session) allocate(_ context.Context, d *device, q *request, a *response) {
	bytes, kind := q.a[0], memoryKind(q.a[1])
	if bytes == 0 || kind > registeredMemory {
		return // cudaMalloc of 0 bytes returns a null pointer
	}
	name := fmt.Sprintf("%s of %d bytes", names[kind], bytes)
	var address uint64
	var err error
	switch whole := (bytes + pageBytes - 1) / pageBytes * pageBytes; kind {
	case deviceMemory:
		address, err = d.gpu.Allocate(name, bytes)
	case managedMemory:
		address, err = d.gpu.AllocateAligned(name, whole, pageBytes)
	default:
		address, err = d.gpu.AllocateMapped(name, whole, pageBytes)
	}
	if err != nil {
		a.err = ErrMemoryAllocation
		return
	}
	d.pieces[address] = piece{kind: kind, bytes: bytes}
	d.gpu.Implicit(0, names[kind], d.gpu.AllocationTime(bytes))
	if kind == deviceMemory {
		d.gpu.Unset(address, bytes)
	}
	a.r[0] = address
}

// free frees memory, after the work that may use it.
func (s *Session) free(ctx context.Context, d *device, q *request, a *response) {
	owner := s.owner(q.a[0])
	s.others(ctx, d, owner)
	if owner != nil {
		s.others(ctx, d, owner.accessingPeers()...) // their kernels may still access it
	}
	d.done(ctx, d.gpu.Synchronize(ctx))
	if d.settle(a); a.err != Success {
		return
	}
	if owner == nil {
		a.err = ErrInvalidValue
		return
	}
	p, ok := owner.pieces[q.a[0]]
	if wanted := memoryKind(q.a[1]); !ok || (wanted == deviceMemory) != (p.kind == deviceMemory || p.kind == managedMemory) {
		owner.gpu.FreeFailed("the host program", q.a[0])
		a.err = ErrInvalidValue
		return
	}
	if err := owner.gpu.Free(q.a[0]); err != nil {
		a.err = ErrInvalidValue
		return
	}
	delete(owner.pieces, q.a[0])
	d.gpu.Implicit(0, releases[p.kind], d.gpu.FreeTime(p.bytes))
	a.r[0], a.r[1] = p.bytes, uint64(p.kind)
}

// owner is the device that an address belongs to, nil for the program's own memory.
func (s *Session) owner(address uint64) *device {
	if address < s.arena.base || (address-s.arena.base)/deviceStride >= uint64(len(s.devices)) {
		return nil
	}
	return s.devices[(address-s.arena.base)/deviceStride]
}

// direction is the direction of a copy.
type direction uint8

const (
	toDevice direction = iota
	toHost
	withinDevice
	betweenDevices
	withinHost
)

// side is one end of a copy.
type side struct {
	device *device // nil for the program's own memory
	kind   memoryKind
}

// onHost tells whether the side counts as host memory.
func (e side) onHost() bool {
	return e.device == nil || e.kind == hostMemory || e.kind == registeredMemory
}

// pinned tells whether a copy engine can access the side directly.
func (e side) pinned() bool { return e.device != nil }

// rowSpan is the number of bytes from the start of the first row to the end of the last. ok is false for no rows, overlapping rows, and
// sizes beyond all memory.
func rowSpan(pitch, width, height uint64) (span uint64, ok bool) {
	const most = 1 << 62
	if width == 0 || height == 0 || height > 1 && pitch < width {
		return 0, false
	}
	high, span := bits.Mul64(pitch, height-1)
	return span + width, high == 0 && span < most && width < most
}

// side finds the memory that a copy's rows are in. ok is false for absurd sizes, for null pointers and for device memory that is not
// allocated.
func (s *Session) side(address, pitch, width, height uint64) (e side, ok bool) {
	span, ok := rowSpan(pitch, width, height)
	d := s.owner(address)
	if !ok || d == nil {
		return side{}, ok && address != 0 && address+span >= address
	}
	at, found := d.gpu.Allocation(address)
	if !found || span > at.Address+at.Bytes-address {
		return side{}, false
	}
	return side{device: d, kind: d.pieces[at.Address].kind}, true
}

// kinds lists for each cudaMemcpyKind which ends must be memory that CUDA knows: a device's, managed or pinned memory. A host end can be
// any memory. An H100 answers like this for every pair of memory kinds.
var kinds = [...]struct{ from, to bool }{{}, {to: true}, {from: true}, {from: true, to: true}, {}}

// copy copies rows and takes the time for it. The program copies to or from its own memory itself, after the answer; all other copies are
// done here, in stream order.
func (s *Session) copy(ctx context.Context, d *device, q *request, a *response) {
	toPitch, fromPitch, width, height := q.a[2], q.a[3], q.a[4], q.a[5]
	kind, async := q.a[6]&15, q.a[6]>>4&1 != 0
	st, failed := d.stream(q.a[7])
	if failed != Success {
		a.err = failed
		return
	}
	to, ok := s.side(q.a[0], toPitch, width, height)
	from, fine := s.side(q.a[1], fromPitch, width, height)
	switch {
	case kind >= uint64(len(kinds)):
		a.err = ErrInvalidDirection
		return
	case !ok || !fine || kinds[kind].from && from.device == nil || kinds[kind].to && to.device == nil:
		a.err = ErrInvalidValue
		return
	}
	s.others(ctx, d, from.device, to.device)
	way := between(from, to)
	pinned := from.pinned() && to.pinned()
	c := sim.Copy{
		Name: ways[way], Direction: directions[way], Bytes: int64(width * height), Width: int64(width), Height: int64(height),
		ToPitch: int64(toPitch), FromPitch: int64(fromPitch), Pinned: pinned || way == betweenDevices,
	}
	if !to.onHost() && to.device == d && way != betweenDevices {
		c.To = q.a[0]
	}
	if !from.onHost() && from.device == d && way != betweenDevices {
		c.From = q.a[1]
	}
	if peer := d.direct(from.device, to.device); way == betweenDevices && peer != nil {
		c.Direction, c.Peer = sim.ToPeer, peer.gpu
	}
	c.Effect = sim.EffectFunc(func() error {
		if from.device != nil && !from.onHost() {
			for row := range min(height, 1<<20) {
				from.device.gpu.HostReads("a copy by the host program", q.a[1]+row*fromPitch, width)
			}
		}
		if to.device != nil && !to.onHost() {
			for row := range min(height, 1<<20) {
				to.device.gpu.Written(q.a[0]+row*toPitch, width)
			}
		}
		if pinned {
			for row := range height {
				copy(s.arena.at(q.a[0]+row*toPitch, width), s.arena.at(q.a[1]+row*fromPitch, width))
			}
		}
		return nil
	})
	if pinned {
		a.r[0] = 1
	}
	managed := to.kind == managedMemory || from.kind == managedMemory // the host's memory, too
	a.err = d.copies(ctx, st, c, !pinned || !async && (way != withinDevice || managed), a)
}

// others waits for the work of other devices that may use a copy's memory.
func (s *Session) others(ctx context.Context, d *device, list ...*device) {
	for _, other := range list {
		if other != nil && other != d {
			other.drain(ctx)
			other.syncToProgram()
		}
	}
	d.syncFromProgram()
}

// directions are sim's directions of copies. Copies between devices go through the host, at its rates, unless the devices are peers.
var directions = [...]sim.Direction{sim.ToDevice, sim.ToHost, sim.Within, sim.ToDevice, sim.ToDevice}

// copies puts a copy into a stream, and waits if the program does.
func (d *device) copies(ctx context.Context, st *stream, c sim.Copy, waits bool, a *response) Error {
	d.timing(ctx, !d.session.options.Simulator.Functional)
	d.waitForRoom(ctx)
	if _, err := st.queue.StartCopy(c); err != nil {
		d.session.complain(err)
		return ErrInvalidValue
	}
	d.session.summary.moved(c.Name, copyTime(d, &c))
	if !waits {
		return Success
	}
	d.done(ctx, st.queue.Synchronize(ctx))
	d.settle(a)
	return a.err
}

// copyTime is a copy's time without other work, in µs.
func copyTime(d *device, c *sim.Copy) float64 {
	alone := *c
	if d.session.options.Simulator.Functional {
		alone.Bytes = 0
	}
	return sim.CopyTime(d.config, &alone)
}

// between is the direction of a copy between two sides.
func between(from, to side) direction {
	switch {
	case from.onHost() && to.onHost():
		return withinHost
	case from.onHost():
		return toDevice
	case to.onHost():
		return toHost
	case from.device != to.device:
		return betweenDevices
	}
	return withinDevice
}

// fill fills rows, in stream order. The host waits if it can access the memory itself, unless the call is asynchronous (d CUDA Runtime API,
// "API synchronization behavior": memset).
func (s *Session) fill(ctx context.Context, d *device, q *request, a *response) {
	pitch, width, height := q.a[1], q.a[2], q.a[3]
	st, failed := d.stream(q.a[5])
	if failed != Success {
		a.err = failed
		return
	}
	to, ok := s.side(q.a[0], pitch, width, height)
	if !ok || to.device == nil {
		a.err = ErrInvalidValue
		return
	}
	s.others(ctx, d, to.device)
	d.timing(ctx, !s.options.Simulator.Functional)
	d.waitForRoom(ctx)
	span, _ := rowSpan(pitch, width, height)
	address := q.a[0]
	if to.device != d || to.onHost() {
		address = 0
	}
	effect := sim.EffectFunc(func() error {
		if !to.onHost() {
			to.device.gpu.Written(q.a[0], span)
		}
		for row := range height {
			set(s.arena.at(q.a[0]+row*pitch, width), byte(q.a[4]))
		}
		return nil
	})
	if err := st.queue.Fill(memset, address, int64(width*height), effect); err != nil {
		s.complain(err)
		a.err = ErrInvalidValue
		return
	}
	c := sim.Copy{Direction: sim.Within, Bytes: int64(width*height) / 2}
	s.summary.moved(memset, copyTime(d, &c))
	if async := q.a[6] != 0; !async && to.kind != deviceMemory {
		d.done(ctx, st.queue.Synchronize(ctx))
		d.settle(a)
	}
}

// set fills bytes with one value.
func set(bytes []byte, v byte) {
	if v == 0 {
		clear(bytes)
		return
	}
	for i := range bytes {
		bytes[i] = v
	}
}

// memory returns the free and total memory.
func (s *Session) memory(_ context.Context, d *device, _ *request, a *response) {
	a.r[0], a.r[1] = d.gpu.Memory()
}

// pointer describes an address: its kind and device, the bytes to the end of its allocation, and the allocation's start and size.
func (s *Session) pointer(_ context.Context, _ *device, q *request, a *response) {
	d := s.owner(q.a[0])
	if d == nil {
		a.err = ErrInvalidValue
		return
	}
	at, found := d.gpu.Allocation(q.a[0])
	if !found {
		a.err = ErrInvalidValue
		return
	}
	a.r[0], a.r[1], a.r[2] = uint64(d.pieces[at.Address].kind), uint64(d.number), at.Address+at.Bytes-q.a[0]
	a.r[3], a.r[4] = at.Address, at.Bytes
	if p, ok := d.pieces[at.Address]; ok {
		a.r[4] = p.bytes
	}
}
