package runtime

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// orderPTX has a slow kernel and one that copies a word.
const orderPTX = `.version 4.2
.target sm_30
.address_size 64
.visible .entry spin(.param .u32 turns) {
	.reg .u32 %n; .reg .pred %p;
	ld.param.u32 %n, [turns];
LOOP:	sub.u32 %n, %n, 1;
	setp.ne.u32 %p, %n, 0;
	@%p bra LOOP;
	ret;
}
.visible .entry move(.param .u64 to, .param .u64 from) {
	.reg .u64 %t, %f; .reg .u32 %v;
	ld.param.u64 %t, [to];
	ld.param.u64 %f, [from];
	ld.global.u32 %v, [%f];
	st.global.u32 [%t], %v;
	ret;
}
`

// asker sends a program's requests without a program.
type asker struct {
	*Session
	t testing.TB
}

// Write takes the request for a callback.
func (k *asker) Write(text []byte) (int, error) { return len(text), nil }

// Read says that the callback has returned.
func (k *asker) Read(into []byte) (int, error) {
	head := make([]byte, requestBytes)
	binary.LittleEndian.PutUint32(head, uint32(opCallbackDone))
	return copy(into, head), nil
}

// newAsker starts a session with one module, number 0.
func newAsker(t testing.TB, o Options) *asker {
	t.Helper()
	if len(o.Devices) == 0 {
		config, err := configs.Load("gk110", nil)
		require.NoError(t, err)
		o.Devices = []*configs.Config{config}
	}
	if o.Messages == nil {
		o.Messages = io.Discard
	}
	s, err := NewSession(o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	k := &asker{s, t}
	s.talk(k)
	k.ask(opModule, makeImage("order.ptx", false, []byte(orderPTX)))
	return k
}

// ask makes a request that must succeed.
func (k *asker) ask(of operation, payload []byte, a ...uint64) *response {
	k.t.Helper()
	got := k.try(of, payload, a...)
	require.Equal(k.t, Success, got.err, "operation %d of %d", of, a)
	return got
}

func (k *asker) try(of operation, payload []byte, a ...uint64) *response {
	q := &request{operation: of, payload: payload}
	copy(q.a[:], a)
	return k.serve(context.Background(), q)
}

func (k *asker) allocate(kind memoryKind, bytes uint64) uint64 {
	return k.ask(opAllocate, nil, bytes, uint64(kind)).r[0]
}

func (k *asker) launch(stream uint64, kernel string, parameters []byte) {
	k.t.Helper()
	k.ask(opLaunch, append([]byte(kernel+"\x00"), parameters...), 0, 1|1<<32, 1|1<<32, 1|1<<32, 0, stream)
}

func (k *asker) spin(stream uint64, turns uint32) {
	k.launch(stream, "spin", binary.LittleEndian.AppendUint32(nil, turns))
}

func (k *asker) move(stream, to, from uint64) {
	k.launch(stream, "move", binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, to), from))
}

func (k *asker) fill(at, bytes, value, stream uint64, async bool) {
	k.t.Helper()
	k.ask(opFill, nil, at, bytes, bytes, 1, value, stream, flag(async))
}

func (k *asker) copyBytes(to, from, bytes, stream uint64, async bool) {
	k.t.Helper()
	const anyKind = 4
	k.ask(opCopy, nil, to, from, bytes, bytes, bytes, 1, anyKind|flag(async)<<4, stream)
}

func flag(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

func (k *asker) word(at uint64) uint32 { return binary.LittleEndian.Uint32(k.arena.at(at, 4)) }

// The order of two commands if the first waits for a slow kernel. The rules are CUDA's: Programming Guide, "Default Stream", "Implicit
// Synchronization"; Runtime API, "API synchronization behavior" and "Stream synchronization behavior".
func TestOrderOfTwoCommands(t *testing.T) {
	const bytes = 4096
	streams := []struct {
		name             string
		legacy, blocking bool
		make             func(k *asker) uint64
	}{
		{"legacy", true, true, func(*asker) uint64 { return 0 }},
		{"blocking", false, true, func(k *asker) uint64 { return k.ask(opStreamCreate, nil).r[0] }},
		{"non-blocking", false, false, func(k *asker) uint64 { return k.ask(opStreamCreate, nil, streamNonBlocking).r[0] }},
		{"per-thread", false, true, func(*asker) uint64 { return perThread }},
	}
	type memories struct{ device, other, pinned, managed, pageable, event uint64 }
	commands := []struct {
		name, kind string
		waits      bool // the host waits until it has ended
		ask        func(k *asker, m *memories, stream uint64)
	}{
		{"kernel", "kernel", false, func(k *asker, _ *memories, s uint64) { k.spin(s, 1) }},
		{"event", "record", false, func(k *asker, m *memories, s uint64) { k.ask(opEventRecord, nil, m.event, s) }},
		{"callback", "callback", false, func(k *asker, _ *memories, s uint64) { k.ask(opCallback, nil, s, 7) }},
		{"memset of device memory", "memset", false, func(k *asker, m *memories, s uint64) { k.fill(m.device, bytes, 1, s, false) }},
		{"copy within the device", "memset", false,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.device, m.other, bytes, s, false) }},
		{"async copy of pinned memory to the device", "copy", false,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.device, m.pinned, bytes, s, true) }},
		// The following commands are not used as the second one: the same rules hold them back.
		{"async memset of device memory", "memset", false, func(k *asker, m *memories, s uint64) { k.fill(m.device, bytes, 1, s, true) }},
		{"async memset of pinned memory", "memset", false, func(k *asker, m *memories, s uint64) { k.fill(m.pinned, bytes, 1, s, true) }},
		{"memset of pinned memory", "memset", true, func(k *asker, m *memories, s uint64) { k.fill(m.pinned, bytes, 1, s, false) }},
		{"memset of managed memory", "memset", true, func(k *asker, m *memories, s uint64) { k.fill(m.managed, bytes, 1, s, false) }},
		{"async copy within the device", "memset", false,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.device, m.other, bytes, s, true) }},
		{"async copy to pinned memory", "copy", false,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.pinned, m.device, bytes, s, true) }},
		{"copy of pinned memory to the device", "copy", true,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.device, m.pinned, bytes, s, false) }},
		{"copy to pinned memory", "copy", true, func(k *asker, m *memories, s uint64) { k.copyBytes(m.pinned, m.device, bytes, s, false) }},
		{"copy to managed memory", "memset", true,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.managed, m.device, bytes, s, false) }},
		{"copy of managed memory", "memset", true,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.device, m.managed, bytes, s, false) }},
		{"copy of pageable memory to the device", "copy", true,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.device, m.pageable, bytes, s, false) }},
		{"copy to pageable memory", "copy", true,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.pageable, m.device, bytes, s, false) }},
		{"async copy of pageable memory to the device", "copy", true,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.device, m.pageable, bytes, s, true) }},
		{"async copy to pageable memory", "copy", true,
			func(k *asker, m *memories, s uint64) { k.copyBytes(m.pageable, m.device, bytes, s, true) }},
	}
	const second = 6 // the number of commands used as the second one
	for _, functional := range []bool{false, true} {
		t.Run(fmt.Sprintf("functional=%t", functional), func(t *testing.T) {
			t.Parallel()
			k := newAsker(t, Options{Simulator: sim.Options{Functional: functional, Timeline: true, Threads: 1}})
			m := &memories{k.allocate(deviceMemory, bytes), k.allocate(deviceMemory, bytes), k.allocate(hostMemory, bytes),
				k.allocate(managedMemory, bytes), 4096, k.ask(opEventCreate, nil).r[0]}
			d := k.devices[0]
			handles, others := make([]uint64, len(streams)), make([]uint64, len(streams)) // two of each kind where possible
			for i := range streams {
				handles[i], others[i] = streams[i].make(k), streams[i].make(k)
			}
			for _, first := range commands {
				for x := range streams {
					for _, then := range commands[:second] {
						for y := range streams {
							from, to := handles[x], others[y]
							seen := len(d.gpu.Host().Timeline())
							k.spin(from, 2000)
							first.ask(k, m, from)
							then.ask(k, m, to)
							k.ask(opSynchronize, nil, waitDevice)
							byStream := map[string][]stats.Interval{}
							for _, i := range d.gpu.Host().Timeline()[seen:] {
								if i.Kind != "host" && i.Kind != "smx" && i.Kind != "block" && i.Name != "managed memory" {
									byStream[i.Stream] = append(byStream[i.Stream], i)
								}
							}
							what := fmt.Sprintf("%s in %s, then %s in %s", first.name, streams[x].name, then.name, streams[y].name)
							nameX, nameY := d.streams[from].queue.Name(), d.streams[to].queue.Name()
							listX, listY := byStream[nameX], byStream[nameY]
							require.GreaterOrEqual(t, len(listX), 2, what)
							a, b := listX[1], listY[len(listY)-1]
							require.Equal(t, [2]string{first.kind, then.kind}, [2]string{a.Kind, b.Kind}, what)
							sx, sy := streams[x], streams[y]
							behind := from == to || sx.legacy && sy.blocking || sx.blocking && sy.legacy || first.waits
							switch {
							case behind:
								require.GreaterOrEqual(t, b.Start, a.End, what)
							case !functional: // only the first command waits for the kernel
								require.Less(t, b.Start, a.Start, what)
							default: // nothing takes time: the host's order of calls counts
								require.GreaterOrEqual(t, b.Start, a.Start, what)
							}
						}
					}
				}
			}
		})
	}
}

// Of 10,000 random requests each, with pitches, widths and heights up to 2^64 - 1, those whose bytes are in the allocation succeed, and the
// others fail. The program testdata/programs/overflow.cu does the same for calls on the program's side.
func TestSizesDoNotOverflow(t *testing.T) {
	const room = 4096
	random := rand.New(rand.NewPCG(1, 2))
	size := func() uint64 {
		switch random.IntN(4) {
		case 0:
			return random.Uint64N(8)
		case 1:
			return random.Uint64N(80)
		case 2:
			return 1<<random.IntN(64) + random.Uint64N(5) - 2
		}
		return random.Uint64()
	}
	fits := func(pitch, width, height, room uint64) bool {
		rows := new(big.Int).Mul(new(big.Int).SetUint64(pitch), new(big.Int).SetUint64(height-1))
		rows.Add(rows, new(big.Int).SetUint64(width))
		return (height == 1 || pitch >= width) && rows.Cmp(new(big.Int).SetUint64(room)) <= 0
	}
	k := newAsker(t, Options{Simulator: sim.Options{Functional: true}})
	to, from := k.allocate(deviceMemory, room), k.allocate(deviceMemory, room)
	succeeded := 0
	for range 10_000 {
		pitch, other, width, height, at := size(), size(), max(size(), 1), max(size(), 1), size()%room
		what := fmt.Sprint(at, pitch, other, width, height)
		wanted := map[bool]Error{true: Success, false: ErrInvalidValue}
		fit := fits(pitch, width, height, room-at)
		require.Equal(t, wanted[fit], k.try(opFill, nil, to+at, pitch, width, height).err, what)
		both := fit && fits(other, width, height, room)
		require.Equal(t, wanted[both], k.try(opCopy, nil, to+at, from, pitch, other, width, height, 4).err, what)
		kind := memoryKind(random.IntN(4))
		got := k.try(opAllocate, nil, width, uint64(kind))
		host := kind == hostMemory || kind == registeredMemory // which takes addresses, and nothing of the board's 6 GiB
		require.Equal(t, width <= 6<<30 || host && width <= deviceStride-1<<30, got.err == Success, "%d of kind %d", width, kind)
		if got.err == Success {
			k.ask(opFree, nil, got.r[0], flag(host))
		}
		succeeded += int(flag(fit)) + int(flag(both))
	}
	assert.Greater(t, succeeded, 1000)
}

// An event orders streams that have no order by themselves.
func TestAnEventOrdersStreams(t *testing.T) {
	k := newAsker(t, Options{})
	data, seen := k.allocate(deviceMemory, 4), k.allocate(hostMemory, 4)
	from, to := k.ask(opStreamCreate, nil, streamNonBlocking).r[0], k.ask(opStreamCreate, nil, streamNonBlocking).r[0]
	event := k.ask(opEventCreate, nil).r[0]
	k.spin(from, 2000)
	k.fill(data, 4, 1, from, true)
	k.ask(opEventRecord, nil, event, from)
	k.ask(opStreamWait, nil, to, event)
	k.move(to, seen, data)
	k.ask(opSynchronize, nil, waitStream, to)
	assert.Equal(t, uint32(0x01010101), k.word(seen))
}

// An event of the default stream waits for a copy in another stream. It has passed once the program has waited for that stream and asks for
// the time. While a kernel before it runs, it has not passed.
func TestElapsedTimeOfAnEventBehindAnotherStream(t *testing.T) {
	k := newAsker(t, Options{})
	data, other := k.allocate(deviceMemory, 1<<20), k.allocate(hostMemory, 1<<20)
	s := k.ask(opStreamCreate, nil).r[0]
	start, stop := k.ask(opEventCreate, nil).r[0], k.ask(opEventCreate, nil).r[0]
	k.ask(opEventRecord, nil, start, 0)
	k.copyBytes(data, other, 1<<20, s, true)
	k.ask(opEventRecord, nil, stop, 0)
	k.ask(opSynchronize, nil, waitStream, s)
	a := k.ask(opEventElapsed, nil, start, stop)
	assert.Equal(t, Success, a.err)
	assert.Greater(t, math.Float64frombits(a.r[0]), 0.1, "milliseconds: 1 MiB over PCI Express")

	k.spin(s, 20_000)
	k.ask(opEventRecord, nil, stop, s)
	assert.Equal(t, ErrNotReady, k.try(opEventElapsed, nil, start, stop).err)
}

// Work in the default stream starts at once, however long it takes and even if no call waits for it. A kernel submitted later, in a
// non-blocking stream, sees its results.
func TestWorkStartsWhenItIsSubmitted(t *testing.T) {
	const bytes = 64 << 20 // some hundreds of microseconds
	for _, functional := range []bool{false, true} {
		for name, start := range map[string]func(k *asker, data, other uint64){
			"memset":              func(k *asker, data, _ uint64) { k.fill(data, bytes, 1, 0, false) },
			"copy in the device":  func(k *asker, data, other uint64) { k.copyBytes(data, other, bytes, 0, false) },
			"async memset":        func(k *asker, data, _ uint64) { k.fill(data, bytes, 1, 0, true) },
			"copy to, and memset": func(k *asker, data, other uint64) { k.copyBytes(data, other, bytes, 0, true) },
		} {
			t.Run(fmt.Sprintf("%s, functional=%t", name, functional), func(t *testing.T) {
				t.Parallel()
				k := newAsker(t, Options{Simulator: sim.Options{Functional: functional}})
				data, other, seen := k.allocate(deviceMemory, bytes), k.allocate(deviceMemory, bytes), k.allocate(hostMemory, 4)
				aside := k.ask(opStreamCreate, nil, streamNonBlocking).r[0]
				k.fill(other, bytes, 1, 0, true)
				k.ask(opSynchronize, nil, waitDevice)
				start(k, data, other)
				k.move(aside, seen, data+bytes-4)
				k.ask(opSynchronize, nil, waitStream, aside)
				assert.Equal(t, uint32(0x01010101), k.word(seen))
			})
		}
	}
}

// Work continues while the host sleeps, even if no call waits for it. A memset after a kernel in one stream is visible to a kernel
// submitted later in another, and the host sees writes to its memory.
func TestWorkGoesOnWhileTheHostSleeps(t *testing.T) {
	for _, functional := range []bool{false, true} {
		k := newAsker(t, Options{Simulator: sim.Options{Functional: functional}})
		data, seen, own := k.allocate(deviceMemory, 4), k.allocate(hostMemory, 4), k.allocate(hostMemory, 4)
		s, aside := k.ask(opStreamCreate, nil, streamNonBlocking).r[0], k.ask(opStreamCreate, nil, streamNonBlocking).r[0]
		k.fill(data, 4, 0, 0, true)
		k.ask(opSynchronize, nil, waitDevice)
		k.spin(s, 2000) // some tens of microseconds
		k.fill(data, 4, 1, s, true)
		k.move(s, own, data)
		k.ask(opSleep, nil, 10_000_000)
		assert.Equal(t, uint32(0x01010101), k.word(own), "functional=%t", functional)
		k.move(aside, seen, data)
		k.ask(opSynchronize, nil, waitStream, aside)
		assert.Equal(t, uint32(0x01010101), k.word(seen), "functional=%t", functional)
		assert.GreaterOrEqual(t, k.elapsed(), 10_000.0)
	}
}

// Nothing overlaps an allocation: work submitted to a stream after it waits for work submitted to another before (CUDA C Programming Guide
// 11.4, "Implicit Synchronization"). A free also waits for the device.
func TestNothingOverlapsAnAllocation(t *testing.T) {
	for _, between := range []struct {
		name     string
		apart    bool
		hostUS   float64
		allocate func(k *asker, old uint64)
	}{
		{"nothing", false, 0, func(*asker, uint64) {}},
		{"an event", false, 0, func(k *asker, _ uint64) { k.ask(opEventCreate, nil) }},
		{"cudaMalloc", true, 256 * 2.3, func(k *asker, _ uint64) { k.allocate(deviceMemory, 256<<20) }},
		{"cudaMallocHost", true, 0, func(k *asker, _ uint64) { k.allocate(hostMemory, 4096) }},
		{"cudaMallocManaged", true, 0, func(k *asker, _ uint64) { k.allocate(managedMemory, 4096) }},
		{"cudaHostRegister", true, 0, func(k *asker, _ uint64) { k.allocate(registeredMemory, 4096) }},
		{"cudaFree", true, 0, func(k *asker, old uint64) { k.ask(opFree, nil, old) }},
		{"cudaMalloc of nothing", false, 0, func(k *asker, _ uint64) { k.allocate(deviceMemory, 0) }},
	} {
		k := newAsker(t, Options{Simulator: sim.Options{Timeline: true, Threads: 1}})
		a, b := k.ask(opStreamCreate, nil, streamNonBlocking).r[0], k.ask(opStreamCreate, nil, streamNonBlocking).r[0]
		old := k.allocate(deviceMemory, 4096)
		k.spin(a, 30_000) // longer than an allocation takes on the host
		before := k.elapsed()
		between.allocate(k, old)
		if between.hostUS > 0 {
			assert.InDelta(t, between.hostUS, k.elapsed()-before, 20, between.name)
		}
		k.spin(b, 1)
		k.ask(opSynchronize, nil, waitDevice)
		var kernels []stats.Interval
		for _, i := range k.devices[0].gpu.Host().Timeline() {
			if i.Kind == "kernel" {
				kernels = append(kernels, i)
			}
		}
		slices.SortFunc(kernels, func(x, y stats.Interval) int { return cmp.Compare(y.End-y.Start, x.End-x.Start) })
		require.Len(t, kernels, 2)
		assert.Equal(t, between.apart, kernels[1].Start >= kernels[0].End, between.name)
	}
}

// The host may read pinned and managed memory as soon as a memset of any shape returns, unless it is asynchronous.
func TestMemsetOfTheHostsMemoryHasBeenDone(t *testing.T) {
	for _, functional := range []bool{false, true} {
		for _, kind := range []memoryKind{hostMemory, managedMemory, registeredMemory} {
			k := newAsker(t, Options{Simulator: sim.Options{Functional: functional}})
			at := k.allocate(kind, 4096)
			k.ask(opFill, nil, at, 64, 8, 3, 1, 0, 0)
			var want [192]byte
			for row := range 3 {
				copy(want[64*row:], "\x01\x01\x01\x01\x01\x01\x01\x01")
			}
			assert.Equal(t, want[:], k.arena.at(at, 192), "%d, functional=%t", kind, functional)
		}
	}
}

// Two kernels in two streams that wait for each other end, also without timing.
func TestKernelsThatWaitForEachOther(t *testing.T) {
	const meet = `.version 4.2
.target sm_30
.address_size 64
.visible .entry meet(.param .u64 own, .param .u64 other) {
	.reg .u64 %o, %w; .reg .u32 %v; .reg .pred %p;
	ld.param.u64 %o, [own];
	ld.param.u64 %w, [other];
	st.volatile.global.u32 [%o], 1;
LOOP:	ld.volatile.global.u32 %v, [%w];
	setp.eq.u32 %p, %v, 0;
	@%p bra LOOP;
	ret;
}
`
	for _, functional := range []bool{false, true} {
		k := newAsker(t, Options{Simulator: sim.Options{Functional: functional, MaxCycles: 1 << 24}})
		k.ask(opModule, makeImage("meet.ptx", false, []byte(meet)), 1)
		flags := k.allocate(deviceMemory, 512)
		k.fill(flags, 512, 0, 0, true)
		k.ask(opSynchronize, nil, waitDevice)
		for i := range uint64(2) {
			stream := k.ask(opStreamCreate, nil).r[0]
			both := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, flags+256*i), flags+256*(1-i))
			k.ask(opLaunch, append([]byte("meet\x00"), both...), 1, 1|1<<32, 1|1<<32, 1|1<<32, 0, stream)
		}
		k.ask(opSynchronize, nil, waitDevice)
	}
}
