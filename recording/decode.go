package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// mostWarps bounds the warps of a block.
const mostWarps = 1 << 10

// decoder reads the entries of a track.
type decoder struct {
	bytes []byte
	last  engine.Cycle
	err   error
}

var errDamaged = errors.New("a track of the recording is damaged")

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errDamaged
	}
}

// number reads a number that must be below a bound.
func (d *decoder) number(below uint64) uint64 {
	v, n := binary.Uvarint(d.bytes)
	if n <= 0 || v >= below {
		d.fail()
		d.bytes = nil
		return 0
	}
	d.bytes = d.bytes[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.bytes)
	if n <= 0 {
		d.fail()
		d.bytes = nil
		return 0
	}
	d.bytes = d.bytes[n:]
	return v
}

// mostCycles bounds cycles, so that sums of a few of them do not overflow.
const mostCycles = 1 << 56

func (d *decoder) span() engine.Cycle { return engine.Cycle(d.number(mostCycles)) }
func (d *decoder) mask() uint32       { return uint32(d.number(1 << 32)) }
func (d *decoder) word() uint64       { return d.number(^uint64(0)) }

// next begins the next entry.
func (d *decoder) next() (k kind, flags uint8, at engine.Cycle) {
	first := d.bytes[0]
	d.bytes = d.bytes[1:]
	at = d.last + engine.Cycle(d.signed())
	if at < 0 || at > mostCycles {
		d.fail()
	}
	d.last = at
	return kind(first & 0xf), first &^ 0xf, at
}

// residents are the resident warps and blocks of an SMX while its track is read.
type residents struct {
	warps  map[uint64]int32
	blocks map[blockKey]int
}

type blockKey struct {
	grid   int
	number uint64
}

// trackDecoder reads an SMX's track.
type trackDecoder struct {
	decoder
	residents
	header *Header
	grids  []int // of the track's device
	*Track
}

func decodeTrack(h *Header, t *Track, data []byte) error {
	d := &trackDecoder{decoder: decoder{bytes: data}, residents: residents{map[uint64]int32{}, map[blockKey]int{}}, header: h, Track: t}
	for i := range h.Grids {
		if h.Grids[i].Device == t.Device {
			d.grids = append(d.grids, i)
		}
	}
	for len(d.bytes) > 0 && d.err == nil {
		k, flags, at := d.next()
		if !d.block(k, flags, at) && !d.event(k, flags, at) {
			return fmt.Errorf("SMX %d of the recording has an entry of kind %d, which is unknown", t.SMX, k)
		}
	}
	if d.err != nil {
		return fmt.Errorf("SMX %d: %w", t.SMX, d.err)
	}
	return nil
}

// block reads the entries about blocks and barriers.
func (d *trackDecoder) block(k kind, flags uint8, at engine.Cycle) bool {
	switch k {
	case kindBlockStart:
		key := d.blockKey()
		count := int(d.number(mostWarps + 1))
		b := Block{Grid: key.grid, Number: key.number, Start: at, First: len(d.Warps), Count: count, Again: flags&flagAgain != 0}
		for i := range count {
			if b.Again {
				i = int(d.number(mostWarps + 1))
			}
			p := d.number(1 << (slotBits + 8))
			d.warps[p] = int32(len(d.Warps))
			d.Warps = append(d.Warps, Warp{Block: len(d.Blocks), Index: i, Scheduler: int(p >> slotBits),
				Slot: int(p & (1<<slotBits - 1))})
			if d.err != nil {
				return true
			}
		}
		d.blocks[key] = len(d.Blocks)
		d.Blocks = append(d.Blocks, b)
	case kindBlockEnd:
		if i, ok := d.blocks[d.blockKey()]; ok {
			d.Blocks[i].End, d.Blocks[i].Left = at, flags&flagAgain != 0
		} else {
			d.fail()
		}
	case kindRelease:
		i, ok := d.blocks[d.blockKey()]
		if !ok {
			d.fail()
		}
		d.Barriers = append(d.Barriers, Barrier{Cycle: at, Block: int32(i), Warp: -1, ID: d.mask()})
	default:
		return false
	}
	return true
}

func (d *trackDecoder) blockKey() blockKey {
	grid := int(d.number(uint64(len(d.grids))))
	if d.err != nil {
		return blockKey{}
	}
	return blockKey{d.grids[grid], d.word()}
}

// warp reads an entry's warp and operation.
func (d *trackDecoder) warp() (warp, op int32) {
	warp, ok := d.warps[d.word()]
	if !ok {
		d.fail()
		return 0, 0
	}
	kernel := &d.header.Kernels[d.header.Grids[d.Blocks[d.Warps[warp].Block].Grid].Kernel]
	return warp, int32(d.number(uint64(len(kernel.Ops))))
}

// event reads the entries about warps.
func (d *trackDecoder) event(k kind, flags uint8, at engine.Cycle) bool {
	switch k {
	case kindIssue:
		i := Issue{Cycle: at, Active: ^uint32(0), Second: flags&flagSecond != 0}
		i.Warp, i.Op = d.warp()
		if flags&flagPartly != 0 {
			i.Active = d.mask()
		}
		if i.Mask = i.Active; flags&flagGuarded != 0 {
			i.Mask = d.mask()
		}
		d.Issues = append(d.Issues, i)
	case kindStall:
		s := Stall{From: at, To: at + d.span()}
		s.Warp, s.Op = d.warp()
		s.Reason = stats.Stall(d.number(uint64(stats.StallCount)))
		s.For = observe.Entry(d.number(uint64(observe.EntryAccess)+2)) - 1
		d.Stalls = append(d.Stalls, s)
	case kindReplay:
		r := Replay{Cycle: at}
		r.Warp, r.Op = d.warp()
		r.Slots = int(d.number(1 << 20))
		d.Replays = append(d.Replays, r)
	case kindAccess:
		d.access(at)
	case kindLookup:
		l := Lookup{Cycle: at}
		l.Warp, l.Op = d.warp()
		l.Tag, l.Source, l.Found = d.word(), stats.MemorySource(d.number(uint64(stats.MemorySources))),
			observe.Found(d.number(uint64(observe.Held)+1))
		l.Line, l.Sectors = d.word(), uint8(d.number(1<<8))
		d.Lookups = append(d.Lookups, l)
	case kindAnswer:
		a := Answer{Cycle: at, Issued: at - d.span()}
		a.Warp, a.Op = d.warp()
		d.Answers = append(d.Answers, a)
	case kindArrival:
		b := Barrier{Cycle: at}
		b.Warp, b.Op = d.warp()
		if d.err == nil {
			b.Block = int32(d.Warps[b.Warp].Block)
		}
		b.ID, b.Mask, b.Lives = d.mask(), d.mask(), d.mask()
		d.Barriers = append(d.Barriers, b)
	default:
		return false
	}
	return true
}

func (d *trackDecoder) access(at engine.Cycle) {
	a := Access{Cycle: at}
	a.Warp, a.Op = d.warp()
	a.Tag, a.Kind, a.Space = d.word(), exec.AccessKind(d.number(uint64(exec.AccessQuery)+1)), isa.Space(d.number(1<<8))
	a.Bytes, a.Active = uint8(d.number(1<<8)), d.mask()
	address := uint64(0)
	a.Addresses = make([]uint64, 0, bits.OnesCount32(a.Active))
	for range bits.OnesCount32(a.Active) {
		address += uint64(d.signed())
		a.Addresses = append(a.Addresses, address)
	}
	d.Accesses = append(d.Accesses, a)
}

func decodeMemory(m *Memory, data []byte) error {
	d := &decoder{bytes: data}
	for len(d.bytes) > 0 && d.err == nil {
		switch k, flags, at := d.next(); k {
		case kindFlight:
			m.Flights = append(m.Flights, d.flight(at))
		case kindBurst:
			b := observe.Burst{Decided: at, Write: flags&flagWrite != 0}
			b.Done = at + d.span()
			b.Channel, b.Bank, b.Row = int32(d.number(1<<16)), d.mask(), d.mask()
			b.State, b.Slice = stats.RowState(d.number(uint64(stats.RowConflict)+1)), int32(d.number(1<<16))
			b.Sectors, b.Line = uint8(d.number(1<<8)), d.word()
			m.Bursts = append(m.Bursts, b)
		default:
			return fmt.Errorf("the memory of the recording has an entry of kind %d, which is unknown", k)
		}
	}
	if d.err != nil {
		return fmt.Errorf("memory: %w", d.err)
	}
	return nil
}

func (d *decoder) flight(at engine.Cycle) observe.Flight {
	f := observe.Flight{Issued: at}
	f.SMX, f.Kind, f.Source = int(d.number(1<<16)), stats.RequestKind(d.number(uint64(stats.RequestWriteBack)+1)),
		stats.MemorySource(d.number(uint64(stats.MemorySources)))
	f.Tag, f.Sectors, f.Lanes, f.Line = d.word(), uint8(d.number(1<<8)), d.mask(), d.word()
	f.Op, f.Warp, f.Slice = int32(d.number(1<<31))-1, int32(d.number(1<<31))-1, int32(d.number(1<<16))
	f.Departed = f.Issued + d.span()
	f.Arrived = f.Departed + d.span()
	f.Served = f.Arrived + d.span()
	f.Ready = f.Served + d.span()
	f.Found, f.Row = observe.Found(d.number(uint64(observe.Held)+1)), stats.RowState(d.number(uint64(stats.RowConflict)+1))
	if filled := d.span(); filled > 0 {
		f.Filled = f.Served + filled - 1
	}
	return f
}
