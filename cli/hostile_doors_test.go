package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/access"
	"github.com/keplersim/keplersim/isa/sass"
	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/report/live"
	"github.com/keplersim/keplersim/sim/checkpoint"
	"github.com/keplersim/keplersim/testkit/mutate"
)

// hostileNVCC returns command lines of nvcc: its options in any order, with unexpected values and files that may exist.
func hostileNVCC(t *testing.T, c *corpus) func(uint64) []string {
	put(t, "a.cu", "__global__ void k(int *p) { *p = 1; }\nint main() { return 0; }\n")
	put(t, "-c.cu", "int f() { return 2; }\n")
	put(t, "@b.o", "-o pwned\n")
	put(t, "b.cpp", "int g() { return 3; }\n")
	put(t, "broken.o", "\x7fELF\x02\x01\x01")
	words := strings.Fields(`a.cu b.cpp -c.cu @b.o broken.o none.cu -c -dc -dlink -lib -ptx -cubin -fatbin -E -M -MD -MP -MF -MT -o -odir
		-include -I -isystem -D -U -l -L -arch -code -gencode -rdc=true -Xcompiler -Xlinker -Xptxas -std=c++17 -std=c++99 -g -G -O3 -O9 -x cu
		-maxrregcount -ccbin --dryrun --keep -keep-dir -lineinfo -use_fast_math --fmad=maybe -run --run-args -V --help -time -w -Werror out
		. .. sm_35 compute_35 arch=compute_35,code=[sm_35,compute_35] X=1 -optf @ - -- = '' /dev/null deps.d`)
	return func(seed uint64) []string {
		r := rand.New(rand.NewPCG(seed, 2))
		line := []string{"nvcc"}
		if r.IntN(3) > 0 {
			line = append(line, "--dryrun")
		}
		for range 1 + r.IntN(6) {
			word := words[r.IntN(len(words))]
			if r.IntN(6) == 0 {
				word = strings.ReplaceAll(mutate.Text(r.Uint64(), word, words...), "\x00", "")
			}
			if strings.HasPrefix(word, "/") && word != "/dev/null" {
				continue
			}
			line = append(line, word)
		}
		return line
	}
}

// hostileStudies returns studies, to list or as a script for Slurm.
func hostileStudies(t *testing.T, c *corpus) func(uint64) []string {
	kernel := put(t, "add.ptx", mustRead(t, filepath.Join(c.root, "cli", "testdata", "add.ptx")))
	studies := []string{
		strings.ReplaceAll(mustRead(t, filepath.Join(c.root, "examples", "studies", "schedulers.yaml")), "../../", c.root+"/"),
		"name: small\nrun: [" + kernel + "]\nboards: [gk104, k40]\nvary:\n  smx.scheduler: [gto, lrr]\n" +
			"  l2.miss_registers: {from: 8, to: 64, powers: 2}\n  block: [128, 256]\n  grid: {from: 1, to: 9, step: 2}\n" +
			"  maxrregcount: [32, 64]\n" +
			"when: [\"block < 256 || board == 'k40'\"]\nmetrics: [cycles, time_us, ipc]\n",
	}
	forms := [][]string{{"--list"}, {"--slurm", "--dry-run", "--folder", "jobs"}, {"--list", "--shard", "2/3"}}
	return func(seed uint64) []string {
		return append([]string{"sweep", put(t, "s.yaml", of(seed, studies)), "--store", "store"}, forms[seed%3]...)
	}
}

// hostileBundles returns damaged archives, and intact archives of damaged contents.
func hostileBundles(t *testing.T, c *corpus) func(uint64) []string {
	put(t, "add.ptx", mustRead(t, filepath.Join(c.root, "cli", "testdata", "add.ptx")))
	put(t, "b.yaml", "run: [add.ptx]\nvary:\n  block: [32, 64]\nmetrics: [cycles]\n")
	good := prepared(t, "b.tar.gz", "sweep", "b.yaml", "--store", "store", "--bundle", "b.tar.gz")
	packed, err := gzip.NewReader(bytes.NewReader(good))
	require.NoError(t, err)
	plain, err := io.ReadAll(packed)
	require.NoError(t, err)
	return func(seed uint64) []string {
		r := rand.New(rand.NewPCG(seed, 9))
		if seed%4 == 0 {
			return []string{"sweep", "--replay", put(t, "r.tar.gz", string(mutate.Bytes(r, slices.Clone(good), "")))}
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, err := w.Write(mutate.Bytes(r, slices.Clone(plain), ""))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return []string{"sweep", "--replay", put(t, "r.tar.gz", out.String())}
	}
}

// prepared runs a command that makes a file, and returns the file's content.
func prepared(t *testing.T, file string, line ...string) []byte {
	t.Helper()
	var said bytes.Buffer
	require.Zero(t, executeWith(t.Context(), line, strings.NewReader(""), io.Discard, &said), said.String())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

// hostileRecordings returns damaged recordings.
func hostileRecordings(t *testing.T, c *corpus) func(uint64) []string {
	kernel := filepath.Join(c.root, "workloads", "vectoradd", "vectoradd.ptx")
	good := prepared(t, "good.kst", "run", "--set", "smx.count=2", "--grid", "4", "--block", "64", "--record", "good.kst", kernel)
	forms := [][]string{
		{"--cycles", "100..160"}, {"--warp", "0", "--cycles", "0..300"}, {"--smx", "1", "--cycles", "0..50", "--svg", "c.svg"},
	}
	return func(seed uint64) []string {
		r := rand.New(rand.NewPCG(seed, 3))
		data := mutate.Bytes(r, slices.Clone(good), "")
		if seed%4 > 0 {
			data = damagedInside(t, r, good)
		}
		return append([]string{"explain", put(t, "r.kst", string(data))}, forms[seed%3]...)
	}
}

// hostileCubins returns machine code with bytes changed anywhere, or only in the code, whose words then may or may not be operations.
func hostileCubins(t *testing.T, _ *corpus) func(uint64) []string {
	var files [][]byte
	var codes []int
	for _, e := range sass.Encodings() {
		good, err := os.ReadFile(cubinOf(t, e, saxpy, ""))
		require.NoError(t, err)
		move, err := e.Encode("MOV R1, c[0x0][0x44]", 8)
		require.NoError(t, err)
		files, codes = append(files, good), append(codes, bytes.Index(good, binary.LittleEndian.AppendUint64(nil, move)))
		require.Positive(t, codes[len(codes)-1])
	}
	forms := [][]string{{"run", "--functional"}, {"run", "--set", "smx.count=1"}, {"disasm"}, {"run", "--check"}}
	return func(seed uint64) []string {
		r := rand.New(rand.NewPCG(seed, 8))
		which := seed / 8 % uint64(len(files))
		data, code := slices.Clone(files[which]), codes[which]
		if seed%2 == 0 {
			data = mutate.Bytes(r, data, "")
		} else {
			for range 1 + r.IntN(3) {
				data[code+r.IntN(16*8)] ^= 1 << r.IntN(8)
			}
		}
		line := append(slices.Clone(forms[seed/2%uint64(len(forms))]), put(t, "k.cubin", string(data)))
		if line[0] == "run" {
			line = append(line, "--config", []string{"gtx680", "k40"}[which], "--grid", "2", "--block", "64", "--arg", "x=f32[128]",
				"--arg", "y=f32[128]", "--arg", "128",
				"--max-cycles", "100000")
		}
		return line
	}
}

// damagedInside changes the content of one of a recording's sections, and packs it again. recording/FORMAT.md describes the file.
func damagedInside(t *testing.T, r *rand.Rand, good []byte) []byte {
	start := bytes.IndexByte(good, '\n') + 2
	var sections [][]byte // kind, device and SMX of each
	var frames [][]byte
	for rest := good[start:]; len(rest) > 0; {
		var numbers [4]uint64
		at := 1
		for i := range numbers {
			value, n := binary.Uvarint(rest[at:])
			numbers[i], at = value, at+n
		}
		head := binary.AppendUvarint(binary.AppendUvarint([]byte{rest[0]}, numbers[0]), numbers[1])
		sections, frames, rest = append(sections, head), append(frames, rest[at:at+int(numbers[3])]), rest[at+int(numbers[3]):]
	}
	unpack, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer unpack.Close()
	pack, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	data, which := slices.Clone(good[:start]), r.IntN(len(sections))
	for i, head := range sections {
		held, err := unpack.DecodeAll(frames[i], nil)
		require.NoError(t, err)
		if i == which && len(held) > 0 {
			held = mutate.Bytes(r, held, "")
		}
		frame := pack.EncodeAll(held, nil)
		data = append(binary.AppendUvarint(binary.AppendUvarint(append(data, head...), uint64(len(held))), uint64(len(frame))), frame...)
	}
	return data
}

// hostileCheckpoints returns damaged checkpoints, and some with changed state and a valid checksum.
func hostileCheckpoints(t *testing.T, c *corpus) func(uint64) []string {
	kernel := filepath.Join(c.root, "workloads", "vectoradd", "vectoradd.ptx")
	run := append([]string{"run", kernel, "--grid", "40", "--block", "256"}, bounded...)
	good := prepared(t, "good.ckpt", append(slices.Clone(run), "--save-at", "500", "--save-to", "good.ckpt", "--max-cycles", "100000")...)
	header, read, err := checkpoint.Read(bytes.NewReader(good))
	require.NoError(t, err)
	state, err := read()
	require.NoError(t, err)
	return func(seed uint64) []string {
		r := rand.New(rand.NewPCG(seed, 4))
		data := mutate.Bytes(r, slices.Clone(good), "")
		if seed%4 > 0 {
			var signed bytes.Buffer
			require.NoError(t, checkpoint.Write(&signed, header, mutate.Bytes(r, slices.Clone(state), "")))
			data = signed.Bytes()
		}
		return append(slices.Clone(run), "--resume", put(t, "c.ckpt", string(data)))
	}
}

// hostileLessons returns lessons with an answer that is right for the undamaged ones.
func hostileLessons(t *testing.T, c *corpus) func(uint64) []string {
	files, err := filepath.Glob(filepath.Join(c.root, "lab", "lessons", "text", "*.md"))
	require.NoError(t, err)
	var texts []string
	for _, file := range files {
		texts = append(texts, mustRead(t, file))
	}
	answer := put(t, "answer.ptx", mustRead(t, filepath.Join(c.root, "cli", "testdata", "add.ptx")))
	return func(seed uint64) []string {
		return []string{"grade", put(t, "l.md", of(seed, texts)), answer, "--time", "10s", "--memory", "128", "--max-cycles", "3000"}
	}
}

// hostileAnswers returns answers to the lab's own lessons.
func hostileAnswers(t *testing.T, c *corpus) func(uint64) []string {
	all, err := lab.Lessons()
	require.NoError(t, err)
	return func(seed uint64) []string {
		lesson := all[seed%uint64(len(all))]
		return []string{"grade", lesson.Slug, put(t, "a.ptx", of(seed, c.ptx)), "--time", "10s", "--memory", "128", "--max-cycles", "3000"}
	}
}

// slowly sends messages one by one, so that a debugger has stopped before the next.
type slowly struct{ messages []string }

func (s *slowly) Read(p []byte) (int, error) {
	if len(s.messages) == 0 {
		return 0, io.EOF
	}
	time.Sleep(2 * time.Millisecond)
	n := copy(p, s.messages[0])
	if s.messages[0] = s.messages[0][n:]; s.messages[0] == "" {
		s.messages = s.messages[1:]
	}
	return n, nil
}

// hostileAdapters returns messages of a debugger's client.
func hostileAdapters(t *testing.T, c *corpus) func(uint64) attempt {
	kernel := put(t, "add.ptx", mustRead(t, filepath.Join(c.root, "cli", "testdata", "add.ptx")))
	requests := []string{
		`"command":"initialize","arguments":{"adapterID":"keplersim","linesStartAt1":true}`,
		`"command":"launch","arguments":{"program":"` + kernel + `","stopOnEntry":true}`,
		`"command":"setBreakpoints","arguments":{"source":{"path":"` + kernel + `"},"breakpoints":[{"line":20,"condition":"%r1 == 3"}]}`,
		`"command":"setFunctionBreakpoints","arguments":{"breakpoints":[{"name":"access x[3]"}]}`,
		`"command":"configurationDone"`, `"command":"threads"`, `"command":"stackTrace","arguments":{"threadId":1}`,
		`"command":"scopes","arguments":{"frameId":1}`, `"command":"variables","arguments":{"variablesReference":1}`,
		`"command":"evaluate","arguments":{"expression":"%tid.x + 1","frameId":1}`, `"command":"next","arguments":{"threadId":1}`,
		`"command":"stepBack","arguments":{"threadId":1}`, `"command":"continue","arguments":{"threadId":1}`,
		`"command":"readMemory","arguments":{"memoryReference":"0x0","count":64}`, `"command":"pause","arguments":{"threadId":1}`,
		`"command":"disconnect"`,
	}
	return func(seed uint64) attempt {
		r := rand.New(rand.NewPCG(seed, 5))
		said := &slowly{}
		for i, request := range requests {
			for range 1 + r.IntN(4)/3 {
				text := fmt.Sprintf(`{"seq":%d,"type":"request",%s}`, i+1, request)
				if r.IntN(12) == 0 {
					text = mutate.Text(r.Uint64(), text, requests...)
				}
				length := len(text)
				if r.IntN(100) == 0 {
					length += r.IntN(9) - 4
				}
				said.messages = append(said.messages, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", length, text))
			}
		}
		return attempt{line: []string{"debug", "--dap"}, in: said}
	}
}

// hostileRequests returns requests to the lab and to a served run, with and without the token.
func hostileRequests(t *testing.T, c *corpus) func(uint64) attempt {
	lessons, err := lab.Lessons()
	require.NoError(t, err)
	handler, err := lab.Handler(lessons, "test")
	require.NoError(t, err)
	port, err := access.Listen("127.0.0.1:0", io.Discard)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() { _ = port.Serve(ctx, handler) }) // ends with the test
	run, err := live.Listen("127.0.0.1:0", true, io.Discard)
	require.NoError(t, err)
	var panics noisy
	before := log.Writer()
	log.SetOutput(&panics)
	t.Cleanup(func() {
		cancel()
		_ = port.Close() // it may be closed already
		served.Wait()
		require.NoError(t, run.Close())
		log.SetOutput(before)
	})
	kernel := mustRead(t, filepath.Join(c.root, "cli", "testdata", "add.ptx"))
	body := func(v any) string {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		return string(text)
	}
	bodies := []string{
		body(map[string]any{"files": map[string]string{"k.ptx": kernel, "w.yaml": "module: k.ptx\nsteps:\n  - launch: {kernel: add}\n"},
			"run": "k.ptx", "config": "gk110", "set": []string{"smx.count=2"}, "watch": map[string]any{"smx": 0, "from": 0, "to": 100}}),
		body(map[string]any{"cell": map[string]any{"files": map[string]string{"k.ptx": kernel}, "run": "k.ptx"},
			"exercise": map[string]any{"name": "x", "checks": []any{}}, "ptx": kernel}),
		`{"text":"#include \"../secret\"\n__device__ const char s[] = {\n#embed \"../secret\"\n};"}`,
		body(map[string]any{"files": map[string]string{"k.ptx": kernel, "w.yaml": "module: ../secret\nconfig: ../secret\n" +
			"buffers: {x: {type: u8, count: 4, init: {file: ../secret}}}\nexpect: {x: {file: ../secret}}\n" +
			"steps:\n  - launch: {kernel: add, link: [../secret]}\n"},
			"run": "w.yaml", "config": "../secret", "link": []string{"../secret"}}),
	}
	paths := []string{"/engine/run", "/engine/grade", "/engine/compile", "/", "/index.html", "/../../etc/passwd", "/metrics", "/state.json",
		"/healthz", "/debug/pprof/", "/debug/pprof/symbol", "/%2e%2e/", "//", "/?token="}
	return func(seed uint64) attempt {
		r := rand.New(rand.NewPCG(seed, 6))
		to, token := port.Addr().String(), port.Token
		if r.IntN(4) == 0 {
			to = strings.TrimPrefix(strings.SplitN(run.URL(), "/?", 2)[0], "http://")
			_, token, _ = strings.Cut(run.URL(), "token=")
		}
		if r.IntN(8) == 0 {
			token = "none"
		}
		which := r.IntN(len(paths))
		payload := bodies[r.IntN(len(bodies))]
		if which < 3 && r.IntN(2) == 0 {
			payload = bodies[which]
		}
		if r.IntN(4) > 0 {
			payload = mutate.Text(r.Uint64(), payload, bodies...)
		}
		length := len(payload)
		if r.IntN(10) == 0 {
			length = max(0, length-r.IntN(length+1))
		}
		method := []string{"POST", "POST", "GET", "PUT", "\x00", "HEAD"}[r.IntN(6)]
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n"+
			"Connection: close\r\n\r\n", method, paths[which]+"?token="+token, to, to, token, length)
		if r.IntN(4) == 0 {
			head = mutate.Text(r.Uint64(), head)
		}
		return attempt{line: []string{to, head}, send: func() string {
			connection, err := net.Dial("tcp", to)
			if err != nil {
				return "simulator bug: the port is gone: " + err.Error()
			}
			defer connection.Close()
			_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
			_, _ = io.WriteString(connection, head+payload) // it may be refused before it has been read
			_ = connection.(*net.TCPConn).CloseWrite()
			answer, _ := io.ReadAll(connection) // the response until the server closes
			return string(answer) + panics.String()
		}}
	}
}
