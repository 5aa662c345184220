package runtime

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/need"
)

// ran is the outcome of a program's run.
type ran struct {
	out, messages string
	code          int
	session       *Session
}

// runProgram builds and runs a program of testdata.
func runProgram(t *testing.T, ctx context.Context, devices int, functional bool, input string, arguments []string, sources ...string) ran {
	t.Helper()
	return runWith(t, ctx, Options{Simulator: sim.Options{Functional: functional}}, devices, input, arguments, sources...)
}

// runWith is runProgram with options; it sets the devices and outputs.
func runWith(t testing.TB, ctx context.Context, o Options, devices int, input string, arguments []string, sources ...string) ran {
	t.Helper()
	b := Build{}
	for _, s := range sources {
		b.Sources = append(b.Sources, filepath.Join("testdata", "programs", s))
	}
	built, err := b.Program(ctx)
	require.NoError(t, err)
	t.Cleanup(built.Close)
	return runBuilt(t, ctx, o, built, devices, input, arguments)
}

// runBuilt runs a built program.
func runBuilt(t testing.TB, ctx context.Context, o Options, built *Built, devices int, input string, arguments []string) ran {
	t.Helper()
	var messages, out, errors bytes.Buffer
	o.Messages = &messages
	if len(o.Devices) == 0 {
		config, err := configs.Load("gk110", nil)
		require.NoError(t, err)
		o.Devices = slices.Repeat([]*configs.Config{config}, devices)
	}
	s, err := NewSession(o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	code, err := s.Run(
		ctx, Process{Path: built.Path, Name: "program", Arguments: arguments, Stdin: strings.NewReader(input), Stdout: &out,
			Stderr: &errors},
	)
	require.NoError(t, err)
	return ran{out: out.String(), messages: messages.String() + errors.String(), code: code, session: s}
}

// The expected outputs follow by hand from CUDA's rules. Most programs also compare their results with the host's.
func TestPrograms(t *testing.T) {
	need.Builder(t)
	for n, c := range []struct {
		sources   []string
		devices   int
		timed     bool
		input     string
		arguments []string
		code      int
		want      string
	}{
		{sources: []string{"vectoradd.cu"}, arguments: []string{"20000"}, timed: true, code: 3,
			want: "launched: no error\nhello from the device 20000\nGK110: bad 0 count 20 time 1\n"},
		{sources: []string{"jacobi.cu"}, want: "steps as on the host, error small\n"},
		{sources: []string{"graphs.cu"}, want: "t is captured: 1; end: cudaSuccess\n" +
			"8 nodes, 1 root, 8 edges\nlaunched: 7 5, 3 calls\nfactor 10: 31; back: 7\ncudaSuccess by hand: 4\n" +
			"another shape: cudaErrorGraphExecUpdateFailure 1; in a circle: cudaErrorInvalidValue\n" +
			"waiting: cudaErrorStreamCaptureUnsupported; told: 1, end: cudaErrorStreamCaptureInvalidated, no graph: 1\n" +
			"not joined: cudaErrorStreamCaptureUnjoined; twice: cudaErrorIllegalState; legacy: cudaErrorStreamCaptureUnsupported\n" +
			"malloc: 900 901 901\nrelaxed: 0 0 0\nrelaxed thread: 0 0 0\ndevice: 900 901 901\nlegacy: 906 901 901\n" +
			"memory of its own: 801 0 0\nanother thread: 0 0 0\nconstant: 0 0 0\nbefore the launch: 0, after: 2\n"},
		// 49,152 bytes of shared memory in units of 256 hold three blocks of 16,384.
		{sources: []string{"graphnodes.cu"}, want: "1 before, 2 after, 1\n5, called 1\n0x1010101, called 11, enabled 0, " +
			"bytes that differ: " +
			"cudaSuccess\n0x1020309, called 21\n0 of 3 nodes, 1 edges\n7 of 4 nodes, 3 edges\n" +
			"0 behind the last; a later one in the copy: cudaErrorInvalidValue\ncopies 128 bytes, " +
			"right way 1; " +
			"calls the first 1; not a copy: cudaErrorInvalidValue\nthrough a variable: 7\n" +
			"constants by address: 11 7, then by name 7 7\ncudaSuccess 3; in clusters: cudaErrorNotSupported\n" +
			"three blocks: 16384 bytes each; a pool: cudaErrorNotSupported\n"},
		{sources: []string{"streams.cu"}, want: "0 wrong, no error, query of a stream that is gone: cudaErrorInvalidResourceHandle\n"},
		{sources: []string{"devices.cu"}, devices: 2, want: "2 devices, 0 wrong, device 5: cudaErrorInvalidDevice\n" +
			"copied 0, recorded 0, refused 400, waited 0 0, done 0, asked 0, launched 400, got 50, destroyed 0\n"},
		{sources: []string{"memory.cu"}, want: "managed: 55\nmapped: 62\nregistered: 262\ncopied: 300\n" +
			"its own again: 201 262\nattributes: managed, the program's own 1\ntaken: 1048576\nno error\n"},
		{sources: []string{"properties.cu"}, want: "15 multiprocessors of 2048 threads, warps of 32, compute capability 3.5, 732000 " +
			"kHz\n49152 bytes of shared memory, 65536 registers\n16 blocks of 32, best 1024 by 30\n"},
		{sources: []string{"callbacks.cu"}, want: "1 2 3 42, then 43\n"},
		{sources: []string{"managed.cu"}, want: "454 0.5 999.5\n224 224 989.5 1999, set\n0 8 1\nno error\n"},
		{sources: []string{"textures.cu"}, want: "told 1, another's 1\n10 43 47\n103 213\nborder: 4 7 10 0.6\n" +
			"sRGB 801\n0.2 0.8 1\n17 30 51\nno error\n"},
		{sources: []string{"entries.cu"}, want: "cudaSuccess, cudaErrorSymbolNotFound 1\n0, same 1, 1\n0 0 4 0 801: 35 35, 16384 bytes\n" +
			"cudaSuccess: 1 -1 -2 -2, more 0; cudaErrorInvalidDevice cudaErrorInvalidValue\n0: 1 1, 1 last, 2 edges: 175 0x3f800000\n" +
			"0: 3f800000 40000000 bf800000 3f000000, same array 1, flags 1, a wider view: 1\ncudaSuccess\n"},
		{sources: []string{"banks.cu"}, timed: true, want: "eight is faster 1, driver: four 1 eight 1, device: four 1 eight 1\n"},
		{sources: []string{"halves.cu"}, want: "3c01 3c01 3c01 3c01 3c00 3c00 7bff 7bff 7c00 7c00 1 1 0 0 fc00 fc00\n" +
			"fffe 0 0 fffffffd 7fffffff 0 80000000 4 7bff 7c00 7bff 6801 b800 be00 1 0\n0 ffff0000 3c00 4b00\nsame: 1\n"},
		{sources: []string{"several/main.cpp", "several/negate.cu", "several/shift.cu"}, want: "29 28 -3 -4\n"},
		{sources: []string{"overlap.cu"}, timed: true, want: "one stream 2, two 1, the default stream between 2, " +
			"a stream aside 1\nruns 1, is over 1, no error remembered 1\n" +
			"before 0, after 105, on the device 210\nreleased 7\nfreed no error\nnot yet 1\n32 streams overlap 1\n"},
		{sources: []string{"calls.cu"}, want: "12497500\n"},
		{sources: []string{"overflow.cu"}, arguments: []string{"10000"}, want: "0 wrong, then no error\n"},
		// d CUDA C Programming Guide, "Interprocess Communication": children forked after cuInit cannot use CUDA.
		{sources: []string{"fork.cu"}, want: "child: cudaErrorInitializationError, cudaErrorInitializationError, " +
			"cudaErrorInitializationError, 0 devices\nparent: 1, child ended with 3, cudaSuccess\n" +
			"child: cudaErrorInitializationError, cudaErrorInitializationError, cudaErrorInitializationError, 0 devices\n" +
			"parent: 2, child ended with 4, cudaSuccess\n"},
		{sources: []string{"helpers.cu"}, arguments: []string{"-n=12", "--quick", "-scale=0.5", "file=x.bin"}, code: 1,
			want: "GPU Device 0: \"GK110\" with compute capability 3.5\n\ndevice 0, n 12, quick 1, slow 0, scale 0.5, name x.bin\n" +
				"1 1 3 by 2: 255 51, as floats 1 0.2\ntime 1, equal 1, not equal 0, near 1\n"},
		// 13 splits into 6 and 7, 6 into 3 and 3, 7 into 3 and 4: all end at depth 2.
		{sources: []string{"tree.cu"}, want: "2 2 2 2 2 2 2 2 2 2 2 2 2 no error\n"},
		{sources: []string{"driver.cu"}, want: "before: 3 0\nno context: 201\nthe runtime's: 1\nmachine code: 801, says why: 1\n" +
			"array: 4 by 4, format 32, 1 channel\nbetween texels: 0 2.5 12.5\nno such reference: 500\nby reference: 92 107\n" +
			"column: 2 6 10 14\n7 9 9 7\n7 9 9 7\n7 9 9 7\n7 7 7 7\nits context: 1, in its order: 5, blocks of 64\nmemory of kind 2, 0\n" +
			"static constant: 4 bytes\n"},
		{sources: []string{"drivergraphs.cu"}, want: "(0x01010101 * 3 + 5) * 2 + 1: 6060611, calls 1\n" +
			"the same kernel: 1, 32 threads, factor 3\n0x01010101 * 2 + 1: 2020203, calls 2\nno arguments: 1, no kernel: 1\n" +
			"captured 1, 2 nodes, 0x02020203 + 3 * 2 * 7: 202022d\n"},
		{sources: []string{"link.cu"}, want: "no context: 3\nstill none: 201\nnothing added: 1\nwrong PTX: 218, place told: 1, " +
			"length told: 1\nno file: 301\nmachine code: 801\nmissing: 209, name told: 1\ntwice: 209, name told: 1\n" +
			"not linked at all: 209\nlogs: 0 0\ndestroyed: 400\n100 101 102 103, calls 11\nrange: 1 16\n"},
		{sources: []string{"process.cu"}, arguments: []string{"a", "b"}, input: "line\n", code: 3,
			want: "b read line\nlaunched\nfrom the device\n"},
		{sources: []string{"process.cu"}, arguments: []string{"a"}, input: "abort\n", code: 128 + 6,
			want: "a read abort\nlaunched\nfrom the device\n"},
		{sources: []string{"process.cu"}, arguments: []string{"a"}, input: "exit\n", code: 7,
			want: "a read exit\nlaunched\nfrom the device\n"},
		{sources: []string{"process.cu"}, arguments: []string{"a"}, input: "null\n", code: 128 + 11,
			want: "a read null\nlaunched\nfrom the device\n"},
		{sources: []string{"process.cu"}, arguments: []string{"a"}, input: "device\n", code: 128 + 11,
			want: "a read device\nlaunched\nfrom the device\n"},
	} {
		if testing.Short() && n%4 != 0 { // each program takes long to compile
			continue
		}
		t.Run(strings.TrimSpace(c.sources[0]+" "+c.input), func(t *testing.T) {
			r := runProgram(t, t.Context(), max(c.devices, 1), !c.timed, c.input, c.arguments, c.sources...)
			assert.Equal(t, c.want, r.out, r.messages)
			assert.Equal(t, c.code, r.code, r.messages)
		})
	}
}

// The two devices of a K80 share a switch and are peers. Two boards without a given rate between them are not. At the rate of copies
// between devices, 11 GB/s, a kernel reads a peer's memory twenty times slower than its own.
func TestPeers(t *testing.T) {
	need.Builder(t)
	config, err := configs.Load("k80", nil)
	require.NoError(t, err)
	r := runWith(t, t.Context(), Options{Devices: []*configs.Config{config, config}}, 2, "", nil, "peers.cu")
	assert.Equal(t, `can 1 1, itself 0, device 9: 101
attribute 1, rank 0 0
not enabled: 705
itself 101, device 9 101, flags 1
enabled: 0 cudaErrorInvalidValue
again: 704
0 wrong, 131072 odd, lanes 100 2 0 104
times told: 1, slower there: 1, as fast as a copy: 1
freed: cudaSuccess
one way alone: cudaErrorIllegalAddress
first is well: cudaSuccess, reset took the second away: 705
context's own 201, none 201, flags 1, not enabled 705, enabled 0, again 704, disabled 0
`, r.out, r.messages)
	r = runProgram(t, t.Context(), 2, true, "", nil, "peers.cu")
	assert.Equal(t, `can 0 0, itself 0, device 9: 101
attribute 0, rank 0 0
not enabled: 705
itself 101, device 9 101, flags 1
enabled: 217 cudaErrorPeerAccessUnsupported
`, r.out, r.messages)
}

// A program whose kernels launch kernels gets an error on a chip that cannot, and the summary's first lines say why.
func TestLaunchesFromKernelsThatTheChipHasNot(t *testing.T) {
	need.Builder(t)
	config, err := configs.Load("gk104", nil)
	require.NoError(t, err)
	r := runWith(t, t.Context(), Options{Devices: []*configs.Config{config}}, 1, "", nil, "tree.cu")
	assert.Contains(t, r.out, "operation not supported")
	assert.Contains(t, r.messages, "the program gets CUDA error 801 at its next synchronising call")
	require.Len(t, r.session.Summary().Notes, 1)
	assert.Contains(t, r.session.Summary().Notes[0], "has no launches from kernels: results lack what these would have done")
}

// The program's environment decides the number of hardware queues, unless the user has set it in the configuration.
func TestConnectionsOfTheProgramsEnvironment(t *testing.T) {
	for asked, want := range map[uint64]int{0: 8, 1: 1, 32: 32, 99: 32} {
		for _, told := range []bool{false, true} {
			k := newAsker(t, Options{Connections: told})
			k.ask(opHello, nil, 1, nativeNumber(), asked)
			if told {
				want = 8
			}
			assert.Equal(t, want, k.devices[0].gpu.Config().HyperQ.Connections, "%d, told %t", asked, told)
		}
	}
}

// Of 200 launches the first three are timed. All have results, and events see time pass for the others too.
func TestLaunchesThatAreNotTimedTakeTime(t *testing.T) {
	need.Builder(t)
	detail, err := ParseDetail([]string{"first:3"}, "")
	require.NoError(t, err)
	r := runWith(t, t.Context(), Options{Detail: detail}, 1, "", nil, "many.cu")
	assert.Equal(t, "102400, halves alike 1\n", r.out, r.messages)
	assert.Contains(t, r.session.Summary().Detail, "3 of 200 launches were timed; the times of the others are estimated")
	assert.Equal(t, 200, r.session.Summary().Kernels[1].Count)
}

func TestErrorsAreCUDAs(t *testing.T) {
	need.Builder(t)
	r := runProgram(t, t.Context(), 1, true, "", nil, "errors.cu")
	assert.Equal(t, `malloc: cudaSuccess
block too large: cudaErrorInvalidConfiguration
forgotten: cudaSuccess
empty grid: cudaErrorInvalidConfiguration
still there: cudaErrorInvalidConfiguration
too much shared: cudaErrorInvalidValue
beyond its launch bounds: cudaErrorInvalidValue
more registers than fit: cudaSuccess
right: 1
wrong way: cudaErrorInvalidValue
from nowhere: cudaErrorInvalidValue
to nowhere: cudaErrorInvalidValue
flags of no stream: cudaErrorInvalidValue
flags of no event: cudaErrorInvalidValue
memory for no pointer: cudaErrorInvalidValue
past the end: cudaErrorInvalidValue
not a symbol: cudaErrorInvalidSymbol
symbol too small: cudaErrorInvalidValue
free of what is not ours: cudaErrorInvalidValue
too much memory: cudaErrorMemoryAllocation
launch: cudaSuccess
synchronise: cudaErrorIllegalAddress
sticky: cudaErrorIllegalAddress
last: cudaErrorIllegalAddress
last again: cudaErrorIllegalAddress
reset: cudaSuccess
new: cudaSuccess
copy: cudaSuccess
7
`, r.out, r.messages)
	assert.Contains(t, r.messages, "errors.cu:4", "the kernel's error names the line")
	assert.Contains(t, r.messages, "launch of narrow(int*): a block of 64 threads: the kernel's .maxntid (__launch_bounds__) allows 32\n"+
		"the launch returns cudaErrorInvalidValue (1)")
	assert.Regexp(t, `launch of many\(int volatile\*\): a block of 1024 threads has no room for \d+ registers a thread; the kernel `+
		`was lowered `+
		`again to 64, as with -maxrregcount=64`, r.messages)
}

func TestSummaryCountsKernelsCopiesAndCalls(t *testing.T) {
	need.Builder(t)
	r := runProgram(t, t.Context(), 1, false, "", []string{"1000"}, "vectoradd.cu")
	s := r.session.Summary()
	counts := map[string]int{}
	for _, row := range append(s.Kernels, s.Calls...) {
		counts[row.Name] = row.Count
	}
	assert.Equal(t, 1, counts["add(float const*, float const*, float*, int)"])
	assert.Equal(t, 3, counts["[CUDA memcpy HtoD]"])
	assert.Equal(t, 2, counts["[CUDA memcpy DtoH]"])
	assert.Equal(t, 3, counts["cudaMalloc"])
	assert.Equal(t, 1, counts["cudaLaunchKernel"])
	var out bytes.Buffer
	require.NoError(t, s.Write(&out))
	assert.Contains(t, out.String(), "GPU activities:")
}

// If the simulator stops, the program ends too, and vice versa.
func TestNeitherOutlivesTheOther(t *testing.T) {
	need.Builder(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	begin := time.Now()
	r := runProgram(t, ctx, 1, true, "abort\n", nil, "process.cu")
	assert.Equal(t, 128+6, r.code)
	assert.Less(t, time.Since(begin), 50*time.Second)
}

// A memset after a kernel in its stream is done when the host has slept, by any function for sleeping; without sleep it is not.
func TestSleeps(t *testing.T) {
	need.Builder(t)
	for functional, want := range map[bool]string{false: "0 1 1 1 1 1 no error\n", true: "1 1 1 1 1 1 no error\n"} {
		assert.Equal(t, want, runProgram(t, t.Context(), 1, functional, "", nil, "sleeps.cu").out)
	}
}

// Two kernels in different streams overlap, or not, as on an H100 (driver 580, CUDA 13). The exceptions are allocations, the last three
// calls: for them CUDA's guide for Kepler decides (docs/streams.md).
func TestWhatRunsBesideIsAsOnAGPU(t *testing.T) {
	need.Builder(t)
	const recorded = "sssssssssssssAAsss\nsAssAsAsAsssAAAsss\nno error\n"
	want := strings.ReplaceAll(recorded, "AAsss", "AAAAA")
	assert.Equal(t, want, runProgram(t, t.Context(), 1, false, "", []string{"100000"}, "beside.cu").out)
}

func TestOperationsAreInTheOrderOfTheWire(t *testing.T) {
	text, err := native.ReadFile("native/wire.h")
	require.NoError(t, err)
	list := string(text[bytes.Index(text, []byte("OP_HELLO")):])
	list, _, _ = strings.Cut(list, "}")
	names := strings.Split(strings.ReplaceAll(list, "\n", " "), ",")
	require.Len(t, names, int(operations))
	for number, want := range map[operation]string{
		opHello: "OP_HELLO", opLaunch: "OP_LAUNCH", opCopy: "OP_COPY", opEventElapsed: "OP_EVENT_ELAPSED", opLimit: "OP_LIMIT",
		opPeer: "OP_PEER", opSleep: "OP_SLEEP",
	} {
		assert.Equal(t, want, strings.TrimSpace(names[number]))
	}
}

// Each function of the driver API's headers can be asked for by its name.
func TestEntryPointsOfTheDriver(t *testing.T) {
	entries, err := native.ReadFile("native/driver_entry.inc")
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?m)^CUresult cu(\w+)\(`)
	for _, header := range []string{"api", "graphs", "textures", "entry"} {
		text, err := os.ReadFile(filepath.Join("..", "toolchain", "include", "keplersim", "driver_"+header+".h"))
		require.NoError(t, err)
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			assert.Contains(t, string(entries), "DO("+found[1]+")")
		}
	}
}

func TestImages(t *testing.T) {
	image := makeImage("a b.cu", true, []byte(".version 4.2\n"))
	m, err := parseImage(3, image)
	require.NoError(t, err)
	assert.Equal(t, &module{number: 3, name: "a b.cu", linked: true, text: []byte(".version 4.2\n")}, m)
	pieces := append(makeImage("a.ptx", false, []byte("a")), makeImage("b.ptx", false, []byte("b"))...)
	all := makeImage("linked", false, pieces)
	all = all[:len(all)-1] // each image in it ends with a NUL
	m, err = parseImage(3, append(fmt.Appendf(nil, "keplersim %012d", len(all)), all[len("keplersim 000000000000"):]...))
	require.NoError(t, err)
	assert.Equal(t, []sim.Source{{Name: "a.ptx", Text: []byte("a")}, {Name: "b.ptx", Text: []byte("b")}}, m.sources())
	_, err = parseImage(3, all[:len(all)-3])
	assert.EqualError(t, err, "the program's device code: piece 2 is not whole")
	_, err = parseImage(0, []byte("P\xedU\xba"))
	assert.EqualError(t, err, "the program's device code was not made by keplersim")
}

func FuzzImages(f *testing.F) {
	f.Add(makeImage("linked", false, makeImage("a.ptx", true, []byte("a"))))
	f.Add([]byte("keplersim 000000000040 false \nkeplersim 9"))
	executions.Fuzz(f, func(t *testing.T, image []byte) {
		m, err := parseImage(0, image)
		if err != nil {
			return
		}
		bytes := 0
		for _, source := range m.sources() {
			bytes += len(source.Text)
		}
		assert.LessOrEqual(t, bytes, len(image))
	})
}

// Programs print the same, simulated times included, for any number of the simulator's threads.
func TestOutputIsTheSameForAnyThreads(t *testing.T) {
	need.Builder(t)
	for _, c := range []struct {
		sources   []string
		devices   int
		arguments []string
		board     string // "" for the board of runWith
	}{
		{sources: []string{"vectoradd.cu"}, arguments: []string{"20000"}}, {sources: []string{"jacobi.cu"}},
		{sources: []string{"streams.cu"}},
		{sources: []string{"devices.cu"}, devices: 2}, {sources: []string{"memory.cu"}}, {sources: []string{"callbacks.cu"}},
		{sources: []string{"textures.cu"}}, {sources: []string{"errors.cu"}}, {sources: []string{"driver.cu"}},
		{sources: []string{"tree.cu"}}, {sources: []string{"managed.cu"}}, {sources: []string{"link.cu"}},
		{sources: []string{"peers.cu"}, devices: 2, board: "k80"},
		{sources: []string{"several/main.cpp", "several/negate.cu", "several/shift.cu"}}, {sources: []string{"overlap.cu"}},
	} {
		var first string
		for _, o := range []sim.Options{{Threads: 1}, {Threads: 2}, {Threads: 8}} {
			options := Options{Simulator: o}
			if c.board != "" {
				board, err := configs.Load(c.board, nil)
				require.NoError(t, err)
				options.Devices = slices.Repeat([]*configs.Config{board}, c.devices)
			}
			r := runWith(t, t.Context(), options, max(c.devices, 1), "", c.arguments, c.sources...)
			if first == "" {
				first = r.out
			}
			assert.Equal(t, first, r.out, "%s, %d threads", c.sources[0], o.Threads)
		}
		assert.NotEmpty(t, first, c.sources[0])
	}
}
