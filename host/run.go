package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/spill"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/workload"
)

// Result has the results of a run, up to its end or failure.
type Result struct {
	Launches []*stats.Launch // in the order in which they ran; the last may be an interrupted one
	// More has the launches after Launches, and Later continues Timeline, with Options.Spill; else they are nil.
	More       *spill.List[stats.Launch]
	Later      *spill.List[stats.Interval]
	Mismatches []*workload.Mismatch // buffers with unexpected contents
	Checked    []string             // buffers that were compared
	Incomplete bool                 // some blocks did not run, so nothing was compared
	Timeline   []stats.Interval     // what happened when
	HostUS     float64              // from the first step to the last call's return, in microseconds; 0 without timing
	Power      []*stats.Power       // each device's board power; nil if not requested
	DeviceUS   float64              // to the end of the devices' last command
	Mistakes   []*finding.Finding   // what the checks found
	Cycle      int64                // the cycles of the busiest device
	Saved      *Saved               // the checkpoint written, nil for none
	SaveError  error                // why the checkpoint could not be written; the run continued without it
	Resumed    *Saved               // the checkpoint that the run continued from, nil for none
	partial    bool                 // in some launch, not all blocks ran
}

// fullLaunches is the number of launches that keep the counters of each SMX; reports do not need those of later launches, which are
// spilled and take spilledBytes of memory.
const fullLaunches, spilledBytes = 64, 2 << 20

// add adds a finished launch. It returns a launch that is no longer in use, nil for none.
func (r *Result) add(l *stats.Launch, spills bool) (free *stats.Launch) {
	r.partial = r.partial || l.Estimate != nil && l.Estimate.Partial
	if !spills || len(r.Launches) < fullLaunches {
		r.Launches = append(r.Launches, l)
		return nil
	}
	if r.More == nil {
		r.More = spill.New(spilledBytes, func(l *stats.Launch) string { return l.Kernel })
	}
	return r.More.Append(l)
}

// Refused is the error of an impossible step: a launch that the chip cannot run, a buffer that exceeds its memory. The input is at fault,
// not the run.
type Refused struct{ Err error }

// Error is the cause.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap is the cause.
func (r *Refused) Unwrap() error { return r.Err }

// Run allocates and fills the buffers, executes the steps, and compares the results with the expected ones. The result is never nil; after
// an error it has the results so far. A mismatch is no error.
func (j *Job) Run(ctx context.Context) (*Result, error) {
	r := &Result{}
	if err := j.savable(); err != nil {
		return r, &Refused{err}
	}
	if err := j.prepare(); err != nil {
		return r, &Refused{err}
	}
	if err := j.resumed(func() error { return j.execute(ctx, r) }); err != nil {
		return r, err
	}
	return r, j.check(r)
}

// resumed executes a run. A resumed state can hold anything, as anyone can change and re-sign one, and impossible values can break
// invariants. Such a panic is an error of the file.
func (j *Job) resumed(execute func() error) (err error) {
	if j.options.Resume != "" {
		defer func() {
			if broken := recover(); broken != nil {
				err = &Refused{fmt.Errorf("%s: the state is not one that a run has left (%v): it was changed after it was saved. "+
					"If it was not, "+
					"please report that", j.options.Resume, broken)}
			}
		}()
	}
	return execute()
}

// prepare allocates the buffers in order and writes the initial contents of buffers and symbols, which may be addresses of others.
func (j *Job) prepare() error {
	for _, b := range j.Workload.Buffers {
		if b.Symbol != nil {
			continue
		}
		g := j.gpus[b.Device]
		allocate := g.Allocate
		switch b.Memory {
		case workload.MemoryMapped:
			allocate = func(name string, bytes uint64) (uint64, error) { return g.AllocateMapped(name, bytes, 256) }
		case workload.MemoryManaged:
			allocate = g.AllocateManaged
		}
		address, err := allocate(b.Name, uint64(max(b.Bytes(), 1))) // an empty buffer also has an address
		if err != nil {
			return fmt.Errorf("buffer %s of %d bytes: %w", b.Name, b.Bytes(), err)
		}
		j.addresses[b.Name] = address
	}
	for _, b := range j.Workload.Buffers {
		if b.Symbol != nil {
			if err := j.fillSymbol(&b); err != nil {
				return fmt.Errorf("symbol %s: %w", b.Name, err)
			}
			continue
		}
		if b.Init.Kind == workload.InitUnset {
			j.gpus[b.Device].Unset(j.addresses[b.Name], uint64(b.Bytes()))
		}
		if b.Init.Kind == "" || b.Init.Kind == workload.InitZero || b.Init.Kind == workload.InitUnset {
			continue // allocation has cleared it
		}
		if err := j.fill(&b); err != nil {
			return err
		}
		j.options.Log.Debug("buffer", slog.String("name", b.Name), slog.String("address", fmt.Sprintf("0x%x", j.addresses[b.Name])),
			slog.Int64("bytes", b.Bytes()))
	}
	return j.bind()
}

// fill writes the initial contents of a buffer or symbol to the device.
func (j *Job) fill(b *workload.Buffer) error {
	from, err := j.initial(b)
	if err != nil {
		return err
	}
	defer from.Close()
	computed := from.Computed()
	ownDevice := b.Symbol == nil && b.Memory != workload.MemoryMapped && b.Memory != workload.MemoryManaged
	if j.options.Simulator.TimeAlone && computed != nil && ownDevice {
		address := j.addresses[b.Name] // most of it may never be accessed
		err = j.gpus[b.Device].FillLazily(address, uint64(b.Bytes()), func(at uint64, into []byte) { computed(int64(at), into) })
	} else {
		err = j.write(b.Name, 0, from, 0, b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("fill %s: %w", b.Name, err)
	}
	return nil
}

// initial returns a buffer's initial contents, with addresses filled in. The caller closes them.
func (j *Job) initial(b *workload.Buffer) (*workload.Contents, error) {
	from, err := j.Workload.Contents(*b, j)
	if err != nil {
		return nil, fmt.Errorf("init of %s: %w", b.Name, err)
	}
	return from, nil
}

// BufferAddress is the device address of a buffer, once Run has allocated it, or of a symbol's variable in global memory.
func (j *Job) BufferAddress(name string) (uint64, error) {
	if v := j.variables[name]; v != nil {
		return v.module.SymbolAddress(v.symbol.Name)
	}
	address, ok := j.addresses[name]
	if !ok {
		return 0, fmt.Errorf("there is no buffer %q", name)
	}
	return address, nil
}

// write copies bytes of a source, from byte start, to a buffer or symbol at an offset. It counts as one copy but proceeds in pieces.
func (j *Job) write(name string, offset uint64, from io.ReaderAt, start, bytes int64) error {
	if v := j.variables[name]; v != nil {
		data := make([]byte, bytes)
		if _, err := from.ReadAt(data, start); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return v.module.WriteSymbol(v.symbol.Name, offset, data)
	}
	b, _ := j.Workload.Buffer(name)
	g, address := j.gpus[b.Device], j.addresses[name]+offset
	err := workload.InPieces(from, start, bytes, func(at int64, piece []byte) error {
		return g.WritePart(address+uint64(at-start), piece)
	})
	if err == nil {
		g.Written(address, uint64(bytes))
	}
	return err
}

// read copies bytes out of a buffer or symbol, from an offset in bytes.
func (j *Job) read(b *workload.Buffer, offset uint64, into []byte) error {
	if v := j.variables[b.Name]; v != nil {
		return v.module.ReadSymbol(v.symbol.Name, offset, into)
	}
	return j.gpus[b.Device].Read(j.addresses[b.Name]+offset, into)
}

// check compares every buffer with an expectation, unless blocks were left out.
func (j *Job) check(r *Result) error {
	if r.Incomplete = r.partial; r.Incomplete {
		return nil
	}
	seen := map[string]bool{}
	for _, e := range j.Workload.Expect {
		if seen[e.Buffer] {
			continue
		}
		seen[e.Buffer] = true
		m, err := j.Workload.Check(e.Buffer, reader{j, e.Buffer})
		if err != nil {
			return err
		}
		r.Checked = append(r.Checked, e.Buffer)
		if m != nil {
			r.Mismatches = append(r.Mismatches, m)
		}
	}
	return nil
}

// reader reads the current contents of a buffer or symbol.
type reader struct {
	job  *Job
	name string
}

// ReadAt implements [io.ReaderAt].
func (r reader) ReadAt(into []byte, offset int64) (int, error) {
	b, _ := r.job.Workload.Buffer(r.name)
	if err := r.job.read(&b, uint64(offset), into); err != nil {
		return 0, fmt.Errorf("read buffer %s: %w", r.name, err)
	}
	return len(into), nil
}

// Buffer copies the current contents of a buffer.
func (j *Job) Buffer(name string) ([]byte, error) {
	b, ok := j.Workload.Buffer(name)
	if !ok {
		return nil, j.noBuffer(name)
	}
	data := make([]byte, b.Bytes())
	if err := j.read(&b, 0, data); err != nil {
		return nil, fmt.Errorf("read buffer %s: %w", name, err)
	}
	return data, nil
}

// Contents returns the SHA-256, in hexadecimal, of each buffer's current contents, in the order of Workload.Buffers.
func (j *Job) Contents() ([]string, error) {
	hashes := make([]string, len(j.Workload.Buffers))
	for i, b := range j.Workload.Buffers {
		var err error
		if hashes[i], err = workload.HashOf(reader{j, b.Name}, b.Bytes()); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// noBuffer is the error for an unknown buffer; it lists the buffers.
func (j *Job) noBuffer(name string) error {
	if len(j.Workload.Buffers) == 0 {
		return fmt.Errorf("there is no buffer %q: the workload has none", name)
	}
	names := ""
	for _, b := range j.Workload.Buffers {
		names += " " + b.Name
	}
	return fmt.Errorf("there is no buffer %q; the buffers are%s", name, names)
}

// CheckBuffer returns an error if the workload has no such buffer.
func (j *Job) CheckBuffer(name string) error {
	if _, ok := j.Workload.Buffer(name); !ok {
		return j.noBuffer(name)
	}
	return nil
}

// Dump writes the current bytes of a buffer to a file.
func (j *Job) Dump(name, path string) error {
	b, ok := j.Workload.Buffer(name)
	if !ok {
		return j.noBuffer(name)
	}
	err := files.Write(path, func(w io.Writer) error {
		return workload.InPieces(reader{j, name}, 0, b.Bytes(), func(_ int64, piece []byte) error {
			_, err := w.Write(piece)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("write buffer %s: %w", name, err)
	}
	return nil
}

// Read copies memory of the first device out, while the job runs.
func (j *Job) Read(address uint64, into []byte) error { return j.gpu.Read(address, into) }
