package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// dramRequest is what a slice asks of a channel: sectors of one line.
type dramRequest struct {
	arrived engine.Tick // at the channel
	seen    engine.Tick // by the scheduler
	line    uint64      // the slice's local address of the line
	row     uint32
	bank    uint32 // within one half of the bank groups
	burst   uint32 // number of the line's first burst in its row, in both halves together
	slice   int32
	sectors uint8
	write   bool
	opened  bool  // its rows were opened ahead, and counted
	halves  uint8 // of the bank groups that its sectors lie in: bit 0 and bit 1
}

// bankState is one bank.
type bankState struct {
	row           int64       // open row, -1 for none
	column        engine.Tick // the open row's first possible column command
	precharge     engine.Tick // first possible precharge
	activate      engine.Tick // first possible activate
	group         int
	lastOfGroupAt *engine.Tick
}

// channel is one DRAM channel with its scheduler. It decides request by request, as early as a precharge and an activate
// need before the data bus comes free, and then knows all command times of the request.
type channel struct {
	timing     configs.DRAMTiming
	addresses  *addressMap
	prepare    engine.Tick // how long before a free column slot the next request is chosen
	burstTicks engine.Tick
	queueLimit int
	high, low  int
	starvation engine.Tick
	inOrder    bool
	check      *checkBits // nil without ECC

	reads, writes []dramRequest // visible to the scheduler, oldest first
	backlog       ring[dramRequest]
	writing       bool
	scheduled     bool   // a decision is in the event queue
	heldBack      uint64 // slices that wait for room in the backlog, one bit each

	banks       []bankState
	groupLast   []engine.Tick  // last column command of each bank group
	lastColumn  engine.Tick    // last column command
	lastRead    engine.Tick    // last read command
	writeEnd    engine.Tick    // end of the last write's data
	lastActs    [4]engine.Tick // the last four activates, a ring
	act         int
	nextRefresh engine.Tick

	counts *stats.Memory
}

const longAgo = engine.Tick(-1 << 40)

func newChannel(cfg *configs.Config, addresses *addressMap, counts *stats.Memory) *channel {
	d := &cfg.DRAM
	c := &channel{
		timing: d.Timing, addresses: addresses, counts: counts,
		prepare: engine.Tick(d.Timing.RC + d.Timing.RCD), burstTicks: max(1, engine.Tick(d.Burst/(d.TransfersPerClock*d.ClockDivider))),
		queueLimit: d.Queue, high: min(d.WriteHigh, d.Queue), low: min(d.WriteLow, d.WriteHigh-1), starvation: engine.Tick(d.StarvationLimit), inOrder: d.Scheduling == "fcfs",
		groupLast: make([]engine.Tick, max(1, d.BankGroups)), banks: make([]bankState, d.Banks),
		reads: make([]dramRequest, 0, d.Queue), writes: make([]dramRequest, 0, d.Queue),
		lastColumn: longAgo, lastRead: longAgo, writeEnd: longAgo, lastActs: [4]engine.Tick{longAgo, longAgo, longAgo, longAgo},
		nextRefresh: engine.Tick(d.Timing.REFI),
	}
	if d.ECC {
		c.check = newCheckBits(d.ECCDataSectors, d.ECCKeptReads, d.ECCKeptWrites)
	}
	for i := range c.groupLast {
		c.groupLast[i] = longAgo
	}
	for i := range c.banks {
		half, inner := i/addresses.banksPerHalf, i%addresses.banksPerHalf
		group := (half*addresses.groupsPerHalf + inner/addresses.banksInGroup) % len(c.groupLast)
		c.banks[i] = bankState{row: -1, column: longAgo, precharge: longAgo, activate: longAgo, group: group, lastOfGroupAt: &c.groupLast[group]}
	}
	return c
}

// waiting is the number of requests that have not been scheduled.
func (c *channel) waiting() int { return len(c.reads) + len(c.writes) + c.backlog.len() }

// full says that slices should hold back what needs DRAM.
func (c *channel) full() bool { return c.backlog.len() >= c.queueLimit }

// blocks notes a slice that waits until the channel is no longer full.
func (c *channel) blocks(slice int32) { c.heldBack |= 1 << slice }

// enqueue takes a request of a slice for sectors of the line at a channel's address.
func (c *channel) enqueue(r dramRequest, address uint64) {
	r.bank, r.row = c.addresses.bank(address)
	r.burst = uint32(address >> c.addresses.burstShift)
	r.halves = c.halves(&r)
	c.backlog.push(r)
	c.admit(r.arrived)
}

// admit moves requests into the scheduler's sight while it has room.
func (c *channel) admit(now engine.Tick) {
	for c.backlog.len() > 0 && len(c.reads)+len(c.writes) < c.queueLimit {
		r := c.backlog.pop()
		r.seen = now
		if r.write {
			c.writes = append(c.writes, r)
		} else {
			c.reads = append(c.reads, r)
		}
	}
}

// halves are the halves of the bank groups that a request's sectors lie in: bit 0 and bit 1.
func (c *channel) halves(r *dramRequest) uint8 {
	if c.addresses.pairShift == 0 {
		return 1
	}
	even, odd := uint8(0x55), uint8(0xaa)
	if r.burst&1 != 0 {
		even, odd = odd, even
	}
	var halves uint8
	if r.sectors&even != 0 {
		halves |= 1
	}
	if r.sectors&odd != 0 {
		halves |= 2
	}
	return halves
}

func (c *channel) bank(r *dramRequest, half int) *bankState {
	return &c.banks[half*c.addresses.banksPerHalf+int(r.bank)]
}

// open reports that every row that the request needs is open.
func (c *channel) open(r *dramRequest) bool {
	row := int64(r.row)
	return (r.halves&1 == 0 || c.bank(r, 0).row == row) && (r.halves&2 == 0 || c.bank(r, 1).row == row)
}

// choose takes the next request out of its queue: the oldest whose rows are open, unless the oldest of all has waited too
// long in its sight or the channel works in order.
func (c *channel) choose(now engine.Tick) dramRequest {
	queue := &c.reads
	if c.writing {
		queue = &c.writes
	}
	chosen := 0
	if !c.inOrder && now-(*queue)[0].seen < c.starvation {
		for i := range *queue {
			r := &(*queue)[i]
			if c.open(r) {
				chosen = i
				break
			}
		}
	}
	r := (*queue)[chosen]
	*queue = append((*queue)[:chosen], (*queue)[chosen+1:]...)
	c.admit(now)
	return r
}

// turn decides between reading and writing.
func (c *channel) turn() {
	before := c.writing
	switch {
	case len(c.reads) == 0:
		c.writing = len(c.writes) > 0
	case len(c.writes) >= c.high:
		c.writing = true
	case len(c.writes) <= c.low:
		c.writing = false
	}
	if c.writing != before {
		c.counts.DRAMTurnarounds++
	}
}

// decide schedules one request at the given tick and returns it, the tick of its last data's end, and the tick of the next
// decision. There is at least one request in sight.
func (c *channel) decide(now engine.Tick) (r dramRequest, done, next engine.Tick) {
	c.refresh(now)
	c.counts.DRAMQueueDepthSum += uint64(c.waiting())
	c.counts.DRAMQueueSamples++
	c.turn()
	r = c.choose(now)
	if !r.opened {
		c.countRow(&r)
	}
	for half := range 2 {
		if r.halves>>half&1 != 0 {
			c.activate(c.bank(&r, half), int64(r.row), now)
		}
	}
	sectors := bits.OnesCount8(r.sectors)
	bursts := sectors * c.addresses.burstPerSector
	check := c.check.sectors(r.burst, r.write)
	half := 0
	if r.halves == 2 {
		half = 1
	}
	for range bursts + check*c.addresses.burstPerSector {
		done = c.column(c.bank(&r, half), now, r.write)
		if r.halves == 3 {
			half ^= 1
		}
	}
	c.counts.DRAMBusyTicks += uint64(c.burstTicks) * uint64(bursts+check*c.addresses.burstPerSector)
	c.counts.DRAMWaitTicks += uint64(max(0, done-r.arrived))
	if r.write {
		c.counts.DRAMWriteRequests++
		c.counts.DRAMWriteSectors += uint64(sectors)
		c.counts.ECCWriteSectors += uint64(check)
	} else {
		c.counts.DRAMReadRequests++
		c.counts.DRAMReadSectors += uint64(sectors)
		c.counts.ECCReadSectors += uint64(check)
	}
	c.openAhead(now)
	return r, done, max(now, c.lastColumn-c.prepare)
}

// lookAhead is how many of the oldest requests are looked at for a row to open ahead of its turn.
const lookAhead = 16

// openAhead opens the rows of the oldest request that has to wait for them, so that they are open when its turn comes;
// a bank whose open row others still wait for is left alone.
func (c *channel) openAhead(now engine.Tick) {
	queue := c.reads
	if c.writing {
		queue = c.writes
	}
	for i := range queue[:min(len(queue), lookAhead)] {
		r := &queue[i]
		if c.open(r) {
			continue
		}
		if c.inOrder && i > 0 {
			return
		}
		if c.wanted(queue, r) {
			continue
		}
		if !r.opened {
			c.countRow(r)
			r.opened = true
		}
		for half := range 2 {
			if r.halves>>half&1 != 0 {
				c.activate(c.bank(r, half), int64(r.row), now)
			}
		}
		return
	}
}

// wanted reports that a request waits for a row that is open in a bank where another row is asked for.
func (c *channel) wanted(queue []dramRequest, by *dramRequest) bool {
	first, second := int64(-1), int64(-1)
	if by.halves&1 != 0 {
		first = c.bank(by, 0).row
	}
	if by.halves&2 != 0 {
		second = c.bank(by, 1).row
	}
	for i := range queue {
		if r := &queue[i]; r.bank == by.bank && (int64(r.row) == first || int64(r.row) == second) {
			return true
		}
	}
	return false
}

func (c *channel) countRow(r *dramRequest) {
	if c.open(r) {
		c.counts.RowHits++
		return
	}
	for half := range 2 {
		if r.halves>>half&1 != 0 {
			if row := c.bank(r, half).row; row >= 0 && row != int64(r.row) {
				c.counts.RowConflicts++
				return
			}
		}
	}
	c.counts.RowMisses++
}

// activate opens a row in a bank, no command earlier than now.
func (c *channel) activate(b *bankState, row int64, now engine.Tick) {
	if b.row == row {
		return
	}
	at := max(now, b.activate)
	if b.row >= 0 {
		at = max(at, max(now, b.precharge)+engine.Tick(c.timing.RP))
	}
	latest := c.lastActs[(c.act+3)&3]
	at = max(at, latest+engine.Tick(c.timing.RRD), c.lastActs[c.act]+engine.Tick(c.timing.FAW))
	c.lastActs[c.act] = at
	c.act = (c.act + 1) & 3
	b.row = row
	b.column = at + engine.Tick(c.timing.RCD)
	b.precharge = at + engine.Tick(c.timing.RAS)
	b.activate = at + engine.Tick(c.timing.RC)
	c.counts.DRAMActivates++
}

// column reads or writes one burst of a bank's open row and returns when its data ends.
func (c *channel) column(b *bankState, now engine.Tick, write bool) engine.Tick {
	at := max(now, b.column, c.lastColumn+max(engine.Tick(c.timing.CCDShort), c.burstTicks), *b.lastOfGroupAt+engine.Tick(c.timing.CCDLong))
	var end engine.Tick
	if write {
		at = max(at, c.lastRead+engine.Tick(c.timing.RTW))
		end = at + engine.Tick(c.timing.CWL) + c.burstTicks
		c.writeEnd = end
		b.precharge = max(b.precharge, end+engine.Tick(c.timing.WR))
	} else {
		at = max(at, c.writeEnd+engine.Tick(c.timing.WTR))
		end = at + engine.Tick(c.timing.CL) + c.burstTicks
		c.lastRead = at
		b.precharge = max(b.precharge, at+engine.Tick(c.timing.RTP))
	}
	c.lastColumn, *b.lastOfGroupAt = at, at
	return end
}

// refresh carries out the refreshes that were due: each closes all rows and holds the channel.
func (c *channel) refresh(now engine.Tick) {
	if now < c.nextRefresh {
		return
	}
	interval := engine.Tick(c.timing.REFI)
	passed := (now - c.nextRefresh) / interval
	c.counts.DRAMRefreshes += uint64(passed) + 1
	start := max(c.nextRefresh+passed*interval, c.lastColumn+engine.Tick(c.timing.CL)+c.burstTicks, c.writeEnd)
	c.nextRefresh += (passed + 1) * interval
	end := start + engine.Tick(c.timing.RFC)
	for i := range c.banks {
		b := &c.banks[i]
		b.row = -1
		b.activate = max(b.activate, end)
	}
}
