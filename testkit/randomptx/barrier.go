package randomptx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"sync"
)

// errOthersFailed is the error of a thread that waited for a failed one.
var errOthersFailed = errors.New("another thread failed")

// barrier is a point where threads wait for each other: each contributes a value and receives all values.
type barrier struct {
	mutex      sync.Mutex
	roundEnded *sync.Cond
	size       int
	arrived    int
	round      int
	values     []uint64
	last       []uint64 // the values of the last complete round
	failed     bool
}

func newBarrier(size int) *barrier {
	m := &barrier{size: size, values: make([]uint64, size)}
	m.roundEnded = sync.NewCond(&m.mutex)
	return m
}

// wait waits for all members and returns their values.
func (m *barrier) wait(member int, value uint64) ([]uint64, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.values[member] = value
	m.arrived++
	if m.complete() {
		return m.last, nil
	}
	for round := m.round; round == m.round && !m.failed; {
		m.roundEnded.Wait()
	}
	if m.failed {
		return nil, errOthersFailed
	}
	return m.last, nil
}

// complete ends a round if all members have arrived.
func (m *barrier) complete() bool {
	if m.arrived < m.size {
		return false
	}
	m.last, m.values = m.values, make([]uint64, len(m.values))
	m.arrived = 0
	m.round++
	m.roundEnded.Broadcast()
	return true
}

// leave removes a member: the others no longer wait for it.
func (m *barrier) leave() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.size--
	m.complete()
}

// fail releases all members.
func (m *barrier) fail() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.failed = true
	m.roundEnded.Broadcast()
}

// cell is the shared word at an address, relative to the board's start.
func (e *evaluator) cell(operand string) *uint32 {
	register, offset, _ := strings.Cut(operand[1:len(operand)-1], "+")
	at := e.bits(register)
	if offset != "" {
		at += e.bits(offset)
	}
	return &e.board[at/4]
}

// reduce executes red.shared. Operations of one kind may come in any order.
func (e *evaluator) reduce(operation, t string, o []string) error {
	e.block.mutex.Lock()
	defer e.block.mutex.Unlock()
	c := e.cell(o[0])
	a, b := *c, uint32(e.bits(o[1]))
	signed := t == "s32"
	less := a < b
	if signed {
		less = int32(a) < int32(b)
	}
	switch operation {
	case "add":
		*c = a + b
	case "and":
		*c = a & b
	case "or":
		*c = a | b
	case "xor":
		*c = a ^ b
	case "min":
		if !less {
			*c = b
		}
	case "max":
		if less {
			*c = b
		}
	default:
		return fmt.Errorf("unknown")
	}
	return nil
}

// shuffle executes shfl.sync with all lanes, by the pseudo-code in PTX's document.
func (e *evaluator) shuffle(mode string, o []string, set func(uint64)) error {
	all, err := e.warp.wait(e.thread%32, e.bits(o[1]))
	if err != nil {
		return err
	}
	lane, b, c := e.thread%32, int(e.bits(o[2])&31), int(e.bits(o[3]))
	clamp, segment := c&31, c>>8&31
	most, least := lane&segment|clamp&^segment, lane&segment
	from, inside := 0, false
	switch mode {
	case "up":
		from = lane - b
		inside = from >= most
	case "down":
		from = lane + b
		inside = from <= most
	case "bfly":
		from = lane ^ b
		inside = from <= most
	case "idx":
		from = least | b&^segment
		inside = from <= most
	default:
		return fmt.Errorf("unknown")
	}
	if !inside {
		from = lane
	}
	set(all[from])
	return nil
}

// vote executes vote.sync with all lanes.
func (e *evaluator) vote(mode string, o []string, set func(uint64)) error {
	all, err := e.warp.wait(e.thread%32, e.registers[o[1]])
	if err != nil {
		return err
	}
	ballot := uint32(0)
	for lane, holds := range all {
		ballot |= uint32(holds) << lane
	}
	n := bits.OnesCount32(ballot)
	truth := map[string]bool{"all": n == 32, "any": n > 0, "uni": n == 0 || n == 32}
	switch holds, known := truth[mode]; {
	case mode == "ballot":
		set(uint64(ballot))
	case !known:
		return fmt.Errorf("unknown")
	case holds:
		set(1)
	default:
		set(0)
	}
	return nil
}

// store writes to the thread's output, the board or a .param variable.
func (e *evaluator) store(m, o []string) error {
	t := m[len(m)-1]
	switch m[1] {
	case "param":
		e.parameters[o[0][1:len(o[0])-1]] = e.bits(o[1])
		return nil
	case "shared":
		*e.cell(o[0]) = uint32(e.bits(o[1]))
		return nil
	}
	var at int
	if _, err := fmt.Sscanf(o[0], "[%%out+%d]", &at); err != nil {
		return err
	}
	if width(t) == 64 {
		binary.LittleEndian.PutUint64(e.output[at:], e.bits(o[1]))
	} else {
		binary.LittleEndian.PutUint32(e.output[at:], uint32(e.bits(o[1])))
	}
	return nil
}
