package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// bank is one bank: its open row, and when it can take commands.
type bank struct {
	row       int64       // open row, -1 for none
	column    engine.Tick // earliest column command to the open row
	precharge engine.Tick // earliest precharge
	activate  engine.Tick // earliest activate
	group     int         // its bank group
}

// banks are the banks of a channel and the timing constraints between them.
type banks struct {
	timing     configs.DRAMTiming
	burstTicks engine.Tick
	spacing    engine.Tick // between two bursts of different bank groups

	list       []bank
	groupLast  []engine.Tick  // last column command of each bank group
	lastColumn engine.Tick    // last column command
	lastRead   engine.Tick    // last read command
	writeEnd   engine.Tick    // end of the last write's data
	lastActs   [4]engine.Tick // the last four activates, a ring
	act        int
}

// longAgo is a time before every command.
const longAgo = engine.Tick(-1 << 40)

func newBanks(d *configs.DRAM) banks {
	b := banks{
		timing: d.Timing, burstTicks: max(1, engine.Tick(d.Burst/(d.TransfersPerClock*d.ClockDivider))),
		list: make([]bank, d.Banks), groupLast: make([]engine.Tick, max(1, d.BankGroups)),
		lastColumn: longAgo, lastRead: longAgo, writeEnd: longAgo, lastActs: [4]engine.Tick{longAgo, longAgo, longAgo, longAgo},
	}
	b.spacing = max(engine.Tick(d.Timing.CCDShort), b.burstTicks)
	for i := range b.groupLast {
		b.groupLast[i] = longAgo
	}
	for i := range b.list {
		b.list[i] = bank{row: -1, column: longAgo, precharge: longAgo, activate: longAgo, group: i % len(b.groupLast)}
	}
	return b
}

// anyActivation returns the earliest activate that the constraints between banks allow. No command is earlier than now.
func (b *banks) anyActivation(now engine.Tick) engine.Tick {
	latest := b.lastActs[(b.act+3)&3]
	return max(now, latest+engine.Tick(b.timing.RRD), b.lastActs[b.act]+engine.Tick(b.timing.FAW))
}

// activation returns the earliest activate of a bank if no other bank comes between. any is the result of anyActivation, precharge the time
// to close a row. No command is earlier than now.
func (at *bank) activation(any, now, precharge engine.Tick) engine.Tick {
	tick := max(any, at.activate)
	if at.row >= 0 {
		tick = max(tick, max(now, at.precharge)+precharge)
	}
	return tick
}

// open activates a row in a bank, not before now; false if it is open already.
func (b *banks) open(at *bank, row int64, now engine.Tick) bool {
	if at.row == row {
		return false
	}
	tick := at.activation(b.anyActivation(now), now, engine.Tick(b.timing.RP))
	b.lastActs[b.act] = tick
	b.act = (b.act + 1) & 3
	at.row = row
	at.column = tick + engine.Tick(b.timing.RCD)
	at.precharge = tick + engine.Tick(b.timing.RAS)
	at.activate = tick + engine.Tick(b.timing.RC)
	return true
}

// close precharges a bank as soon as its last access allows.
func (b *banks) close(at *bank) {
	at.row = -1
	at.activate = max(at.activate, at.precharge+engine.Tick(b.timing.RP))
}

// columnAt returns the earliest command of a request's next burst. Its row is open or opening.
func (b *banks) columnAt(r *Request, now engine.Tick) engine.Tick {
	at := &b.list[r.Bank]
	tick := max(now, at.column, b.lastColumn+b.spacing, b.groupLast[at.group]+engine.Tick(b.timing.CCDLong))
	if r.Write {
		return max(tick, b.lastRead+engine.Tick(b.timing.RTW))
	}
	return max(tick, b.writeEnd+engine.Tick(b.timing.WTR))
}

// column reads or writes one burst of a request and returns when its data end.
func (b *banks) column(r *Request, now engine.Tick) engine.Tick {
	tick := b.columnAt(r, now)
	at := &b.list[r.Bank]
	b.lastColumn, b.groupLast[at.group] = tick, tick
	if r.Write {
		b.writeEnd = tick + engine.Tick(b.timing.CWL) + b.burstTicks
		at.precharge = max(at.precharge, b.writeEnd+engine.Tick(b.timing.WR))
		return b.writeEnd
	}
	b.lastRead = tick
	at.precharge = max(at.precharge, tick+engine.Tick(b.timing.RTP))
	return tick + engine.Tick(b.timing.CL) + b.burstTicks
}
