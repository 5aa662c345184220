package device

import (
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memory"
)

// lineBytes is what a copy engine moves with one request.
const lineBytes = configs.LineBytes

// transfer is a copy or memset in progress: while grids run, its lines go through L2 and DRAM beside theirs. Alone it takes the time that
// its command says, which the measured rates of such copies are made of.
type transfer struct {
	command *hyperq.Command
	port    *memory.Port
	account int32
	lines   uint64 // of the ranges, read and written
	sent    uint64 // or let go by in time without cycles
	stalled uint64 // lines that had no room when they were due
	reading uint64 // of lines, those that are read
}

// beginTransfer notes a command that moves bytes of the device's memory.
func (d *Device) beginTransfer(c *hyperq.Command) {
	reads, writes := (c.Reads.Bytes+lineBytes-1)/lineBytes, (c.Writes.Bytes+lineBytes-1)/lineBytes
	if reads+writes == 0 || c.Duration == 0 {
		return
	}
	by := d.config.Copies.Engines // what moves within the memory
	if c.Kind == hyperq.Copy {
		by = c.Engine
	}
	for _, g := range d.grids {
		g.Alone = false
	}
	for _, t := range d.trees {
		t.root.Alone = false
	}
	d.commands.traffic = append(d.commands.traffic, &transfer{
		command: c, port: d.settled().Port(d.config.SMX.Count + by), account: d.memory.CopyAccount(by), lines: reads + writes,
		reading: reads,
	})
}

// move sends what the transfers move from one cycle up to, not including, another.
func (d *Device) move(from, until engine.Cycle) {
	for _, t := range d.commands.traffic {
		t.port.Receive(from) // nobody looks at the responses
		begin, span := t.command.Start, until-from
		due := func(at Time) uint64 {
			return uint64(float64(t.lines) * min(1, max(0, float64(at-begin)/float64(t.command.Duration))))
		}
		first, last := due(d.CycleTime(from)), due(d.CycleTime(until))
		t.sent = max(t.sent, first) // what fell into time without cycles has passed
		count := last - min(last, first)
		for i := range count {
			if t.port.Outstanding() >= d.config.Copies.Outstanding {
				t.stalled++
				continue
			}
			t.send(from+engine.Cycle(uint64(span)*i/count), first+i)
		}
	}
}

// send asks L2 for a line, or gives it one. Reads and writes of a copy within the memory take turns.
func (t *transfer) send(at engine.Cycle, line uint64) {
	r := memory.Request{Issued: at, Account: t.account, Source: memory.SourceCopy, Sectors: 0xf, PC: cache.Unknown, Warp: cache.Unknown}
	writing := t.lines - t.reading
	switch {
	case writing == 0 || t.reading > 0 && line%2 == 0 && line/2 < t.reading:
		r.Kind, r.Line = memory.RequestFill, t.command.Reads.Address+line*t.reading/t.lines*lineBytes
	default:
		r.Kind, r.Line = memory.RequestWriteBack, t.command.Writes.Address+line*writing/t.lines*lineBytes
	}
	r.Line &^= lineBytes - 1
	t.port.Send(r)
}

// endTransfer returns how much longer a command takes since its lines had to wait; 0 ends it.
func (d *Device) endTransfer(c *hyperq.Command) Time {
	for i, t := range d.commands.traffic {
		if t.command != c {
			continue
		}
		if late := Time(float64(c.Duration) * float64(t.stalled) / float64(t.lines)); late > 0 {
			t.stalled = 0
			return late
		}
		d.commands.traffic = slices.Delete(d.commands.traffic, i, i+1)
		break
	}
	return 0
}
