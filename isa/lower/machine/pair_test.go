package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// chains returns f32 operations in count chains: operation n reads the result of operation n - count.
func chains(operations, count int) []isa.MachineOp {
	var list []isa.MachineOp
	for n := range operations {
		own := []isa.RegisterRange{{First: isa.Register(n % count), Count: 1}}
		list = append(list, isa.MachineOp{Class: isa.ClassFP32, Reads: own, Writes: own})
	}
	return list
}

// slots writes how many operations each issue slot has.
func slots(operations []isa.MachineOp) string {
	var widths []string
	for n := 0; n < len(operations); n++ {
		width := 1
		if operations[n].PairWithNext {
			width = 2
			n++
		}
		widths = append(widths, fmt.Sprint(width))
	}
	return strings.Join(widths, " ")
}

func TestTwoForTheCoresPairAfterSomeThatIssuedAlone(t *testing.T) {
	for _, test := range []struct {
		alone, chains int
		want          string
	}{
		{0, 16, "2 2 2 2 2 2"},
		{1, 16, "2 1 2 1 2 1 2 1"},
		{2, 16, "2 1 1 2 1 1 2 1 1"},
		{3, 16, "2 1 1 1 2 1 1 1 2"},
		{2, 1, "1 1 1 1 1 1 1 1 1 1 1 1"},
		{2, 2, "2 1 1 2 1 1 2 1 1"},
	} {
		operations := chains(12, test.chains)
		pairOperations(operations, nil, &target.Options{CoreAlone: test.alone, Latency: target.Options{}.WithDefaults().Latency})
		assert.Equal(t, test.want, slots(operations), "%d alone, %d chains", test.alone, test.chains)
	}
}

func TestWhatIsNotReadyTogetherDoesNotPair(t *testing.T) {
	operations := chains(4, 16)
	operations[1].Class = isa.ClassMultiply // 15 cycles
	operations[2].Reads = operations[1].Writes
	pairOperations(operations, nil, &target.Options{CoreAlone: 1, Latency: target.Options{}.WithDefaults().Latency})
	assert.Equal(t, "2 1 1", slots(operations), "the third waits for the second, the fourth would wait with it")
	operations = chains(3, 16)
	operations[2].Reads = operations[0].Writes
	operations[1].Class = isa.ClassShared
	pairOperations(operations, map[int32]bool{1: true}, &target.Options{CoreAlone: 1, Latency: target.Options{}.WithDefaults().Latency})
	assert.Equal(t, "1 2", slots(operations), "a load and what reads the block before pair, and no branch enters a pair")
}
