package oracle

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Vectors is the number of input vectors for each form.
const Vectors = 4096

// Form is an instruction form with the GPU's results.
type Form struct {
	// Name is the form, for instance "fma.rm.ftz.f32"; for most forms it is the instruction's text.
	Name string
	// Inputs are the PTX types of the operands a, b, c.
	Inputs []string
	// Output is the PTX type of the result. Results of type u8 and s8 are whole 32-bit registers.
	Output string
	// Width is the size of one output in bytes: 2, 4 or 8.
	Width int
	// Body is the PTX that was run: {a} {b} {c} are inputs, {d} is the output, {p} a predicate, {x} {y} are 32-bit temporaries.
	Body string
	// Outputs are the results, one a vector, zero-extended.
	Outputs []uint64
}

// Refusal is a form that the assembler rejects for sm_35.
type Refusal struct{ Name, Message string }

// Oracle is the whole record.
type Oracle struct {
	Forms   []Form
	Refused []Refusal
	inputs  map[string][3][]uint64
}

// Open reads the record once in a process. Later calls return the same value, which must not be changed.
var Open = sync.OnceValues(open)

// Operand returns the inputs for an operand of a PTX type at a position (0, 1, 2 for a, b, c), truncated to the type's width and
// zero-extended.
func (o *Oracle) Operand(ptxType string, position int) []uint64 {
	class := ptxType
	if !strings.HasPrefix(ptxType, "f") {
		class = "int"
	}
	bits, err := strconv.Atoi(ptxType[1:])
	if err != nil {
		panic("oracle: not a PTX type: " + ptxType)
	}
	raw := o.inputs[class][position]
	out := make([]uint64, len(raw))
	for i, v := range raw {
		out[i] = v << (64 - bits) >> (64 - bits)
	}
	return out
}

// Path is the path of a file of the record: testdata/oracle/NAME under the module's root, which is searched upwards from the working
// directory.
func Path(name string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata", "oracle", name), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("oracle: no go.mod above the working directory")
		}
		dir = parent
	}
}

func open() (*Oracle, error) {
	o := &Oracle{inputs: map[string][3][]uint64{}}
	outputs, err := unpack("out.bin.bz2")
	if err != nil {
		return nil, err
	}
	inputs, err := unpack("in.u64.bz2")
	if err != nil {
		return nil, err
	}
	for _, class := range []string{"f16", "f32", "f64", "int"} {
		var operands [3][]uint64
		for i := range operands {
			operands[i] = words(inputs[:8*Vectors], 8)
			inputs = inputs[8*Vectors:]
		}
		o.inputs[class] = operands
	}
	rows, err := table("index.tsv", 6)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		width, err1 := strconv.Atoi(row[3])
		offset, err2 := strconv.Atoi(row[4])
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("oracle: index.tsv: form %s: %w", row[0], err)
		}
		if offset+Vectors*width > len(outputs) {
			return nil, fmt.Errorf("oracle: form %s reaches past the outputs", row[0])
		}
		o.Forms = append(o.Forms, Form{
			Name: row[0], Inputs: strings.Split(row[1], ","), Output: row[2], Width: width, Body: row[5],
			Outputs: words(outputs[offset:offset+Vectors*width], width),
		})
	}
	if rows, err = table("refused.tsv", 2); err != nil {
		return nil, err
	}
	for _, row := range rows {
		o.Refused = append(o.Refused, Refusal{Name: row[0], Message: row[1]})
	}
	return o, nil
}

func read(name string) ([]byte, error) {
	path, err := Path(name)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	return data, nil
}

func unpack(name string) ([]byte, error) {
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil, fmt.Errorf("oracle: %s: %w", name, err)
	}
	return plain, nil
}

func table(name string, columns int) ([][]string, error) {
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		row := strings.Split(line, "\t")
		if len(row) != columns {
			return nil, fmt.Errorf("oracle: %s:%d: %d columns, want %d", name, n+1, len(row), columns)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func words(data []byte, width int) []uint64 {
	out := make([]uint64, len(data)/width)
	for i := range out {
		var word [8]byte
		copy(word[:], data[i*width:(i+1)*width])
		out[i] = binary.LittleEndian.Uint64(word[:])
	}
	return out
}

// Runs is the number of runs of consecutive inputs in an exhaustive digest, and RunLength the number of inputs in each.
const (
	Runs      = 1 << 14
	RunLength = 1 << 18
)

// Digests returns, for each f32 unary function computed on all 2^32 inputs by the GPU, one digest a run.
func Digests() (map[string][]uint32, error) {
	data, err := read("exhaustive/digests.u32")
	if err != nil {
		return nil, err
	}
	rows, err := table("exhaustive/index.txt", 1)
	if err != nil {
		return nil, err
	}
	if len(data) != 4*Runs*len(rows) {
		return nil, fmt.Errorf("oracle: exhaustive/digests.u32 has %d bytes, want %d", len(data), 4*Runs*len(rows))
	}
	digests := map[string][]uint32{}
	for _, row := range rows {
		for _, w := range words(data[:4*Runs], 4) {
			digests[row[0]] = append(digests[row[0]], uint32(w))
		}
		data = data[4*Runs:]
	}
	return digests, nil
}

// Digest is the contribution of one input and output to a digest. A run's digest is the low 32 bits of the sum.
func Digest(input, output uint32) uint64 {
	x := uint64(input)<<32 | uint64(output)
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
