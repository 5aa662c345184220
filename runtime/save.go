package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// Save writes one launch of a program as a workload file, with images of the memory before the launch. So the kernel can be studied alone.
type Save struct {
	Kernel string // by its name in C++ or PTX
	Number int    // of the kernel's launches, from 1
	File   string // the workload file; PTX and images are written next to it
	seen   int
	Done   bool
}

// ParseSave reads NAME or NAME:NUMBER.
func ParseSave(text, file string) (*Save, error) {
	s := &Save{Kernel: text, Number: 1, File: file}
	if name, number, ok := strings.Cut(text, ":"); ok && !strings.HasPrefix(number, ":") {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--save-launch %s: write NAME or NAME:NUMBER, as in blur:3 for its third launch", text)
		}
		s.Kernel, s.Number = name, n
	}
	return s, nil
}

// wants tells whether to save this launch.
func (s *Save) wants(kernel string) bool {
	if s == nil || s.Done || !code.Means(s.Kernel, kernel) {
		return false
	}
	s.seen++
	return s.seen == s.Number
}

// Saved returns the options for saving a launch, nil for none.
func (s *Session) Saved() *Save { return s.options.Save }

// saving is a launch being saved.
type saving struct {
	*Save
	device    *device
	addresses []uint64 // of the program's allocations, in order: the first is buffer b0
	w         workload.Workload
	sum       map[string][32]byte // of each buffer's initial contents
	note      []string
}

// base is the file's path without extension; the names of the files next to it begin like this.
func (s *saving) base() string { return strings.TrimSuffix(s.File, filepath.Ext(s.File)) }

// beside writes a file next to the workload file and returns its name relative to that.
func (s *saving) beside(end string, data []byte) (string, error) {
	path := s.base() + end
	return filepath.Base(path), files.Write(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// save writes the state before a launch: modules, memory, variables and arguments.
func (d *device) save(ctx context.Context, number uint64, l *sim.Launch) (*saving, error) {
	d.drain(ctx)
	s := &saving{Save: d.session.options.Save, device: d, sum: map[string][32]byte{}}
	s.addresses = slices.Sorted(maps.Keys(d.pieces))
	s.w = workload.Workload{Name: filepath.Base(s.base()), Config: d.config.Name}
	var err error
	var sources []sim.Source
	for _, m := range d.linkedModules(d.session.modules[number]) {
		sources = append(sources, m.sources()...)
	}
	for i, source := range sources {
		end := ".ptx"
		if i > 0 {
			end = fmt.Sprintf("-%d.ptx", i)
		}
		name, wrong := s.beside(end, source.Text)
		if wrong != nil {
			return nil, wrong
		}
		if i == 0 {
			s.w.Module = name
		} else {
			s.w.Link = append(s.w.Link, name)
		}
	}
	if err = s.buffers(); err == nil {
		err = s.symbols(l.Module)
	}
	if err != nil {
		return nil, err
	}
	machine, err := l.Module.Lower(ctx, l.Kernel)
	if err != nil {
		return nil, err
	}
	step := workload.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Repeat: 1}
	for _, p := range machine.Kernel.Parameters {
		step.Args = append(step.Args, s.argument(l.Parameters[p.Offset:p.Offset+p.Bytes]))
	}
	s.w.Steps = []workload.Step{{Launch: &step}}
	return s, s.write("")
}

// buffers writes images of the program's allocations.
func (s *saving) buffers() error {
	for i, address := range s.addresses {
		name := fmt.Sprintf("b%d", i)
		image := s.image(address)
		pointers := 0
		for at := 0; at+8 <= len(image); at += 8 {
			if s.device.session.owner(binary.LittleEndian.Uint64(image[at:])) != nil {
				pointers++
			}
		}
		if pointers > 0 {
			s.note = append(s.note, fmt.Sprintf("%s holds %d words that look like addresses; they are kept as numbers, which mean "+
				"nothing elsewhere", name, pointers))
		}
		file, err := s.beside("-"+name+".bin", image)
		if err != nil {
			return err
		}
		s.sum[name] = sha256.Sum256(image)
		s.w.Buffers = append(s.w.Buffers, workload.Buffer{
			Name: name, Type: "u8", Count: int64(len(image)), Init: workload.Init{Kind: workload.InitFile, File: file},
		})
	}
	return nil
}

func (s *saving) image(address uint64) []byte {
	return s.device.session.arena.at(address, s.device.pieces[address].bytes)
}

// symbols writes images of the modules' variables.
func (s *saving) symbols(m *sim.Module) error {
	for _, v := range m.Program().Symbols {
		if !sim.HostVisible(v) || v.Opaque() || v.Bytes == 0 {
			continue
		}
		var image []byte
		if v.Space == isa.SpaceGlobal {
			image = slices.Clone(s.device.session.arena.at(v.Address, uint64(v.Bytes)))
		} else {
			image = make([]byte, v.Bytes)
			if err := m.ReadSymbol(v.Name, 0, image); err != nil {
				return err
			}
		}
		file, err := s.beside("-"+v.Name+".bin", image)
		if err != nil {
			return err
		}
		s.w.Buffers = append(s.w.Buffers, workload.Buffer{
			Name: v.Name, Type: "u8", Count: int64(len(image)), Symbol: &workload.Symbol{Name: v.Name},
			Init: workload.Init{Kind: workload.InitFile, File: file},
		})
	}
	return nil
}

// argument turns a parameter's bytes into an argument: pointers into allocations become buffers' addresses, structs become 8-byte words.
func (s *saving) argument(value []byte) workload.Argument {
	if len(value) == 8 {
		if a, ok := s.pointer(binary.LittleEndian.Uint64(value)); ok {
			return a
		}
	}
	if len(value) > 8 && len(value)%8 == 0 {
		var members []workload.Argument
		points := false
		for at := 0; at < len(value); at += 8 {
			a, ok := s.pointer(binary.LittleEndian.Uint64(value[at:]))
			if !ok {
				a = workload.Argument{Bytes: value[at : at+8]}
			}
			points = points || ok
			members = append(members, a)
		}
		if points {
			return workload.Argument{Members: members}
		}
	}
	return workload.Argument{Bytes: value}
}

// pointer turns an address into a buffer and an offset.
func (s *saving) pointer(address uint64) (workload.Argument, bool) {
	at, found := s.device.gpu.Allocation(address)
	if !found {
		return workload.Argument{}, false
	}
	n, own := slices.BinarySearch(s.addresses, at.Address)
	if !own {
		return workload.Argument{}, false
	}
	return workload.Argument{Buffer: fmt.Sprintf("b%d", n), Offset: int64(address - at.Address)}, true
}

// write writes the workload file, with the expected results once they are known.
func (s *saving) write(expect string) error {
	var notes strings.Builder
	fmt.Fprintf(&notes, "# Launch %d of %s in a program. What was bound to textures is not among it.\n", s.Number, s.Kernel)
	for _, n := range s.note {
		fmt.Fprintf(&notes, "# %s.\n", n)
	}
	return files.Write(s.File, func(w io.Writer) error {
		_, err := io.WriteString(w, notes.String()+s.w.YAML()+expect)
		return err
	})
}

// finish adds the final contents of the buffers that the launch changed.
func (s *saving) finish() error {
	var expect strings.Builder
	heading := "expect:\n"
	for i, address := range s.addresses {
		name := fmt.Sprintf("b%d", i)
		if sum := sha256.Sum256(s.image(address)); sum != s.sum[name] {
			fmt.Fprintf(&expect, "%s  %s: {sha256: %q}\n", heading, name, hex.EncodeToString(sum[:]))
			heading = ""
		}
	}
	s.Done = true
	return s.write(expect.String())
}
