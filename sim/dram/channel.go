package dram

import (
	"math"
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Channel is one DRAM channel with its scheduler. It decides one request at a time, as early as a precharge and an activate need before the
// data bus is free. From then on all command times of the request are known.
type Channel struct {
	banks
	scheduler  Scheduler
	rows       RowPolicy
	queueLimit int
	high, low  int         // numbers of waiting writes at which it turns to writing, and back
	prepare    engine.Tick // how long before a free column slot it chooses the next request
	check      *checkBits  // nil without ECC
	perSector  int         // bursts in a sector

	slots         slots
	reads, writes Queue               // visible to the scheduler
	backlog       engine.Ring[uint32] // slots of requests that are not visible yet
	heldReads     int                 // reads in the backlog
	decided       [2]Served           // the last decision
	writing       bool
	nextRefresh   engine.Tick

	sector engine.SubCycle // a sector's time on the path to L2
	path   engine.SubCycle // when the path is free

	ledger *stats.Ledger
}

// New returns channel number of a chip, whose counters go to ledger. A sector takes burstsPerSector bus accesses. The error names a policy
// that is not registered.
func New(d *configs.DRAM, number, burstsPerSector int, ledger *stats.Ledger) (*Channel, error) {
	makeScheduler, err := schedulers.Find(d.Scheduling)
	if err != nil {
		return nil, err
	}
	makeRows, err := rowPolicies.Find(d.RowPolicy)
	if err != nil {
		return nil, err
	}
	c := &Channel{
		banks: newBanks(d), scheduler: makeScheduler(d), rows: makeRows(d), ledger: ledger, perSector: burstsPerSector,
		prepare:    engine.Tick(d.Timing.RC + d.Timing.RCD),
		queueLimit: d.Queue, high: min(d.WriteHigh, d.Queue), low: min(d.WriteLow, d.WriteHigh-1),
		nextRefresh: firstRefresh(d, number),
		sector:      engine.SubCycle(math.Round(d.SectorCycles * (1 << engine.SubCycleShift))),
	}
	c.reads, c.writes = newQueue(&c.slots, d.Banks, d.Queue), newQueue(&c.slots, d.Banks, d.Queue)
	if d.ECC {
		c.check = newCheckBits(d.ECCDataSectors, burstsPerSector, engine.Tick(d.ECCKept), c.spacing)
	}
	return c, nil
}

// InSight returns the number of requests visible to the scheduler.
func (c *Channel) InSight() int { return c.reads.Len() + c.writes.Len() }

// Waiting returns the number of undecided requests.
func (c *Channel) Waiting() int { return c.InSight() + c.backlog.Len() }

// ReadWaits reports whether a read is undecided.
func (c *Channel) ReadWaits() bool { return c.reads.Len()+c.heldReads > 0 }

// Busy reports whether a request waits for the channel, or the path to L2 is taken at a cycle.
func (c *Channel) Busy(now engine.Cycle) bool {
	return c.Waiting() > 0 || c.path > engine.SubCycles(now)
}

// Idle reports whether the bus is free at a tick.
func (c *Channel) Idle(tick engine.Tick) bool { return c.lastColumn < tick }

// Full reports whether slices must hold back requests to DRAM.
func (c *Channel) Full() bool { return c.backlog.Len() >= c.queueLimit }

// PathFree returns when the path to L2 has moved everything decided.
func (c *Channel) PathFree() engine.SubCycle { return c.path }

// Block returns the block whose check bits cover a burst, 0 without ECC.
func (c *Channel) Block(burst uint32) uint32 { return c.check.block(burst) }

// CheckOnly returns the sectors of check bits that a write to a block moves, for a write without simulated time.
func (c *Channel) CheckOnly(block uint32) int {
	return c.check.sectors(&Request{Block: block, Write: true}, nil, 0)
}

// Enqueue adds a request. It becomes visible to the scheduler as soon as the queue has room.
func (c *Channel) Enqueue(r Request) {
	slot := c.slots.take()
	c.slots.list[slot] = r
	if c.backlog.Len() == 0 && c.InSight() < c.queueLimit {
		c.see(slot, r.Arrived)
		return
	}
	c.backlog.Push(slot)
	if !r.Write {
		c.heldReads++
	}
	c.admit(r.Arrived)
}

// admit makes requests of the backlog visible while the queue has room.
func (c *Channel) admit(now engine.Tick) {
	for c.backlog.Len() > 0 && c.InSight() < c.queueLimit {
		slot := c.backlog.Pop()
		if !c.slots.list[slot].Write {
			c.heldReads--
		}
		c.see(slot, now)
	}
}

// see makes a request visible to the scheduler.
func (c *Channel) see(slot uint32, now engine.Tick) {
	r := &c.slots.list[slot]
	r.Seen = now
	c.queue(r.Write).push(slot, c.RowOpen(r))
}

// queue returns the visible requests of a direction.
func (c *Channel) queue(write bool) *Queue {
	if write {
		return &c.writes
	}
	return &c.reads
}

// rowChanged recounts the requests for a bank's open row after it has been opened or closed.
func (c *Channel) rowChanged(bank uint32) {
	row := c.list[bank].row
	c.reads.rowChanged(bank, row)
	c.writes.rowChanged(bank, row)
}

// RowOpen reports whether the row that a request needs is open.
func (c *Channel) RowOpen(r *Request) bool { return c.list[r.Bank].row == int64(r.Row) }

// FirstBurst returns the earliest command of a request's first burst, not before now. Its row is open.
func (c *Channel) FirstBurst(r *Request, now engine.Tick) engine.Tick {
	b := &c.list[r.Bank]
	return max(now, c.lastColumn+c.spacing, b.column, c.groupLast[b.group]+engine.Tick(c.timing.CCDLong))
}

// Activation returns the earliest time to open a request's row. No command is earlier than now.
func (c *Channel) Activation(r *Request, now engine.Tick) engine.Tick {
	return c.list[r.Bank].activation(c.anyActivation(now), now, engine.Tick(c.timing.RP))
}

// firstReady returns the request to an open row whose first burst is earliest, the oldest if there are several; -1 if none has an open row.
// It ignores bank group except.
func (c *Channel) firstReady(queue *Queue, now engine.Tick, except int) int {
	soonest, best := max(now, c.lastColumn+c.spacing), engine.Tick(engine.Never)
	banks := uint64(0) // banks whose open row can have a burst at best
	for m := queue.wanted; m != 0; m &= m - 1 {
		b := &c.list[bits.TrailingZeros64(m)]
		if b.group == except {
			continue
		}
		at := max(soonest, b.column, c.groupLast[b.group]+engine.Tick(c.timing.CCDLong))
		if at < best {
			best, banks = at, 0
		}
		if at == best {
			banks |= m & -m
		}
	}
	if banks == 0 {
		return -1
	}
	for i, k := range queue.keys {
		if banks>>(k.bank()&63)&1 != 0 && c.list[k.bank()].row == int64(k.row) {
			return i
		}
	}
	return -1
}

// remove moves a request from a queue to r.
func (c *Channel) remove(r *Served, queue *Queue, at int, now engine.Tick) {
	k := queue.keys[at]
	slot := queue.remove(at, c.list[k.bank()].row == int64(k.row))
	*r = Served{Request: c.slots.list[slot]}
	c.slots.vacant = append(c.slots.vacant, slot)
	c.admit(now)
}

// switchDirection chooses between reading and writing, and reports whether that has changed.
func (c *Channel) switchDirection() bool {
	before := c.writing
	switch {
	case c.reads.Len() == 0:
		c.writing = c.writes.Len() > 0
	case c.writes.Len() >= c.high:
		c.writing = true
	case c.writes.Len() <= c.low:
		c.writing = false
	}
	return c.writing != before
}

// Decide schedules the next request at a tick. If possible it schedules another one of a different bank group whose bursts fit between
// those of the first, since bursts of one group alone leave the bus idle in between. It returns the requests, valid until the next call,
// and the tick of the next decision. At least one request must be waiting.
func (c *Channel) Decide(now engine.Tick) (decided []Served, next engine.Tick) {
	both := &c.decided
	refreshes, waiting, switched := c.refresh(now), c.Waiting(), c.switchDirection()
	queue := c.queue(c.writing)
	c.remove(&both[0], queue, c.scheduler.Choose(c, queue, now), now)
	counts := c.ledger.Of(both[0].Account)
	counts.DRAMRefreshes += refreshes
	counts.DRAMQueueDepthSum += uint64(waiting)
	counts.DRAMQueueSamples++
	if switched {
		counts.DRAMTurnarounds++
	}
	c.begin(&both[0], queue, now)
	count := 1
	first, second := &both[0], &both[1]
	second.left = 0
	if first.left > 1 {
		if other := c.scheduler.Interleave(c, queue, first.Bank, now); other >= 0 {
			c.remove(second, queue, other, now)
			c.begin(second, queue, now)
			count = 2
		}
	}
	for first.left+second.left > 0 {
		if first.left == 0 || second.left > 0 && c.columnAt(&second.Request, now) < c.columnAt(&first.Request, now) {
			first, second = second, first
		}
		first.Done = c.column(&first.Request, now)
		first.left--
	}
	for i := range both[:count] {
		r := &both[i]
		c.countServed(r)
		if c.rows.Close(c, r.Bank, r.Row, queue) && c.RowOpen(&r.Request) {
			c.close(&c.list[r.Bank])
			c.rowChanged(r.Bank)
		}
		c.openAhead(queue, now)
	}
	return both[:count], max(now, c.lastColumn-c.prepare)
}

// begin opens a request's row, if necessary, and computes its bursts. queue is where it was chosen from.
func (c *Channel) begin(r *Served, queue *Queue, now engine.Tick) {
	c.openRow(&r.Request, now)
	r.check = c.check.sectors(&r.Request, queue, now)
	r.left = r.moved() * c.perSector
}

// openRow opens the row of a request, if necessary, and counts once whether it was open.
func (c *Channel) openRow(r *Request, now engine.Tick) {
	b, counts := &c.list[r.Bank], c.ledger.Of(r.Account)
	if !r.opened {
		r.opened = true
		switch {
		case b.row == int64(r.Row):
			counts.RowHits++
			r.State = stats.RowHit
		case b.row >= 0:
			counts.RowConflicts++
			r.State = stats.RowConflict
		default:
			counts.RowMisses++
			r.State = stats.RowMiss
		}
	}
	if c.open(b, int64(r.Row), now) {
		counts.DRAMActivates++
		c.rowChanged(r.Bank)
	}
}

func (c *Channel) countServed(r *Served) {
	sectors, counts := uint64(bits.OnesCount8(r.Sectors)), c.ledger.Of(r.Account)
	counts.DRAMBusyTicks += uint64(c.burstTicks) * uint64(r.moved()) * uint64(c.perSector)
	counts.DRAMWaitTicks += uint64(max(0, r.Done-r.Arrived))
	if r.Write {
		counts.DRAMWriteRequests++
		counts.DRAMWriteSectors += sectors
		counts.ECCWriteSectors += uint64(r.check)
	} else {
		counts.DRAMReadRequests++
		counts.DRAMReadSectors += sectors
		counts.ECCReadSectors += uint64(r.check)
	}
}

// Pass books the path to L2 for a request's sectors, whose last has passed the bus at done. It returns when they are through and how long
// they take.
func (c *Channel) Pass(r *Served, done engine.Cycle) (through engine.Cycle, takes engine.SubCycle) {
	takes = engine.SubCycle(r.moved()) * c.sector
	c.path = max(engine.SubCycles(done), c.path+takes)
	return c.path.Up(), takes
}

// openAhead opens the row of a waiting request, so that it is open when the request is chosen.
func (c *Channel) openAhead(queue *Queue, now engine.Tick) {
	if queue.total == queue.Len() {
		return // every row is open
	}
	if chosen := c.scheduler.OpenAhead(c, queue, queue.wanted, now); chosen >= 0 {
		c.openRow(queue.At(chosen), now)
	}
}
