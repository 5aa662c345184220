package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/sim"
)

// module is PTX from the program.
type module struct {
	number uint64
	name   string
	linked bool // linked with the program's other such modules
	text   []byte
	pieces []*module // in place of text: the modules that the program has linked
}

// sources returns the module's texts.
func (m *module) sources() []sim.Source {
	if len(m.pieces) == 0 {
		return []sim.Source{{Name: m.name, Text: m.text}}
	}
	var all []sim.Source
	for _, piece := range m.pieces {
		all = append(all, piece.sources()...)
	}
	return all
}

// imageStart begins each device image in a program.
const imageStart = "keplersim "

// makeImage wraps PTX for a program: a line with the total length, the linked flag and the source's name comes first. An image that a
// program has linked with the driver API has images as its text.
func makeImage(source string, linked bool, ptx []byte) []byte {
	rest := fmt.Sprintf(" %t %s\n", linked, strings.ReplaceAll(source, "\n", " "))
	const digits = 12
	n := len(imageStart) + digits + len(rest) + len(ptx) + 1
	out := fmt.Appendf(nil, "%s%0*d%s", imageStart, digits, n, rest)
	return append(append(out, ptx...), 0)
}

// parseImage reverses makeImage.
func parseImage(number uint64, image []byte) (*module, error) {
	line, text, ok := bytes.Cut(image, []byte("\n"))
	fields := strings.SplitN(string(line), " ", 4)
	if !ok || len(fields) != 4 || fields[0]+" " != imageStart {
		return nil, errors.New("the program's device code was not made by keplersim")
	}
	linked, err := strconv.ParseBool(fields[2])
	if err != nil {
		return nil, fmt.Errorf("the program's device code: %w", err)
	}
	m := &module{number: number, name: fields[3], linked: linked}
	if !bytes.HasPrefix(text, []byte(imageStart)) {
		if m.text = bytes.TrimSuffix(text, []byte{0}); !cubin.IsMachineCode(m.text) {
			m.text = bytes.TrimRight(m.text, "\x00")
		}
		return m, nil
	}
	for len(text) > 0 {
		size, _, _ := strings.Cut(string(text[len(imageStart):min(len(text), len(imageStart)+20)]), " ")
		n, err := strconv.Atoi(size)
		if err != nil || n <= len(imageStart) || n > len(text) {
			return nil, fmt.Errorf("the program's device code: piece %d is not whole", len(m.pieces)+1)
		}
		piece, err := parseImage(number, text[:n])
		if err != nil {
			return nil, err
		}
		m.pieces, text = append(m.pieces, piece), text[n:]
		if len(text) > 0 && !bytes.HasPrefix(text, []byte(imageStart)) {
			return nil, fmt.Errorf("the program's device code: nothing begins behind piece %d", len(m.pieces))
		}
	}
	return m, nil
}

// The requests of opModule.
const (
	moduleKeep  = iota // keep it and load it on first use
	moduleLoad         // load at once, for the driver API, which returns errors at once
	moduleParse        // check it alone: it will be linked with others
	moduleLink         // check it as a whole
)

// module stores a module, or checks one.
func (s *Session) module(_ context.Context, d *device, q *request, a *response) {
	m, err := parseImage(q.a[0], q.payload)
	if err != nil {
		s.complain(err)
		a.err = ErrInvalidKernelImage
		return
	}
	switch q.a[1] {
	case moduleKeep:
		s.modules[m.number] = m
	case moduleLoad:
		s.modules[m.number] = m
		a.err, err = d.loadNow(m)
	case moduleParse, moduleLink:
		a.err, err = s.try(d, m, q.a[1] == moduleLink)
	default:
		a.err = ErrInvalidValue
	}
	if err != nil {
		a.data = []byte(err.Error())
	}
}

// loadNow loads a module and returns its error.
func (d *device) loadNow(m *module) (Error, error) {
	loaded, err := d.place(m)
	if err != nil {
		return ErrInvalidPtx, err
	}
	return unresolved(loaded.Kernels())
}

// try returns the error in a module without loading it. A piece may use names that others define, a whole may not.
func (s *Session) try(d *device, m *module, whole bool) (Error, error) {
	o := &s.options.Simulator
	program, _, err := code.Link(m.sources(), decode.Options{
		StrictTarget: o.StrictTarget, ComputeCapability: d.config.ComputeCapability, NoContraction: o.NoContraction,
	})
	switch {
	case err != nil && whole && len(m.pieces) > 0: // each piece was right on its own
		return ErrNoKernelImage, err
	case err != nil:
		return ErrInvalidPtx, err
	case whole:
		return unresolved(program.Kernels())
	}
	return Success, nil
}

// unresolved returns the error of the first kernel that calls an undefined function: a real driver then has no binary for the GPU.
func unresolved(kernels []*isa.Function) (Error, error) {
	for _, k := range kernels {
		if err := k.Resolved(); err != nil {
			return ErrNoKernelImage, err
		}
	}
	return Success, nil
}

// load returns a module on this device, together with the modules linked to it.
func (d *device) load(number uint64) (*sim.Module, Error) {
	if m := d.modules[number]; m != nil {
		return m, Success
	}
	of := d.session.modules[number]
	if of == nil {
		return nil, ErrInvalidKernelImage
	}
	if d.refused[number] {
		return nil, ErrInvalidPtx
	}
	loaded, err := d.place(of)
	if err != nil {
		d.session.complain(err)
		return nil, ErrInvalidPtx
	}
	return loaded, Success
}

// place loads a module onto the device.
func (d *device) place(of *module) (*sim.Module, error) {
	together := d.linkedModules(of)
	var sources []sim.Source
	for _, m := range together {
		sources = append(sources, m.sources()...)
	}
	loaded, err := d.gpu.Load(sources[0].Name, sources[0].Text, sources[1:]...)
	if err != nil {
		d.refused[of.number] = true
		return nil, err
	}
	for _, m := range together {
		d.modules[m.number] = loaded
	}
	d.session.options.Log.Info(
		"module", slog.String("file", of.name), slog.Int("device", d.number), slog.Int("kernels", len(loaded.Kernels())),
	)
	return loaded, nil
}

// linkedModules returns a module and the modules linked with it, in the order of their numbers.
func (d *device) linkedModules(of *module) []*module {
	if !of.linked {
		return []*module{of}
	}
	var all []*module
	for _, number := range slices.Sorted(maps.Keys(d.session.modules)) {
		if m := d.session.modules[number]; m.linked {
			all = append(all, m)
		}
	}
	return all
}
