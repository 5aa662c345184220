package recording

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/testkit/executions"
)

// parts are a small recording with an entry of each kind.
func parts() (*Header, []Part) {
	h := &Header{
		Workload: "w", Config: "gk110", Window: Window{From: 5, To: 90}, SMXs: []int{3}, Stalls: []string{"a"},
		Kernels: []Kernel{{Symbol: "k", Name: "k", Ops: []Operation{{Text: "NOP", Class: "none"}, {Text: "LD.E R1 : R2",
			Writes: []int{1}}}}},
		Grids: []Grid{{ID: 7, Dim: [3]uint32{4, 1, 1}, Threads: [3]uint32{64, 1, 1}, Start: 10, End: 500}},
	}
	block := &observe.Block{Number: 2, SMX: 3}
	block.Warps = []observe.Warp{{Block: block, Scheduler: 1, Slot: 4}, {Block: block, Index: 1, Scheduler: 2, Slot: 63}}
	first, second := &block.Warps[0], &block.Warps[1]
	var e, m Encoder
	e.BlockStart(20, 0, block)
	e.Issue(&observe.Issue{Cycle: 30, Warp: first, Active: ^uint32(0), Mask: ^uint32(0)})
	e.Issue(&observe.Issue{Cycle: 30, Warp: first, Op: 1, Active: 0xff, Mask: 0xf, Second: true})
	e.Stall(&observe.Stall{From: 21, To: 30, Warp: second, Op: 1, Reason: stats.StallShared, For: observe.EntryPredicate})
	e.Stall(&observe.Stall{From: 31, To: 32, Warp: second, For: observe.None})
	e.Replay(&observe.Replay{Cycle: 30, Warp: first, Op: 1, Slots: 3})
	a := &exec.Access{Kind: exec.AccessStore, Space: isa.SpaceGlobal, Bytes: 4, Active: 0b1010}
	a.Address[1], a.Address[3], a.Address[4] = math.MaxUint64, 16, 99
	e.Access(&observe.Access{Cycle: 30, Warp: first, Op: 1, Tag: 9, Access: a})
	e.Lookup(&observe.Lookup{Cycle: 30, Warp: first, Op: 1, Tag: 9, Source: stats.SourceLocal, Line: 128, Sectors: 3,
		Found: observe.Merged})
	e.Answer(&observe.Answer{Cycle: 80, Issued: 30, Warp: first, Op: 1})
	e.Barrier(0, &observe.Barrier{Cycle: 81, Block: block, Warp: second, Op: 0, ID: 1, Mask: 3, Live: 7})
	e.Barrier(0, &observe.Barrier{Cycle: 82, Block: block, ID: 1})
	e.BlockEnd(85, 0, block)
	m.Flight(&observe.Flight{
		SMX: 3, Kind: stats.RequestFill, Source: stats.SourceLocal, Tag: 9, Sectors: 5, Lanes: 6, Line: 256, Op: -1,
		Warp: -1, Slice: 2,
		Issued: 31, Departed: 33, Arrived: 40, Served: 41, Filled: 70, Ready: 80, Found: observe.Missed, Row: stats.RowConflict,
	})
	m.Burst(&observe.Burst{Decided: 50, Done: 70, Channel: 1, Bank: 2, Row: 3, State: stats.RowConflict, Write: true, Slice: 2,
		Sectors: 4, Line: 64})
	return h, []Part{{SMX: 3, Encoder: &e}, {SMX: -1, Encoder: &m}}
}

// sample is a file with this recording.
func sample(t testing.TB) []byte {
	t.Helper()
	h, all := parts()
	var out bytes.Buffer
	require.NoError(t, Write(&out, h, all))
	return out.Bytes()
}

// A recording assembled without a file equals one read from a file.
func TestAssembled(t *testing.T) {
	want, err := Read(bytes.NewReader(sample(t)))
	require.NoError(t, err)
	got, err := Assemble(parts())
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// A written recording reads back the same.
func TestWrittenRecordingsAreRead(t *testing.T) {
	r, err := Read(bytes.NewReader(sample(t)))
	require.NoError(t, err)
	assert.Equal(t, "w", r.Workload)
	assert.Equal(t, Window{5, 90}, r.Window)
	assert.Equal(t, uint64(7), r.Grids[0].ID)
	require.Len(t, r.Tracks, 1)
	assert.Equal(t, &Track{
		SMX:    3,
		Blocks: []Block{{Number: 2, Start: 20, End: 85, Count: 2}},
		Warps:  []Warp{{Scheduler: 1, Slot: 4}, {Index: 1, Scheduler: 2, Slot: 63}},
		Issues: []Issue{{Cycle: 30, Active: ^uint32(0), Mask: ^uint32(0)}, {Cycle: 30, Op: 1, Active: 0xff, Mask: 0xf,
			Second: true}},
		Stalls: []Stall{{From: 21, To: 30, Warp: 1, Op: 1, Reason: stats.StallShared, For: observe.EntryPredicate},
			{From: 31, To: 32, Warp: 1, For: observe.None}},
		Replays: []Replay{{Cycle: 30, Op: 1, Slots: 3}},
		Accesses: []Access{{Cycle: 30, Op: 1, Tag: 9, Kind: exec.AccessStore, Space: isa.SpaceGlobal, Bytes: 4, Active: 0b1010,
			Addresses: []uint64{math.MaxUint64, 16}}},
		Lookups:  []Lookup{{Cycle: 30, Op: 1, Tag: 9, Source: stats.SourceLocal, Found: observe.Merged, Line: 128, Sectors: 3}},
		Answers:  []Answer{{Cycle: 80, Issued: 30, Op: 1}},
		Barriers: []Barrier{{Cycle: 81, Warp: 1, ID: 1, Mask: 3, Lives: 7}, {Cycle: 82, Warp: -1, ID: 1}},
	}, r.Track(0, 3))
	require.Len(t, r.Memory, 1)
	assert.Equal(t, &Memory{
		Flights: []observe.Flight{{
			SMX: 3, Kind: stats.RequestFill, Source: stats.SourceLocal, Tag: 9, Sectors: 5, Lanes: 6, Line: 256, Op: -1,
			Warp: -1, Slice: 2,
			Issued: 31, Departed: 33, Arrived: 40, Served: 41, Filled: 70, Ready: 80, Found: observe.Missed,
			Row: stats.RowConflict,
		}},
		Bursts: []observe.Burst{{Decided: 50, Done: 70, Channel: 1, Bank: 2, Row: 3, State: stats.RowConflict, Write: true,
			Slice: 2, Sectors: 4, Line: 64}},
	}, r.Memory[0])
	assert.Nil(t, r.Track(0, 4))
	assert.Equal(t, "LD.E R1 : R2", r.Operation(r.Tracks[0], 0, 1).Text)
}

// Damaged files, other files and files of another version get an error that says so.
func TestDamagedRecordingsAreRefused(t *testing.T) {
	good := sample(t)
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("a kernel, and no recording of one"),
		"no header": append([]byte(magic), Version, 'E', 0, 0, 0, 0)} {
		_, err := Read(bytes.NewReader(data))
		assert.Error(t, err, name)
	}
	later := bytes.Clone(good)
	later[len(magic)] = 200
	_, err := Read(bytes.NewReader(later))
	assert.ErrorContains(t, err, "version 200")
	for n := range len(good) - 1 {
		_, err := Read(bytes.NewReader(good[:n]))
		assert.Error(t, err, "cut off at %d", n)
	}
}

// FuzzRead looks for files that break the reader.
func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Add([]byte(magic + "\x01H\x00\x00\x02\x0b"))
	executions.Fuzz(f, func(_ *testing.T, data []byte) {
		_, _ = Read(bytes.NewReader(data)) // an error is fine
	})
}

// FuzzTrack looks for tracks that break the reader, after a valid header.
func FuzzTrack(f *testing.F) {
	r, err := Read(bytes.NewReader(sample(f)))
	require.NoError(f, err)
	f.Add([]byte{1, 40, 0, 2, 2, 68, 191, 1})
	executions.Fuzz(f, func(_ *testing.T, data []byte) {
		_ = decodeTrack(&r.Header, &Track{}, data)
		_ = decodeMemory(&Memory{}, data)
	})
}
