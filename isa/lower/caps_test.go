package lower_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
)

var seed = flag.Uint64("seed", 1, "the first program's seed; 0 for another one in each run")

// Under any register limit, every value of a random program reaches its uses.
func TestVerifyUnderCaps(t *testing.T) {
	first, programs := *seed, uint64(96)
	if first == 0 {
		first = uint64(time.Now().UnixNano()) % 1_000_000_000
	}
	t.Logf("-seed %d", first)
	if testing.Short() {
		programs = 24
	}
	for s := first; s < first+programs; s++ {
		registers := 16 + int(s%48)
		file, err := ptx.Parse(fmt.Sprintf("seed %d", s), fuzz.Generate(s))
		require.NoError(t, err)
		p, err := decode.Program([]*ptx.File{file}, decode.Options{})
		require.NoError(t, err)
		require.NoError(t, lower.Verify(p, p.Kernels()[0], lower.Options{MaxRegisters: registers}), "-seed %d, %d registers", s, registers)
	}
}
