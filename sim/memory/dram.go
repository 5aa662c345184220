package memory

import (
	"math"
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
	bank    uint32
	block   uint32 // whose check bits the line has
	slice   int32
	sectors uint8
	write   bool
	opened  bool // its row was opened ahead, and counted
	checked bool // its check bits have been moved with another's
}

// bankState is one bank.
type bankState struct {
	row       int64       // open row, -1 for none
	column    engine.Tick // the open row's first possible column command
	precharge engine.Tick // first possible precharge
	activate  engine.Tick // first possible activate
	group     int         // of banks
}

// channel is one DRAM channel with its scheduler. It decides request by request, as early as a precharge and an activate
// need before the data bus comes free, and then knows all command times of the request.
type channel struct {
	timing     configs.DRAMTiming
	addresses  *addressMap
	prepare    engine.Tick // how long before a free column slot the next request is chosen
	burstTicks engine.Tick
	spacing    engine.Tick // between two bursts of different bank groups
	queueLimit int
	high, low  int
	starvation engine.Tick
	inOrder    bool
	check      *checkBits // nil without ECC

	reads, writes []dramRequest // visible to the scheduler, oldest first
	backlog       ring[dramRequest]
	writing       bool
	scheduled     bool         // a decision is in the event queue
	next          engine.Cycle // when the next may be made: what is decided takes the bus and the path until shortly after
	heldBack      uint64       // slices that wait for room in the backlog, one bit each

	banks       []bankState
	groupLast   []engine.Tick  // last column command of each bank group
	lastColumn  engine.Tick    // last column command
	lastRead    engine.Tick    // last read command
	writeEnd    engine.Tick    // end of the last write's data
	lastActs    [4]engine.Tick // the last four activates, a ring
	act         int
	nextRefresh engine.Tick

	sector fine // what the path to L2 takes for one
	path   fine // when it is free
	busy   fine // time that it was taken

	counts *stats.Memory
}

const longAgo = engine.Tick(-1 << 40)

// newChannel makes channel number of a chip. Channels refresh in turn, one after another within an interval: nothing ties their
// controllers together, and all at once would draw the current of all at once.
func newChannel(cfg *configs.Config, number int, addresses *addressMap, counts *stats.Memory) *channel {
	d := &cfg.DRAM
	c := &channel{
		timing: d.Timing, addresses: addresses, counts: counts,
		prepare: engine.Tick(d.Timing.RC + d.Timing.RCD), burstTicks: max(1, engine.Tick(d.Burst/(d.TransfersPerClock*d.ClockDivider))),
		queueLimit: d.Queue, high: min(d.WriteHigh, d.Queue), low: min(d.WriteLow, d.WriteHigh-1), starvation: engine.Tick(d.StarvationLimit), inOrder: d.Scheduling == "fcfs",
		groupLast: make([]engine.Tick, max(1, d.BankGroups)), banks: make([]bankState, d.Banks),
		reads: make([]dramRequest, 0, d.Queue), writes: make([]dramRequest, 0, d.Queue),
		lastColumn: longAgo, lastRead: longAgo, writeEnd: longAgo, lastActs: [4]engine.Tick{longAgo, longAgo, longAgo, longAgo},
		nextRefresh: engine.Tick(d.Timing.REFI * (number + 1) / d.Channels),
	}
	c.sector = fine(math.Round(d.SectorCycles * (1 << fineShift)))
	c.spacing = max(engine.Tick(d.Timing.CCDShort), c.burstTicks)
	if d.ECC {
		c.check = newCheckBits(d.ECCDataSectors, addresses.burstPerSector, engine.Tick(d.ECCKept), c.spacing)
	}
	for i := range c.groupLast {
		c.groupLast[i] = longAgo
	}
	for i := range c.banks {
		c.banks[i] = bankState{row: -1, column: longAgo, precharge: longAgo, activate: longAgo, group: i % len(c.groupLast)}
	}
	return c
}

// waiting is the number of requests that have not been scheduled.
func (c *channel) waiting() int { return len(c.reads) + len(c.writes) + c.backlog.len() }

// idle says that nothing waits for the channel and that neither its bus, at the tick, nor the path to L2, at the same cycle, is
// taken by what has been decided.
func (c *channel) idle(now engine.Cycle, tick engine.Tick) bool {
	return c.waiting() == 0 && c.lastColumn < tick && c.path <= toFine(now)
}

// full says that slices should hold back what needs DRAM.
func (c *channel) full() bool { return c.backlog.len() >= c.queueLimit }

// blocks notes a slice that waits until the channel is no longer full.
func (c *channel) blocks(slice int32) { c.heldBack |= 1 << slice }

// enqueue takes a request of a slice for sectors of the line at a channel's address.
func (c *channel) enqueue(r dramRequest, address uint64) {
	r.bank, r.row = c.addresses.bank(address)
	r.block = c.check.block(uint32(address >> c.addresses.burstShift))
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

// open reports that the row that the request needs is open.
func (c *channel) open(r *dramRequest) bool { return c.banks[r.bank].row == int64(r.row) }

// choose takes the next request out of the queue: of those whose row is open the one that the bus can carry first, the oldest
// of several; where no row is open, the one whose row can be opened first. The oldest of all goes first when it has waited too
// long in the scheduler's sight or the channel works in order.
func (c *channel) choose(queue *[]dramRequest, now engine.Tick) dramRequest {
	chosen := 0
	if !c.inOrder && now-(*queue)[0].seen < c.starvation {
		if chosen = c.firstReady(*queue, now, -1); chosen < 0 {
			chosen = c.firstOpened(*queue, now)
		}
	}
	return c.remove(queue, chosen, now)
}

func (c *channel) remove(queue *[]dramRequest, at int, now engine.Tick) dramRequest {
	r := (*queue)[at]
	*queue = append((*queue)[:at], (*queue)[at+1:]...)
	c.admit(now)
	return r
}

// firstReady is the request with an open row whose first burst can be soonest, of several the oldest; -1 when no row is open.
// Requests to the bank group except are left out.
func (c *channel) firstReady(queue []dramRequest, now engine.Tick, except int) int {
	chosen, best := -1, engine.Tick(0)
	soonest := max(now, c.lastColumn+c.spacing)
	for i := range queue {
		b := &c.banks[queue[i].bank]
		if b.row != int64(queue[i].row) || b.group == except {
			continue
		}
		at := max(soonest, b.column, c.groupLast[b.group]+engine.Tick(c.timing.CCDLong))
		if chosen < 0 || at < best {
			chosen, best = i, at
			if at == soonest {
				break
			}
		}
	}
	return chosen
}

// firstOpened is which of the oldest requests could have its row opened first, of several the oldest.
func (c *channel) firstOpened(queue []dramRequest, now engine.Tick) int {
	chosen, best := 0, engine.Tick(engine.Never)
	for i := range queue[:min(len(queue), lookAhead)] {
		if at := c.activation(&c.banks[queue[i].bank], now); at < best {
			chosen, best = i, at
		}
	}
	return chosen
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

// served is a request whose commands are decided.
type served struct {
	dramRequest
	done  engine.Tick // when its last data end
	check int         // sectors of check bits moved with it
	left  int         // bursts not yet decided
}

// decide schedules the next request at the given tick, and another one of a different bank group between whose bursts its own
// fit, if there is one; bursts of one group alone leave the bus idle in between. It returns them and the tick of the next
// decision. There is at least one request in sight.
func (c *channel) decide(now engine.Tick) (both [2]served, count int, next engine.Tick) {
	c.refresh(now)
	c.counts.DRAMQueueDepthSum += uint64(c.waiting())
	c.counts.DRAMQueueSamples++
	c.turn()
	queue := &c.reads
	if c.writing {
		queue = &c.writes
	}
	both[0] = c.begin(c.choose(queue, now), *queue, now)
	count = 1
	if both[0].left > 1 && !c.inOrder {
		if other := c.firstReady(*queue, now, c.banks[both[0].bank].group); other >= 0 {
			both[1] = c.begin(c.remove(queue, other, now), *queue, now)
			count = 2
		}
	}
	first, second := &both[0], &both[1]
	for first.left+second.left > 0 {
		if first.left == 0 || second.left > 0 && c.columnAt(&second.dramRequest, now) < c.columnAt(&first.dramRequest, now) {
			first, second = second, first
		}
		first.done = c.column(&first.dramRequest, now)
		first.left--
	}
	for i := range both[:count] {
		c.countServed(&both[i])
		c.openAhead(*queue, now)
	}
	return both, count, max(now, c.lastColumn-c.prepare)
}

// begin opens a request's row, if that has not been done, and says what there is to move; queue is where it was chosen from.
func (c *channel) begin(r dramRequest, queue []dramRequest, now engine.Tick) served {
	if !r.opened {
		c.countRow(&r)
	}
	c.activate(&c.banks[r.bank], int64(r.row), now)
	check := c.check.sectors(&r, queue, now)
	return served{dramRequest: r, check: check, left: (bits.OnesCount8(r.sectors) + check) * c.addresses.burstPerSector}
}

func (c *channel) countServed(r *served) {
	sectors := uint64(bits.OnesCount8(r.sectors))
	c.counts.DRAMBusyTicks += uint64(c.burstTicks) * (sectors + uint64(r.check)) * uint64(c.addresses.burstPerSector)
	c.counts.DRAMWaitTicks += uint64(max(0, r.done-r.arrived))
	if r.write {
		c.counts.DRAMWriteRequests++
		c.counts.DRAMWriteSectors += sectors
		c.counts.ECCWriteSectors += uint64(r.check)
	} else {
		c.counts.DRAMReadRequests++
		c.counts.DRAMReadSectors += sectors
		c.counts.ECCReadSectors += uint64(r.check)
	}
}

// pass takes the path to L2 for a request's sectors, whose last has passed the bus at done, and returns when it is through.
func (c *channel) pass(r *served, done engine.Cycle) engine.Cycle {
	takes := fine(bits.OnesCount8(r.sectors)+r.check) * c.sector
	c.path = max(toFine(done), c.path+takes)
	c.busy += takes
	return c.path.up()
}

// lookAhead is how many of the oldest requests are looked at for a row to open ahead of its turn.
const lookAhead = 16

// openAhead opens the row of one of the oldest requests that have to wait for theirs, the one that can be opened first, so
// that it is open when its turn comes; a bank whose open row others still wait for is left alone.
func (c *channel) openAhead(queue []dramRequest, now engine.Tick) {
	chosen, best := -1, engine.Tick(engine.Never)
	wanted := c.wanted(queue)
	for i := range queue[:min(len(queue), lookAhead)] {
		r := &queue[i]
		if c.open(r) {
			continue
		}
		if at := c.activation(&c.banks[r.bank], now); at < best && wanted>>r.bank&1 == 0 {
			chosen, best = i, at
		}
		if c.inOrder {
			break
		}
	}
	if chosen < 0 {
		return
	}
	r := &queue[chosen]
	if !r.opened {
		c.countRow(r)
		r.opened = true
	}
	c.activate(&c.banks[r.bank], int64(r.row), now)
}

// wanted are the banks for whose open row a request waits, one bit each.
func (c *channel) wanted(queue []dramRequest) (banks uint64) {
	for i := range queue {
		if r := &queue[i]; c.open(r) {
			banks |= 1 << r.bank
		}
	}
	return banks
}

func (c *channel) countRow(r *dramRequest) {
	switch row := c.banks[r.bank].row; {
	case row == int64(r.row):
		c.counts.RowHits++
	case row >= 0:
		c.counts.RowConflicts++
	default:
		c.counts.RowMisses++
	}
}

// activation is when a bank can be activated, no command earlier than now, if no other bank is in between.
func (c *channel) activation(b *bankState, now engine.Tick) engine.Tick {
	at := max(now, b.activate)
	if b.row >= 0 {
		at = max(at, max(now, b.precharge)+engine.Tick(c.timing.RP))
	}
	latest := c.lastActs[(c.act+3)&3]
	return max(at, latest+engine.Tick(c.timing.RRD), c.lastActs[c.act]+engine.Tick(c.timing.FAW))
}

// activate opens a row in a bank, no command earlier than now.
func (c *channel) activate(b *bankState, row int64, now engine.Tick) {
	if b.row == row {
		return
	}
	at := c.activation(b, now)
	c.lastActs[c.act] = at
	c.act = (c.act + 1) & 3
	b.row = row
	b.column = at + engine.Tick(c.timing.RCD)
	b.precharge = at + engine.Tick(c.timing.RAS)
	b.activate = at + engine.Tick(c.timing.RC)
	c.counts.DRAMActivates++
}

// columnAt is when a request's next burst can be commanded; its row is open or being opened.
func (c *channel) columnAt(r *dramRequest, now engine.Tick) engine.Tick {
	b := &c.banks[r.bank]
	at := max(now, b.column, c.lastColumn+c.spacing, c.groupLast[b.group]+engine.Tick(c.timing.CCDLong))
	if r.write {
		return max(at, c.lastRead+engine.Tick(c.timing.RTW))
	}
	return max(at, c.writeEnd+engine.Tick(c.timing.WTR))
}

// column reads or writes one burst of a request and returns when its data end.
func (c *channel) column(r *dramRequest, now engine.Tick) engine.Tick {
	at := c.columnAt(r, now)
	b := &c.banks[r.bank]
	c.lastColumn, c.groupLast[b.group] = at, at
	if r.write {
		c.writeEnd = at + engine.Tick(c.timing.CWL) + c.burstTicks
		b.precharge = max(b.precharge, c.writeEnd+engine.Tick(c.timing.WR))
		return c.writeEnd
	}
	c.lastRead = at
	b.precharge = max(b.precharge, at+engine.Tick(c.timing.RTP))
	return at + engine.Tick(c.timing.CL) + c.burstTicks
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
