package toolchain_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// device is a GPU with the kernels of a CUDA C source loaded.
type device struct {
	*sim.GPU
	t      *testing.T
	module *sim.Module
}

func newDevice(t *testing.T, source string, o toolchain.Options, s sim.Options) device {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kernels.cu")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	return loadFile(t, path, o, s)
}

func loadFile(t *testing.T, path string, o toolchain.Options, s sim.Options) device {
	t.Helper()
	result, err := toolchain.Compile(context.Background(), path, o)
	require.NoError(t, err)
	chip, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	gpu, err := sim.New(chip, s)
	require.NoError(t, err)
	module, err := gpu.Load("kernels.ptx", result.PTX)
	require.NoError(t, err)
	return device{gpu, t, module}
}

// buffer allocates device memory and copies data, a slice of numbers, into it.
func (d device) buffer(name string, data any) uint64 {
	d.t.Helper()
	bytes, err := binary.Append(nil, binary.LittleEndian, data)
	require.NoError(d.t, err)
	address, err := d.Allocate(name, uint64(len(bytes)))
	require.NoError(d.t, err)
	require.NoError(d.t, d.Write(address, bytes))
	return address
}

// read fills a slice of numbers from device memory.
func (d device) read(address uint64, into any) {
	d.t.Helper()
	bytes := make([]byte, binary.Size(into))
	require.NoError(d.t, d.Read(address, bytes))
	_, err := binary.Decode(bytes, binary.LittleEndian, into)
	require.NoError(d.t, err)
}

// launch runs a kernel by its name in C++ or in PTX. Parameters follow each other at their alignments.
func (d device) launch(kernel string, grid, block [3]int, shared int, parameters ...any) {
	d.t.Helper()
	var data []byte
	for _, p := range parameters {
		alignment := binary.Size(p)
		if alignment > 8 {
			alignment = 4 // a struct of floats
		}
		for len(data)%alignment != 0 {
			data = append(data, 0)
		}
		var err error
		data, err = binary.Append(data, binary.LittleEndian, p)
		require.NoError(d.t, err)
	}
	entry := ""
	for _, k := range d.module.Kernels() {
		if name, _, _ := strings.Cut(debuginfo.Demangle(k.Name), "("); name == kernel || strings.HasPrefix(name, "void "+kernel+"<") ||
			name == "void "+kernel {
			entry = k.Name
		}
	}
	require.NotEmpty(d.t, entry, kernel)
	_, err := d.Launch(
		context.Background(), sim.Launch{Module: d.module, Kernel: entry, Grid: grid, Block: block, Shared: shared, Parameters: data},
	)
	require.NoError(d.t, err, kernel)
}

func init() { toolchain.NeedClang, toolchain.NeedBuilder = need.Clang, need.Builder }
