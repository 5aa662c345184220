package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/dram"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// fabric is what the parts of the memory system share: requests in flight, coming events, the crossbar's links, the DRAM channels and the
// counters. Slices reach each other and the SMXs only through it.
type fabric struct {
	cfg       *configs.Config
	global    *Global
	addresses addressMap
	ports     []*Port
	send      []link // SMX to crossbar
	receive   []link // crossbar to SMX
	channels  []*channel
	toTicks   engine.Crossing // core cycles to DRAM ticks
	toCycles  engine.Crossing

	flights *flights
	// Events at the ports, in their order within a cycle: those left by earlier Steps, requests that SMXs issue in this Step, and those
	// added in this Step.
	left, issued, added calendar
	// back has the events at the slices and in DRAM. SMXs cannot affect them sooner than a crossbar latency later.
	back     calendar
	alone    bool       // no SMX runs: responses go to the inboxes directly
	hostLink remoteLink // to the host
	peerLink remoteLink // to other devices
	reuse    *reuse     // nil unless asked for
	watched  *watched
	undo     *undoLog // nil if not needed
	accounts
}

// channel is a DRAM channel and its event.
type channel struct {
	*dram.Channel
	scheduled bool         // a decision is listed in back
	next      engine.Cycle // the earliest next decision: the bus and the path are taken until shortly after
	heldBack  uint64       // a bit for each slice that waits for room in the backlog
}

func newChannels(cfg *configs.Config, addresses *addressMap, ledger *stats.Ledger) ([]*channel, error) {
	all := make([]*channel, cfg.DRAM.Channels)
	for i := range all {
		c, err := dram.New(&cfg.DRAM, i, addresses.burstPerSector, ledger)
		if err != nil {
			return nil, err
		}
		all[i] = &channel{Channel: c}
	}
	return all, nil
}

// sliceNumber returns a slice's number in calendars.
func (f *fabric) sliceNumber(slice int32) int32 { return 1 + slice }

// channelNumber returns a channel's number in calendars.
func (f *fabric) channelNumber(channel int32) int32 {
	return f.flights.units - int32(len(f.channels)) + channel
}

// channelOf returns the channel of a slice's line, and the line's address there.
func (f *fabric) channelOf(slice int32, local uint64) (*channel, int32, uint64) {
	number, address := f.addresses.channel(int(slice), local)
	return f.channels[number], int32(number), address
}

// toDRAM queues sectors of a slice's line at their channel, for an account. They arrive there at the given cycle.
func (f *fabric) toDRAM(slice int32, local uint64, sectors uint8, write bool, account int32, at engine.Cycle) {
	c, number, address := f.channelOf(slice, local)
	r := dram.Request{
		Arrived: engine.Tick(f.toTicks.Ceil(int64(at))), Line: local, Slice: slice, Sectors: sectors, Write: write, Account: account,
	}
	f.hold(account)
	r.Bank, r.Row = f.addresses.bank(address)
	r.Block = c.Block(f.addresses.burst(address))
	c.Enqueue(r)
	if !c.scheduled {
		c.scheduled = true
		f.back.add(max(at, c.next), f.channelNumber(number))
	}
}

// apply carries out a flight's effect on device memory.
func (f *fabric) apply(r *flight) {
	if r.Access == nil {
		return
	}
	if f.undo != nil && r.writes() {
		f.undo.keep(r.Access, r.Lanes)
	}
	f.global.Apply(r.Access, r.Lanes)
}

// request returns how long a link carries a request over the crossbar. Writes and atomics carry the bytes of their lanes, not whole
// sectors.
func (r *flight) request(over *link) engine.SubCycle {
	if r.Kind == RequestLoad || r.Kind == RequestFill {
		return over.sectors[0]
	}
	return r.written(over)
}

// written is request for requests with data.
func (r *flight) written(over *link) engine.SubCycle {
	sectors := bits.OnesCount8(r.Sectors)
	if r.Access != nil {
		if written := bits.OnesCount32(r.Lanes) * int(r.Access.Bytes); written < sectors*SectorBytes {
			return over.rate(over.header + written)
		}
	}
	return over.carries(sectors)
}

// answered returns the number of sectors in a response over the crossbar. Only loads, fills and atomics with a result have any.
func (r *flight) answered(sectors int) int {
	if r.Kind == RequestLoad || r.Kind == RequestFill || r.Kind == RequestAtomic {
		return sectors
	}
	return 0
}
