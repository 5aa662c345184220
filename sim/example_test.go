package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// y = 2 x + y for 1,024 elements, from Go.
func Example() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	source, err := os.ReadFile("../workloads/saxpy/saxpy.ptx")
	check(err)
	config, err := configs.Load("gk110", nil)
	check(err)
	gpu, err := sim.New(config, sim.Options{})
	check(err)
	module, err := gpu.Load("saxpy.ptx", source)
	check(err)
	x, err := gpu.Allocate("x", 4096)
	check(err)
	y, err := gpu.Allocate("y", 4096)
	check(err)
	check(gpu.Write(x, binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5))))

	// The kernel's parameter space: u32 n, f32 a, then two addresses.
	parameters := binary.LittleEndian.AppendUint32(nil, 1024)
	parameters = binary.LittleEndian.AppendUint32(parameters, math.Float32bits(2))
	parameters = binary.LittleEndian.AppendUint64(parameters, x)
	parameters = binary.LittleEndian.AppendUint64(parameters, y)
	launch, err := gpu.Launch(context.Background(), sim.Launch{Module: module, Kernel: "saxpy", Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}, Parameters: parameters})
	check(err)

	result := make([]byte, 4)
	check(gpu.Read(y, result))
	fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(result)), launch.Total.WarpsLaunched, launch.Cycles > 1000, launch.Achieved() > 0)
	// Output: 3 32 true true
}

// The README's lines of Go are those of the example, which runs.
func TestReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, code, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found)
	code, _, _ = strings.Cut(code, "```")
	lines := 0
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "fmt.") {
			assert.Contains(t, string(example), "\t"+line+"\n")
			lines++
		}
	}
	assert.GreaterOrEqual(t, lines, 5)
}
