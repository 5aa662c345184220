package report

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Launches get the kind of their busiest unit.
func TestKindsOfLaunches(t *testing.T) {
	of := func(change func(*stats.Launch)) Kind {
		l := roofed()
		l.SMXs[0].ActiveCycles, l.SMXs[0].SchedulerCycles = 1000, 4000
		l.SMXs[0].InstExecuted, l.SMXs[0].ThreadInstExecuted = 100, 3200
		change(l)
		l.Sum()
		return KindOf(l)
	}
	for _, c := range []struct {
		want   Kind
		change func(*stats.Launch)
	}{
		{ComputeBound, func(l *stats.Launch) { l.SMXs[0].IssuedSingle = 3900 }},
		{MemoryBound, func(l *stats.Launch) { l.SMXs[0].LoadStoreCycles[isa.ClassGlobal] = 950 }},
		{SharedBound, func(l *stats.Launch) { l.SMXs[0].LoadStoreCycles[isa.ClassShared] = 950 }},
		{Divergent, func(l *stats.Launch) { l.SMXs[0].IssuedSingle, l.SMXs[0].ThreadInstExecuted = 3900, 1000 }},
		{Spilling, func(l *stats.Launch) { l.SMXs[0].LoadStoreCycles[isa.ClassLocal], l.SpillBytes = 950, 16 }},
	} {
		assert.Equal(t, c.want, of(c.change))
	}
}

// Programs, not rows, have equal weight. The expected figures are computed by hand.
func TestTrustWeighsPrograms(t *testing.T) {
	rows := []ErrorRow{{Name: "a", Program: "stream", Kind: MemoryBound, Error: 2}, {Name: "b", Program: "fft", Kind: MemoryBound,
		Error: -40}}
	for i := range 30 {
		rows = append(rows, ErrorRow{Name: "s" + string(rune('a'+i)), Program: "stream", Kind: MemoryBound, Error: 2})
	}
	rows = append(rows, ErrorRow{Name: "t", Program: "sort", Kind: MemoryBound, Error: 12})
	got := summarise(rows, MemoryBound)
	assert.Equal(t, 3, got.Programs)
	assert.Equal(t, 33, got.Rows)
	assert.InDelta(t, 18, got.Mean, 1e-9)
	assert.InDelta(t, 12, got.Typical, 1e-9)
	assert.InDelta(t, 40, got.NineInTen, 1e-9)

	// Few programs of a kind promise no less error than all kinds have, and no program means not validated.
	few := expected(append(rows, ErrorRow{Name: "c", Program: "nbody", Kind: ComputeBound, Error: 5}), ComputeBound)
	assert.True(t, few.Validated)
	assert.InDelta(t, 40, few.NineInTen, 1e-9)
	none := expected(rows, AtomicBound)
	assert.False(t, none.Validated)
	assert.Equal(t, "kernels bound by atomics", none.Reason)
	assert.InDelta(t, 40, none.Typical, 1e-9)
}

func TestErrorsOfValidationAreWritten(t *testing.T) {
	rows := []ErrorRow{{"c", "p", "GK110", "", ComputeBound, 30}, {"a", "q", "GK210", "clocks.core=875", MemoryBound, 10}}
	var out bytes.Buffer
	require.NoError(t, WriteErrors(&out, rows))
	assert.Equal(t, "row,program,chip,set,kind,error_percent\na,q,GK210,clocks.core=875,memory,10.0\nc,p,GK110,,compute,30.0\n",
		out.String())
	_, err := ReadErrors(strings.NewReader("row,program,chip,set,kind,error_percent\na,p,GK110,,heavy,1\n"))
	require.ErrorContains(t, err, "line 2")
	_, err = ReadErrors(strings.NewReader("row,kind,error_percent\na,memory,1\n"))
	require.ErrorContains(t, err, "first line")
}

// On the blind rows, with each row's error promised from other programs, the promised mean is within 1.3 times the true one for each kind,
// weighted by program. It may be larger for a kind of fewer than four programs. The choice of blind rows is arbitrary: their names'
// SHA-256 end in a set bit.
func TestTrustHoldsOnBlindRows(t *testing.T) {
	blind := func(r *ErrorRow) bool {
		sum := sha256.Sum256([]byte(r.Name))
		return sum[len(sum)-1]&1 == 1
	}
	for _, kind := range []Kind{MemoryBound, ComputeBound, SharedBound, Spilling} {
		of := map[string]float64{}
		for _, r := range errorRows() {
			if r.Kind == kind && blind(&r) {
				of[r.Program]++
			}
		}
		promised, truth, within, count, own := 0.0, 0.0, 0.0, 0.0, true
		for _, r := range errorRows() {
			if r.Kind != kind || !blind(&r) {
				continue
			}
			others := slices.DeleteFunc(slices.Clone(errorRows()), func(o ErrorRow) bool { return o.Program == r.Program })
			p, weight := expected(others, kind), 1/of[r.Program]
			own = own && p.Programs >= fewestPrograms
			promised += weight * p.Mean
			truth += weight * math.Abs(r.Error)
			if math.Abs(r.Error) <= p.NineInTen {
				within += weight
			}
			count += weight
		}
		require.Positive(t, count, kind)
		t.Logf("%s: %.0f programs, promised mean %.1f %%, true %.1f %%; %.0f %% within the promised 9 in 10",
			kind, count, promised/count, truth/count, 100*within/count)
		if own { // otherwise the promise is the wider of two figures
			assert.Less(t, promised, 1.3*truth, kind)
		}
		assert.Less(t, truth, 1.3*promised, kind)
	}
}

// The expected error of launches, by what they do and what they run on.
func TestTrustOfLaunches(t *testing.T) {
	stream := func() *stats.Launch {
		l := roofed()
		l.Chip.Config, l.Chip.Base, l.Chip.Name, l.Chip.Overrides = "k40", "k40", "GK110B", nil
		l.SMXs[0].ActiveCycles, l.SMXs[0].ActiveWarpCycles = 1000, 20_000
		l.SMXs[0].InstExecuted, l.SMXs[0].ThreadInstExecuted, l.SMXs[0].LoadStoreCycles[isa.ClassGlobal] = 100, 3200, 950
		l.Chip.DRAMChannels, l.Chip.L2Slices = 6, 6
		l.Sum()
		return l
	}
	of := func(change func(*stats.Launch)) Trust {
		l := stream()
		change(l)
		got, ok := TrustOf(l)
		require.True(t, ok)
		require.NotEmpty(t, got.Text)
		return got
	}
	accesses := func(kind stats.AccessKind) []stats.SourceCount {
		var s stats.SourceCount
		s.AddAccesses(kind, &stats.AccessCount{Traffic: stats.Traffic{Requests: 100}})
		return []stats.SourceCount{s}
	}
	plain := of(func(*stats.Launch) {})
	require.True(t, plain.Validated, plain.Text)
	assert.Contains(t, plain.Text, "expect about ")
	for reason, change := range map[string]func(*stats.Launch){
		"generic pointers into shared memory": func(l *stats.Launch) {
			l.StaticShared, l.Source = 1024, accesses(stats.AccessGenericLoad)
		},
		"texture reads": func(l *stats.Launch) { l.Source = accesses(stats.AccessTextureRead) },
		"one hot line of L2": func(l *stats.Launch) {
			l.Memory.L2Slices = stats.Busy{Sum: 1.1 * float64(l.Cycles), Most: 0.9 * float64(l.Cycles)}
		},
		"a single warp at a time": func(l *stats.Launch) { l.Total.ActiveWarpCycles = l.Total.ActiveCycles },
		"narrow strides on a 256-bit board": func(l *stats.Launch) {
			l.Chip.DRAMChannels, l.Total.GlobalStore = 4, stats.Traffic{Requests: 100, Sectors: 3200, Bytes: 12_800}
		},
		"heavy spilling": func(l *stats.Launch) {
			l.SpillBytes, l.SMXs[0].LoadStoreCycles[isa.ClassLocal] = 400, 950
			l.Sum()
			l.Total.ActiveWarpCycles = 20 * l.Total.ActiveCycles
		},
	} {
		got := of(change)
		assert.False(t, got.Validated, reason)
		assert.Equal(t, reason, got.Reason)
		assert.Greater(t, got.Typical, plain.Typical, reason)
		assert.Greater(t, got.NineInTen, plain.NineInTen, reason)
	}
	for reason, change := range map[string]func(*stats.Launch){
		"the configuration gm204 is not one that comes with the simulator": func(l *stats.Launch) {
			l.Chip.Config,
				l.Chip.Base = "gm204", ""
		},
		"no published times of a GK208 were compared": func(l *stats.Launch) { l.Chip.Name = "GK208" },
		"no card was measured with another smx.scheduler": func(l *stats.Launch) {
			l.Chip.Overrides = []string{"clocks.core=875", "smx.scheduler=gto"}
		},
	} {
		got := of(change)
		assert.False(t, got.Validated)
		assert.Equal(t, reason, got.Reason)
		assert.Zero(t, got.Typical, "nothing is promised")
		assert.NotContains(t, got.Text, "expect")
	}
	assert.Equal(t, plain, of(func(l *stats.Launch) { l.Chip.Overrides = []string{"dram.ecc=false"} }), "rows have that key")
	l := stream()
	l.Functional = true
	_, ok := TrustOf(l)
	assert.False(t, ok)
}

// The table in docs/validation.md agrees with reports about launches of each kind.
func TestPromisesStandInTheDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/validation.md")
	require.NoError(t, err)
	for _, kind := range []Kind{MemoryBound, SharedBound, ComputeBound, Spilling} {
		p := expected(errorRows(), kind)
		row := fmt.Sprintf("| %s | %.0f %% | %.0f %% |", kind, p.Typical, p.NineInTen)
		assert.True(t, strings.Contains(string(page), row), "docs/validation.md has no row %s", row)
	}
}
