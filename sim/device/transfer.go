package device

import (
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memory"
)

// lineBytes is the size of a copy engine's request.
const lineBytes = configs.LineBytes

// transfer is a copy or memset in progress. While grids run, its lines compete with theirs in L2 and DRAM. Alone it takes the duration of
// its command, which comes from measured rates of such copies.
type transfer struct {
	command *hyperq.Command
	port    *memory.Port
	account int32
	lines   uint64 // lines to read and to write
	sent    uint64 // sent, or passed in time without cycles
	stalled uint64 // lines that found no room when they were due
	reading uint64 // lines to read
}

// beginTransfer begins the transfer of a command that moves bytes of device memory.
func (d *Device) beginTransfer(c *hyperq.Command) {
	reads, writes := (c.Reads.Bytes+lineBytes-1)/lineBytes, (c.Writes.Bytes+lineBytes-1)/lineBytes
	if reads+writes == 0 || c.Duration == 0 {
		return
	}
	by := d.config.Copies.Engines // the port of copies within the memory
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

// move sends the transfers' requests from one cycle to another, exclusive.
func (d *Device) move(from, until engine.Cycle) {
	for _, t := range d.commands.traffic {
		t.port.Receive(from) // drop the responses
		begin, span := t.command.Start, until-from
		due := func(at Time) uint64 {
			return uint64(float64(t.lines) * min(1, max(0, float64(at-begin)/float64(t.command.Duration))))
		}
		first, last := due(d.CycleTime(from)), due(d.CycleTime(until))
		t.sent = max(t.sent, first) // lines due in time without cycles have passed
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

// send sends the request for a line. Reads and writes of a copy within the memory take turns.
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

// endTransfer ends a command's transfer, or returns how much longer the command takes because its lines had to wait.
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
