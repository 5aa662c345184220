package runtime

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/mutate"
)

// edgeValues are numbers for which sums and products of sizes, extents and addresses go wrong.
var edgeValues = []uint64{
	0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 255, 256, 4095, 4096, 65535, 65536, 1 << 20, 1<<27 - 1, 1 << 27, 1<<31 - 1, 1 << 31, 1<<32 - 1,
	1 << 32, 1<<32 + 1, 1 << 40, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(0) - 3, 1 | 1<<32, 64 | 1<<32, 1 << 33, 0x7fffffff_7fffffff,
}

// hostileProgram sends requests like a program that tries to break the simulator: any operation, with border values, values of earlier
// answers, and addresses near them.
type hostileProgram struct {
	*asker
	random *rand.Rand
	seen   []uint64
}

func (h *hostileProgram) number() uint64 {
	switch h.random.IntN(5) {
	case 0, 1:
		if len(h.seen) > 0 {
			return h.seen[h.random.IntN(len(h.seen))] + uint64(h.random.IntN(9)-4)*uint64(h.random.IntN(2))
		}
		fallthrough
	case 2:
		return edgeValues[h.random.IntN(len(edgeValues))]
	case 3:
		return h.random.Uint64N(64)
	}
	return h.random.Uint64() >> h.random.UintN(64)
}

func (h *hostileProgram) payload(of operation) []byte {
	switch {
	case of == opModule && h.random.IntN(4) > 0:
		return makeImage("order.ptx", h.random.IntN(8) == 0, []byte(mutate.Text(h.random.Uint64(), orderPTX, orderPTX)))
	case of == opLaunch || of == opKernel || of == opSymbol:
		name := []string{"spin", "move", "none", ""}[h.random.IntN(4)] + "\x00"
		parameters := make([]byte, h.random.IntN(40))
		for at := 0; at+8 <= len(parameters); at += 8 {
			binary.LittleEndian.PutUint64(parameters[at:], h.number())
		}
		return append([]byte(name), parameters...)
	}
	text := make([]byte, h.random.IntN(100))
	for i := range text {
		text[i] = byte(h.random.Uint32())
	}
	return text
}

// Any request in any order gets an answer within 20 seconds, an error or not, and the simulator goes on. The short form sends 3,000
// requests in 30 sessions; make hostile sends 2,000,000.
func TestHostileSessions(t *testing.T) {
	sessions := 30
	if os.Getenv("KEPLERSIM_HOSTILE") != "" {
		sessions = 20_000
	}
	config, err := configs.Load("gk110", []string{"smx.count=2", "dram.bytes=128M"})
	require.NoError(t, err)
	var succeeded, refused int
	var longest time.Duration
	for seed := range uint64(sessions) {
		h := &hostileProgram{random: rand.New(rand.NewPCG(seed, 1))}
		h.asker = newAsker(t, Options{Devices: []*configs.Config{config}, Simulator: sim.Options{Threads: 1, MaxCycles: 20_000}})
		h.seen = append(h.seen, h.arena.base, h.allocate(0, 4096), h.allocate(1, 4096))
		for step := range 100 {
			q := &request{operation: operation(h.random.Uint32N(uint32(operations) + 1)), call: h.random.Uint32N(3),
				device: int(int8(h.random.Uint32N(256) * (h.random.Uint32N(40) / 39)))}
			for i := range q.a {
				q.a[i] = h.number()
			}
			if h.random.IntN(3) > 0 {
				q.payload = h.payload(q.operation)
			}
			answer, took := h.attack(t, fmt.Sprintf("seed %d, step %d: operation %d of %#x", seed, step, q.operation, q.a), q)
			longest = max(longest, took)
			if answer.err != Success {
				refused++
				continue
			}
			succeeded++
			h.seen = append(h.seen, answer.r[0], answer.r[1])
		}
		h.Close()
	}
	t.Logf("%d requests: %d carried out, %d refused; at most %v", succeeded+refused, succeeded, refused, longest.Round(time.Millisecond))
	require.Positive(t, succeeded)
	require.Positive(t, refused)
}

// attack makes a request and checks its answer.
func (h *hostileProgram) attack(t *testing.T, what string, q *request) (a *response, took time.Duration) {
	t.Helper()
	defer func() {
		if cause := recover(); cause != nil {
			t.Fatalf("%s: %v\n%s", what, cause, debug.Stack())
		}
	}()
	began := time.Now()
	a = h.serve(t.Context(), q)
	took = time.Since(began)
	require.Less(t, took, 20*time.Second, what)
	require.NotContains(t, string(a.text), "simulator bug", what)
	return a, took
}
