package dram

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// With ECC on, a profiler on a K40c counts 2.0, 1.5 and 1.25 times the data for pieces of 1, 2 or 4 neighbouring sectors, each written long
// after its neighbours. These are matrix products in blocks of 8, 16 and 32 threads across, n = 512.
func TestCheckBitsOfPieces(t *testing.T) {
	for piece, published := range map[int]float64{1: 65060. / 32768, 2: 48867. / 32768, 4: 40840. / 32768} {
		c := newCheckBits(8, 1, 100, 2)
		data, check := 0, 0
		for i := range 1000 {
			for at := 0; at < 8; at += piece {
				data += piece
				check += c.sectors(&Request{Block: c.block(uint32(i%50*8 + at)), Write: true}, nil, engine.Tick((i*8+at)*1000))
			}
		}
		require.InEpsilon(t, published, float64(data+check)/float64(data), 0.01)
	}
	var off *checkBits
	require.Zero(t, off.sectors(&Request{}, nil, 0), "without ECC")
}

// Check bits serve waiting and soon following requests to the same block, but none of the other direction.
func TestCheckBitsAreShared(t *testing.T) {
	c := newCheckBits(8, 1, 100, 2)
	waiting := newQueue(&slots{}, 1, 2)
	for _, burst := range []uint32{4, 8} {
		slot := waiting.slots.take()
		waiting.slots.list[slot] = Request{Block: c.block(burst)}
		waiting.push(slot, false)
	}
	require.Equal(t, 1, c.sectors(&Request{Block: c.block(0)}, &waiting, 1000))
	require.True(t, waiting.At(0).checked)
	require.False(t, waiting.At(1).checked, "another block")
	require.Zero(t, c.sectors(waiting.At(0), &waiting, 5000))
	require.Zero(t, c.sectors(&Request{Block: c.block(7)}, nil, 1099))
	require.Equal(t, 1, c.sectors(&Request{Block: c.block(7), Write: true}, nil, 1099))
	require.Equal(t, 1, c.sectors(&Request{Block: c.block(7)}, nil, 1100))
}

// testChannel is one channel of a GK110 without refresh.
func testChannel(t testing.TB, overrides ...string) (*Channel, *stats.Memory) {
	cfg, err := configs.Load("gk110", append(overrides, "dram.timing.refi=100000"))
	require.NoError(t, err)
	ledger := openLedger()
	c, err := New(&cfg.DRAM, cfg.DRAM.Channels-1, 1, ledger)
	require.NoError(t, err)
	return c, ledger.Of(0)
}

// openLedger returns a ledger with an account 0.
func openLedger() *stats.Ledger {
	ledger := &stats.Ledger{}
	ledger.Set(0, &stats.Memory{})
	return ledger
}

// at returns a read or write of one sector of a row.
func at(bank, row uint32, arrived engine.Tick, write bool) Request {
	return Request{Bank: bank, Row: row, Sectors: 1, Arrived: arrived, Write: write}
}

// A read waits from its arrival to its decision, even while it is not visible because writes fill the queue.
func TestAReadWaitsInSightAndBehind(t *testing.T) {
	c, _ := testChannel(t)
	for i := range c.queueLimit {
		c.Enqueue(at(uint32(i%16), 0, 1000, true))
	}
	require.False(t, c.ReadWaits(), "writes alone")
	c.Enqueue(at(3, 5, 1000, false))
	require.Zero(t, c.reads.Len())
	require.True(t, c.ReadWaits(), "behind what the scheduler sees")
	now, read := engine.Tick(1000), false
	for c.Waiting() > 0 {
		require.Equal(t, !read, c.ReadWaits())
		decided, next := c.Decide(now)
		for _, r := range decided {
			read = read || !r.Write
		}
		now = next
	}
	require.True(t, read)
	require.False(t, c.ReadWaits())
}

// The times of single accesses follow from the standard's parameters.
func TestCommandTimes(t *testing.T) {
	c, _ := testChannel(t)
	p := c.timing
	decide := func(r Request) engine.Tick {
		c.Enqueue(r)
		decided, _ := c.Decide(r.Arrived)
		require.Len(t, decided, 1)
		return decided[0].Done - r.Arrived
	}
	require.EqualValues(t, p.RCD+p.CL+2, decide(at(0, 0, 1000, false)), "a closed bank: activate, read")
	require.EqualValues(t, p.CL+2, decide(at(0, 0, 2000, false)), "the row is open")
	require.EqualValues(t, p.CWL+2, decide(at(0, 0, 3000, true)), "a write")
	require.EqualValues(t, p.RP+p.RCD+p.CL+2, decide(at(0, 1, 4000, false)), "another row is open: precharge, activate, read")
	require.EqualValues(t, p.CL+2, decide(at(0, 1, 5000, false)))
}

// A closed row costs an activate each time, and no precharge. A row that waiting requests need stays open.
func TestClosedRows(t *testing.T) {
	c, counts := testChannel(t, "dram.row_policy=closed")
	p := c.timing
	for i, now := range []engine.Tick{1000, 2000, 3000} {
		c.Enqueue(at(0, uint32(i&1), now, false))
		decided, _ := c.Decide(now)
		require.EqualValues(t, p.RCD+p.CL+2, decided[0].Done-now)
	}
	require.EqualValues(t, 3, counts.RowMisses)
	c.Enqueue(at(0, 7, 4000, false))
	c.Enqueue(at(0, 7, 4000, false))
	c.Decide(4000)
	require.True(t, c.RowOpen(&Request{Row: 7}))
	c.Decide(4100)
	require.False(t, c.RowOpen(&Request{Row: 7}))
	require.EqualValues(t, 1, counts.RowHits)
}

// A stream keeps the bus busy, with whole lines and with one sector of each, because bank groups alternate. Lines of one bank group reach
// only the group's rate.
func TestStreamsFillTheBus(t *testing.T) {
	for _, test := range []struct {
		name     string
		sectors  uint8
		oneGroup bool
		ticks    float64 // for a burst
	}{{"lines", 0b1111, false, 2}, {"a sector of each line", 0b0100, false, 2}, {"one bank group", 0b1111, true, 3}} {
		c, counts := testChannel(t)
		now := engine.Tick(0)
		var done engine.Tick
		for i := range uint32(2000) { // two adjacent lines in a bank, 16 in a row
			bank := i / 2 % 16
			if test.oneGroup {
				bank = bank / 4 * 4
			}
			require.True(t, !test.oneGroup || c.list[bank].group == 0)
			c.Enqueue(Request{Bank: bank, Row: i / 256, Arrived: now, Sectors: test.sectors})
			for c.Waiting() > 40 {
				decided, next := c.Decide(now)
				done, now = max(done, decided[len(decided)-1].Done), next
			}
		}
		require.InEpsilon(t, test.ticks, float64(done)/float64(counts.DRAMReadSectors), 0.03, test.name)
		require.EqualValues(t, counts.DRAMReadSectors*2, counts.DRAMBusyTicks)
	}
}

// waitedFor serves requests to an open row for as long as they keep coming, and returns when one to another row was served.
func waitedFor(t *testing.T, overrides ...string) engine.Tick {
	c, _ := testChannel(t, overrides...)
	c.Enqueue(at(0, 0, 0, false))
	c.Decide(0)
	other := at(0, 1, 10, false)
	other.Line = 77
	now := engine.Tick(10)
	// A request to the open row always waits, or the channel would open the other ahead.
	c.Enqueue(at(0, 0, now, false))
	c.Enqueue(other)
	for range 200 {
		c.Enqueue(at(0, 0, now, false))
		decided, _ := c.Decide(now)
		for _, r := range decided {
			if r.Line == 77 {
				return now
			}
		}
		now += 10
	}
	t.Fatal("never served")
	return 0
}

// FR-FCFS prefers row hits to a request to a closed row, but not for ever.
func TestRowHitsPassUntilTheLimit(t *testing.T) {
	require.EqualValues(t, 510, waitedFor(t, "dram.starvation_limit=500"), "500 after it came")
	require.EqualValues(t, 20, waitedFor(t, "dram.scheduling=fcfs"), "in order: second after the one before it")
}

func TestUnknownPoliciesNameTheOthers(t *testing.T) {
	cfg, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	d := cfg.DRAM
	d.Scheduling = "frfcfs"
	_, err = New(&d, 0, 1, openLedger())
	require.EqualError(t, err, `no DRAM scheduling "frfcfs"; there are fcfs, fr-fcfs; did you mean fr-fcfs?`)
	d = cfg.DRAM
	d.RowPolicy = "shut"
	_, err = New(&d, 0, 1, openLedger())
	require.ErrorContains(t, err, `no row policy "shut"; there are closed, open`)
}

// Free slots are reused before new ones are made.
func TestSlotsAreTakenAgain(t *testing.T) {
	s := &slots{}
	first := []uint32{s.take(), s.take(), s.take()}
	s.vacant = append(s.vacant, first...)
	require.ElementsMatch(t, first, []uint32{s.take(), s.take(), s.take()})
	require.Len(t, s.list, 3)
	require.EqualValues(t, 3, s.take())
}
