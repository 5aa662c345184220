package programs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/sim/stats"
)

// Rows whose kernels are published as machine code. Each runs from nvcc's machine code, and from the PTX in the same file, compiled by
// isa/lower. The comparison separates the compiler's error from the model's.

//go:embed binaries/*.yaml
var binaryFiles embed.FS

// BinaryRows returns the rows of machine code, by file and place.
func BinaryRows() ([]*Row, error) { return rowsIn(binaryFiles, "binaries", Parse) }

// BinaryResult is a row's result from machine code and from PTX, nil if the file has none.
type BinaryResult struct {
	Row     *Row
	Machine Result
	PTX     *Result
	// Same means that both launches left the same bytes in all buffers.
	Same bool
}

// InstructionError is the error of the instructions executed from machine code against the card's profile, in percent.
func (r *BinaryResult) InstructionError() float64 {
	return percent(float64(r.Machine.Launch.Total.InstExecuted)/r.Row.Part, r.Row.Measured.Instructions)
}

// RunBinary runs a row both ways.
func RunBinary(ctx context.Context, row *Row, o Options) BinaryResult {
	result := BinaryResult{Row: row}
	machine, sums, err := row.launch(ctx, o, "machine code")
	result.Machine = Result{Row: row, Launch: machine}
	if result.Machine.Status, result.Machine.Reason = statusOf(ctx, err); err != nil {
		return result
	}
	ptx, others, err := row.launch(ctx, o, "PTX")
	if errors.Is(err, errNoPTX) {
		return result
	}
	result.PTX = &Result{Row: row, Launch: ptx}
	result.PTX.Status, result.PTX.Reason = statusOf(ctx, err)
	result.Same = err == nil && maps.Equal(sums, others)
	return result
}

var errNoPTX = errors.New("the file holds no PTX of the kernel")

// launch runs a row from machine code or from PTX, depending on kind.
func (r *Row) launch(ctx context.Context, o Options, kind string) (*stats.Launch, map[string][sha256.Size]byte, error) {
	folder, err := checkout(o.Sources, r.Program.Repository, r.Program.Commit)
	if err != nil {
		return nil, nil, err
	}
	name, data, err := r.binary(folder, kind)
	if err != nil {
		return nil, nil, err
	}
	return r.simulateUnit(ctx, folder, name, data, slices.Collect(maps.Keys(r.Buffers)))
}

// binary returns the row's file, or the PTX in it with the row's kernel.
func (r *Row) binary(folder, kind string) (name string, data []byte, err error) {
	path := filepath.Join(folder, filepath.FromSlash(r.Kernel.Binary))
	if err := checkFile(path, r.Program.Files[r.Kernel.Binary]); err != nil {
		return "", nil, err
	}
	if data, err = os.ReadFile(path); err != nil || kind != "PTX" {
		return "unit.cubin", data, err
	}
	images, err := cubin.Images(data)
	if err != nil {
		return "", nil, err
	}
	for _, image := range images {
		if bytes.Contains(image.PTX, []byte(".entry ")) {
			return "unit.ptx", image.PTX, nil
		}
	}
	return "", nil, errNoPTX
}

// checkBinary returns an error for an incomplete kernel of machine code.
func (p *Program) checkBinary(k *Kernel) error {
	if len(k.Files) > 0 || k.Own != "" || k.Entry == "" || len(p.Files[k.Binary]) != 2*sha256.Size {
		return fmt.Errorf("a kernel of machine code has a binary with its SHA-256 under files, and an entry")
	}
	return nil
}

// checksums are the SHA-256 sums of buffers, by name.
func checksums(names []string, read func(string) ([]byte, error)) (map[string][sha256.Size]byte, error) {
	sums := map[string][sha256.Size]byte{}
	slices.Sort(names)
	for _, name := range names {
		data, err := read(name)
		if err != nil {
			return nil, err
		}
		sums[name] = sha256.Sum256(data)
	}
	return sums, nil
}
