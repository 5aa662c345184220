package main

import (
	"context"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// lines makes each thread add up the words of its own lines, one after another. A warp's 32 lines are 4 KB of L1: it hits there if no other
// warps come in between.
const lines = `.version 4.2
.target sm_35
.address_size 64
.visible .entry lines(.param .u64 in, .param .u32 count) {
	.reg .u32 %t, %b, %n, %w, %sum, %k; .reg .u64 %p, %o; .reg .pred %q;
	ld.param.u64 %p, [in];
	ld.param.u32 %n, [count];
	mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %w, %ntid.x;
	mad.lo.u32 %t, %b, %w, %t;
	shl.b32 %k, %n, 2;
	mul.wide.u32 %o, %t, %k;
	add.u64 %p, %p, %o;
	mov.u32 %sum, 0;
LOOP:
	ld.global.ca.u32 %w, [%p];
	add.u32 %sum, %sum, %w;
	add.u64 %p, %p, 4;
	sub.u32 %n, %n, 1;
	setp.ne.u32 %q, %n, 0;
	@%q bra LOOP;
	st.global.u32 [%p+-4], %sum;
	ret;
}
`

// run runs lines with a number of words a thread on one SMX that caches global loads in L1.
func run(t *testing.T, words, blocks, threads int, settings ...string) *stats.Launch {
	t.Helper()
	return runOn(t, 1, words, blocks, threads, settings...)
}

// runOn is run with a number of host threads.
func runOn(t *testing.T, hostThreads, words, blocks, threads int, settings ...string) *stats.Launch {
	t.Helper()
	config, err := configs.Load("gk110b", append([]string{
		"smx.count=1", "l1.global_loads=always", "l1.policy=lru", "shared_memory.cache_config=l1"}, settings...))
	check(t, err)
	gpu, err := sim.New(config, sim.Options{Threads: hostThreads})
	check(t, err)
	module, err := gpu.Load("lines.ptx", []byte(lines))
	check(t, err)
	in, err := gpu.Allocate("in", uint64(4*words*blocks*threads))
	check(t, err)
	launch, err := gpu.Launch(context.Background(), sim.Launch{
		Module: module, Kernel: "lines", Grid: [3]int{blocks}, Block: [3]int{threads},
		Parameters: binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, in), uint32(words)),
	})
	check(t, err)
	return launch
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hits is the hit rate in L1.
func hits(l *stats.Launch) float64 {
	c := l.Total.L1Global
	return float64(c.Hits) / float64(c.Accesses)
}

// A block of 32 warps reads 128 KB, more than L1 holds. Its warps advance together, under lrr and also under gto, where the warps of a
// block take turns. So each line is evicted before its warp uses it again. CCWS holds warps back until the others keep their lines (Rogers
// et al., section 5: fewer misses, and faster, than round robin and greedy-then-oldest).
func TestCCWSKeepsTheLocalityOfWarps(t *testing.T) {
	for _, other := range []string{"lrr", "gto"} {
		than, ccws := run(t, 32, 2, 1024, "smx.scheduler="+other), run(t, 32, 2, 1024, "smx.scheduler=ccws")
		if hits(than) > 0.1 || hits(ccws) < 0.7 {
			t.Errorf("L1 hits: %.2f under %s, %.2f under ccws", hits(than), other, hits(ccws))
		}
		if 2*ccws.Cycles > than.Cycles {
			t.Errorf("%d cycles under %s, %d under ccws", than.Cycles, other, ccws.Cycles)
		}
	}
}

// Blocks of two warps read 8 KB each. Round robin, in one level or two, runs all resident blocks together, and their lines exceed L1. OWL
// runs a group of blocks that fits (Jog et al., section 4: fewer misses in L1, and faster, than both).
func TestOWLServesFewBlocksAtATime(t *testing.T) {
	for _, other := range []string{"lrr", "two-level"} {
		than, owl := run(t, 32, 32, 64, "smx.scheduler="+other), run(t, 32, 32, 64, "smx.scheduler=owl")
		if hits(than) > 0.1 || hits(owl) < 0.7 {
			t.Errorf("L1 hits: %.2f under %s, %.2f under owl", hits(than), other, hits(owl))
		}
		if 2*owl.Cycles > than.Cycles {
			t.Errorf("%d cycles under %s, %d under owl", than.Cycles, other, owl.Cycles)
		}
	}
	one, four := run(t, 32, 8, 256, "smx.scheduler={name: owl, group: 1}"), run(t, 32, 8, 256, "smx.scheduler={name: owl, group: 4}")
	if hits(one) < 0.6 || hits(four) > 0.1 {
		t.Errorf("L1 hits: %.2f with groups of one block, which fits in L1, %.2f with groups of four, which do not", hits(one), hits(four))
	}
}

// If L1 thrashes, streaming makes loads bypass it.
func TestStreamingLoadsGoPastL1(t *testing.T) {
	all, some := run(t, 32, 2, 1024, "smx.scheduler=lrr"), run(t, 32, 2, 1024, "smx.scheduler=lrr", "l1.bypass=streaming")
	if 2*some.Total.L1Global.Accesses > all.Total.L1Global.Accesses {
		t.Errorf("%d lookups in L1 with bypass, %d without", some.Total.L1Global.Accesses, all.Total.L1Global.Accesses)
	}
}

// The number of host threads changes nothing: each SMX has its own policy state.
func TestThreadsChangeNothing(t *testing.T) {
	for _, policies := range [][]string{{"smx.scheduler=ccws", "l1.bypass=streaming"}, {"smx.scheduler=owl", "l1.prefetcher=pairs"}} {
		settings := append(policies, "smx.count=4")
		one, three := runOn(t, 1, 32, 8, 1024, settings...), runOn(t, 3, 32, 8, 1024, settings...)
		if one.Cycles != three.Cycles || !reflect.DeepEqual(one.Total, three.Total) {
			t.Errorf("%s: %d cycles on one thread, %d on three", policies, one.Cycles, three.Cycles)
		}
	}
}
