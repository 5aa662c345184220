package validation

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// loadPath is a path of loads to memory: the PTX of the load and its context.
type loadPath struct {
	load    string // {v} the loaded word, {o} the byte offset as 64 bits, {x} the offset's words for the lane that loads
	module  string // PTX outside the kernel
	declare string // PTX before the first instruction
	base    string // PTX that sets %base
	lanes   bool   // the words of a 128-byte line belong to the lanes
}

// The sizes in bytes that chases can walk in constant and local memory.
const (
	constantReach = 64 << 10
	localReach    = 8192 * 32 // of a warp: 8 KB a thread
)

// loadPaths are the paths of loads, by name.
var loadPaths = map[string]loadPath{
	"global.cg": {load: "ld.global.cg.u32 {v}, [{o}];", base: "mov.u64 %base, %data;"},
	"global.ca": {load: "ld.global.ca.u32 {v}, [{o}];", base: "mov.u64 %base, %data;"},
	"read-only": {load: "ld.global.nc.u32 {v}, [{o}];", base: "mov.u64 %base, %data;"},
	"constant": {load: "ld.const.u32 {v}, [{o}];", module: fmt.Sprintf(".const .align 256 .b8 table[%d];", constantReach),
		base: "mov.u64 %base, table;"},
	// Word n of lane i is byte 128·n + 4·i of the warp's local memory.
	"local": {load: "@%mine ld.local.u32 {v}, [{o}];", declare: fmt.Sprintf(".local .align 16 .b8 frame[%d];", localReach/32),
		base: "mov.u64 %base, frame;", lanes: true},
}

// latenciesText is a fine-grained chase, after Mei and Chu: it times every single load by %clock, and nothing else uses the caches. The
// offsets to load from, in units, are in shared memory; the last pass replaces them by the latencies. Data dependences order the two clock
// readings: the address depends on the first, and the loaded word predicates the second. Settings come from memory, so that the loop reads
// no constants. They are count, passes, shift (offsets are in units of 1 << shift bytes), and scatter (a mask: the number of lines, minus
// one, by which loads are moved at random). A 0 and a 1 follow that the compiler cannot know, and the addresses of the data and of the
// offsets.
const latenciesText = `.version 4.2
.target %s
.address_size 64
.extern .shared .align 16 .b8 list[];
%s
.visible .entry latencies(.param .u64 settings)
{
	.reg .b16 %%h<2>;
	.reg .b32 %%lane, %%i, %%count, %%passes, %%shift, %%scatter, %%zero, %%one, %%list, %%at, %%off, %%from, %%till, %%v, %%t<4>;
	.reg .b64 %%settings, %%offsets, %%data, %%base, %%address, %%l<4>;
	.reg .pred %%mine, %%p, %%q, %%last;
	%s
	ld.param.u64 %%settings, [settings];
	ld.global.cg.u64 %%data, [%%settings+24];
	ld.global.cg.u64 %%offsets, [%%settings+32];
	ld.global.cg.u32 %%count, [%%settings];
	ld.global.cg.u32 %%passes, [%%settings+4];
	ld.global.cg.u32 %%shift, [%%settings+8];
	ld.global.cg.u32 %%scatter, [%%settings+12];
	ld.global.cg.u32 %%zero, [%%settings+16];
	ld.global.cg.u32 %%one, [%%settings+20];
	mov.u32 %%lane, %%tid.x;
	mov.u32 %%list, list;
	mov.u32 %%v, 0;
	mov.u32 %%i, %%lane;
COPY:
	mul.wide.u32 %%l0, %%i, 8;
	add.u64 %%l1, %%offsets, %%l0;
	ld.global.cg.u64 %%l2, [%%l1];
	shl.b32 %%t0, %%i, 3;
	add.u32 %%t0, %%t0, %%list;
	st.shared.u64 [%%t0], %%l2;
	add.u32 %%i, %%i, 32;
	shl.b32 %%t1, %%i, 2;
	setp.lt.u32 %%p, %%t1, %%count;
	@%%p bra COPY;
	bar.sync 0;
	%s
PASS:
	setp.eq.u32 %%last, %%passes, 1;
	mov.u32 %%i, 0;
	mov.u32 %%at, %%list;
STEP:
	ld.shared.u16 %%h0, [%%at];
	cvt.u32.u16 %%off, %%h0;
	cvt.u64.u32 %%l0, %%off;
	shl.b64 %%l0, %%l0, %%shift;
	mul.lo.u32 %%t0, %%off, 40503;
	shr.u32 %%t0, %%t0, 8;
	and.b32 %%t0, %%t0, %%scatter;
	shl.b32 %%t0, %%t0, 7;
	cvt.u64.u32 %%l1, %%t0;
	add.u64 %%l0, %%l0, %%l1;
%s	add.u64 %%l0, %%base, %%l0;
	mov.u32 %%from, %%clock;
	and.b32 %%t0, %%from, %%zero;
	cvt.u64.u32 %%l1, %%t0;
	add.u64 %%address, %%l0, %%l1;
	%s
	setp.ne.u32 %%q, %%v, %%one;
	@%%q mov.u32 %%till, %%clock;
	sub.u32 %%t1, %%till, %%from;
	min.u32 %%t1, %%t1, 65535;
	cvt.u16.u32 %%h1, %%t1;
	@%%last st.shared.u16 [%%at], %%h1;
	add.u32 %%at, %%at, 2;
	add.u32 %%i, %%i, 1;
	setp.lt.u32 %%p, %%i, %%count;
	@%%p bra STEP;
	add.u32 %%passes, %%passes, -1;
	setp.ne.u32 %%p, %%passes, 0;
	@%%p bra PASS;
	bar.sync 0;
	mov.u32 %%i, %%lane;
BACK:
	shl.b32 %%t0, %%i, 3;
	add.u32 %%t0, %%t0, %%list;
	ld.shared.u64 %%l2, [%%t0];
	mul.wide.u32 %%l0, %%i, 8;
	add.u64 %%l1, %%offsets, %%l0;
	st.global.u64 [%%l1], %%l2;
	add.u32 %%i, %%i, 32;
	shl.b32 %%t1, %%i, 2;
	setp.lt.u32 %%p, %%t1, %%count;
	@%%p bra BACK;
	ret;
}
`

// laneText splits an offset into the warp's local memory into the lane with the word and the thread's own offset.
const laneText = `	cvt.u32.u64 %t2, %l0;
	shr.u32 %t3, %t2, 2;
	and.b32 %t3, %t3, 31;
	setp.eq.u32 %mine, %t3, %lane;
	shr.u32 %t2, %t2, 7;
	shl.b32 %t2, %t2, 2;
	cvt.u64.u32 %l0, %t2;
`

// mostLoads is the most loads in one pass of a chase: the number of 16-bit words in shared memory.
const mostLoads = 48 << 10 / 2

// prober measures latencies of single loads on a board. Every probe uses a new board with empty caches.
type prober struct {
	config      *configs.Config
	path        string
	cacheConfig string // the split of shared memory and L1
	// scatter is a power of two: each load uses a random one of that many lines from its offset on. Loads of many pages need this, or they
	// would fall into one set of L2. 0 means 1.
	scatter int
}

// alignment is the alignment of the memory that chases walk: whole pages. It also gives each slice of L2 equally many chunks if the number
// of slices is a power of two or three times one.
const alignment = 12 << 20

// latencies loads from the offsets one after another, passes times, and returns the latency of each load in the last pass, in cycles.
func (p *prober) latencies(ctx context.Context, offsets []int64, passes int) ([]int, error) {
	way, ok := loadPaths[p.path]
	if !ok {
		return nil, fmt.Errorf("no path %q to memory", p.path)
	}
	if len(offsets) == 0 || len(offsets) > mostLoads {
		return nil, fmt.Errorf("a chase of %d loads: there is room for 1 to %d", len(offsets), mostLoads)
	}
	b, err := newBench(p.config, sim.Options{CacheConfig: p.cacheConfig})
	if err != nil {
		return nil, err
	}
	list, shift, err := packOffsets(offsets)
	if err != nil {
		return nil, err
	}
	lane := ""
	if way.lanes {
		lane = laneText
	}
	load := strings.NewReplacer("{v}", "%v", "{o}", "%address").Replace(way.load)
	text := fmt.Sprintf(latenciesText, b.target(), way.module, way.declare, way.base, lane, load)
	module, err := b.gpu.Load("latencies.ptx", []byte(text))
	if err != nil {
		return nil, err
	}
	scatter := max(p.scatter, 1) - 1
	reach := alignment + int64(scatter)*128 + 4
	if strings.HasPrefix(way.load, "ld.global") {
		reach += slices.Max(offsets)
	}
	data, err := b.gpu.Allocate("data", uint64(reach))
	if err != nil {
		return nil, err
	}
	data = (data + alignment - 1) / alignment * alignment
	at, err := b.upload("offsets", list)
	if err != nil {
		return nil, err
	}
	var words []byte
	for _, w := range []uint32{uint32(len(offsets)), uint32(passes), shift, uint32(scatter), 0, 1} {
		words = binary.LittleEndian.AppendUint32(words, w)
	}
	settings, err := b.upload("settings", binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(words, data), at))
	if err != nil {
		return nil, err
	}
	b.shared = len(list)
	_, err = b.launch(ctx, module, "latencies", [3]int{1}, [3]int{32}, []uint64{settings})
	if err != nil {
		return nil, err
	}
	if err := b.gpu.Read(at, list); err != nil {
		return nil, err
	}
	result := make([]int, len(offsets))
	for i := range result {
		result[i] = int(binary.LittleEndian.Uint16(list[2*i:]))
	}
	return result, nil
}

// packOffsets writes offsets as 16-bit multiples of the largest unit that divides them all, padded to 8 bytes for each of 32 lanes.
func packOffsets(offsets []int64) (list []byte, shift uint32, err error) {
	all := int64(0)
	for _, o := range offsets {
		all |= o
	}
	if all != 0 {
		shift = uint32(bits.TrailingZeros64(uint64(all)))
	}
	list = make([]byte, (2*len(offsets)+255)&^255)
	for i, o := range offsets {
		if o < 0 || o>>shift > 65535 {
			return nil, 0, fmt.Errorf("a chase of offset %d in units of %d bytes", o, int64(1)<<shift)
		}
		binary.LittleEndian.PutUint16(list[2*i:], uint16(o>>shift))
	}
	return list, shift, nil
}

// upload allocates device memory and fills it with data.
func (b *bench) upload(name string, data []byte) (address uint64, err error) {
	if address, err = b.gpu.Allocate(name, uint64(len(data))); err != nil {
		return 0, err
	}
	return address, b.gpu.Write(address, data)
}
