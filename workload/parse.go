package workload

import (
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/yamllimits"
)

// MaxBufferBytes bounds one buffer: 24 GiB, the memory of the K80's two halves together.
const MaxBufferBytes = 24 << 30

// Extensions are the extensions of workload files, in the order in which Beside tries them.
var Extensions = []string{".yaml", ".yml", ".json"}

// Beside returns the workload file next to a kernel file, as kernel.yaml for kernel.ptx, and whether it exists.
func Beside(kernel string) (string, bool) {
	base := strings.TrimSuffix(kernel, filepath.Ext(kernel))
	for _, extension := range Extensions {
		if info, err := os.Stat(base + extension); err == nil && !info.IsDir() {
			return base + extension, true
		}
	}
	return "", false
}

// Load reads and checks the workload file at path. The error is an Errors if the contents are wrong or name files that do not exist.
func Load(path string) (*Workload, error) {
	data, err := files.Read(path, yamllimits.MostBytes)
	if err != nil {
		return nil, fmt.Errorf("workload file: %w", err)
	}
	return LoadText(path, data)
}

// LoadText is Load for a text already read.
func LoadText(path string, data []byte) (*Workload, error) {
	w, r := parse(path, data)
	if len(r.problems) == 0 {
		r.checkFiles(w)
	}
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return w, nil
}

// Parse checks the text of a workload file without opening the files it names. path is for messages and for resolving file names.
func Parse(path string, data []byte) (*Workload, error) {
	w, r := parse(path, data)
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return w, nil
}

func parse(path string, data []byte) (*Workload, *reader) {
	r := &reader{path: path, anchors: map[string]ast.Node{}}
	w := &Workload{Path: path, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	root := r.parseTree(data)
	if root == nil {
		return w, r
	}
	var streams, steps, expect, textures, samplers ast.Node // read after the buffers that they name
	seen := r.mapping(root, "the workload", fields{
		"name":   func(n ast.Node) { w.Name, _ = r.text(n, "name", true) },
		"module": func(n ast.Node) { w.Module, _ = r.text(n, "module", false) },
		"config": func(n ast.Node) { w.Config, _ = r.text(n, "config", false) },
		"link": func(n ast.Node) {
			r.list(n, "link", func(_ int, v ast.Node) {
				if s, ok := r.text(v, "a linked module", false); ok {
					w.Link = append(w.Link, s)
				}
			})
		},
		"buffers":  func(n ast.Node) { r.buffers(w, n) },
		"symbols":  func(n ast.Node) { r.symbols(w, n) },
		"textures": func(n ast.Node) { textures = n },
		"samplers": func(n ast.Node) { samplers = n },
		"streams":  func(n ast.Node) { streams = n },
		"mps":      func(n ast.Node) { w.MPS = r.boolean(n, "mps") },
		"default_stream": func(n ast.Node) {
			r.perThread = r.word(n, "default_stream", []string{"legacy", perThreadName}) == perThreadName
		},
		"steps":  func(n ast.Node) { steps = n },
		"expect": func(n ast.Node) { expect = n },
	})
	for _, read := range r.deferred {
		read()
	}
	if textures != nil {
		r.textures(w, textures)
	}
	if samplers != nil {
		r.samplers(w, samplers)
	}
	if streams != nil {
		r.streams(w, streams)
	}
	if steps != nil {
		r.steps(w, steps)
	} else if len(r.problems) == 0 && !seen["steps"] {
		r.fail(position(root), "the workload has no steps; a launch is written\n  steps:\n"+
			"    - launch: {kernel: NAME, grid: [1], block: [32], args: []}")
	}
	if expect != nil {
		r.expect(w, expect)
	}
	return w, r
}

// isNothing tells whether a value was left out, as in "buffers:" alone.
func (r *reader) isNothing(n ast.Node) bool {
	_, null := r.resolve(n).(*ast.NullNode)
	return null || r.resolve(n) == nil
}

func (r *reader) buffers(w *Workload, n ast.Node) {
	if r.isNothing(n) {
		return
	}
	pairs, _ := r.pairs(n, "buffers")
	for _, pair := range pairs {
		if name := r.key(pair); r.newName(w, name, pair, "buffer") {
			w.Buffers = append(w.Buffers, r.buffer(w, Buffer{Name: name, Position: position(pair)}, pair, nil))
		}
	}
}

// symbols reads the module variables that the host program uses. They are like buffers that need no allocation.
func (r *reader) symbols(w *Workload, n ast.Node) {
	if r.isNothing(n) {
		return
	}
	pairs, _ := r.pairs(n, "symbols")
	for _, pair := range pairs {
		name := r.key(pair)
		if !r.newName(w, name, pair, "symbol") {
			continue
		}
		s := &Symbol{Name: name}
		w.Buffers = append(w.Buffers, r.buffer(w, Buffer{Name: name, Symbol: s, Position: position(pair)}, pair, fields{
			"symbol": func(n ast.Node) { s.Name, _ = r.text(n, "symbol of symbol "+name, true) },
			"module": func(n ast.Node) { s.Module, _ = r.text(n, "module of symbol "+name, false) },
		}))
	}
}

// newName tells whether a buffer or symbol may have this name.
func (r *reader) newName(w *Workload, name string, pair *ast.MappingValueNode, kind string) bool {
	if b, twice := w.Buffer(name); twice {
		if (b.Symbol != nil) == (kind == "symbol") {
			r.fail(position(pair), "%s %q is defined twice", kind, name)
		} else {
			r.fail(position(pair), "%q is a buffer and a symbol: call one of them otherwise; a symbol's variable is then named by its "+
				"key symbol", name)
		}
		return false
	}
	if name == "" || name == Host {
		r.fail(position(pair), "a %s cannot be called %q", kind, name)
		return false
	}
	return true
}

// buffer reads type, count and contents into b, and the keys in more.
func (r *reader) buffer(w *Workload, b Buffer, pair *ast.MappingValueNode, more fields) Buffer {
	b.Type = "b8"
	what := b.what()
	var initial ast.Node
	known := fields{
		"type": func(n ast.Node) {
			if s, ok := r.text(n, "type of "+what, false); ok {
				t, err := ParseType(s)
				if err != nil {
					r.fail(position(n), "%s: %v", what, err)
					return
				}
				b.Type = t
			}
		},
		"count": func(n ast.Node) { b.Count = r.whole(n, "count of "+what, 0, MaxBufferBytes) },
		"init":  func(n ast.Node) { initial = n },
	}
	if b.Symbol == nil {
		known["device"] = r.device(&b.Device)
		known["memory"] = func(n ast.Node) {
			b.Memory = r.word(n, "memory of "+what, []string{MemoryDevice, MemoryMapped, MemoryManaged})
		}
	}
	maps.Copy(known, more)
	seen := r.mapping(pair.Value, what, known)
	for _, key := range []string{"type", "count"} {
		if !seen[key] {
			r.fail(b.Position, "%s needs %q, as in {type: f32, count: 1024}", what, key)
		}
	}
	if b.Bytes() > MaxBufferBytes {
		r.fail(b.Position, "%s has %d bytes; at most %d are possible", what, b.Bytes(), int64(MaxBufferBytes))
	}
	if initial != nil {
		b.Init = r.initial(initial, what)
		if b.Init.Kind == InitPointers {
			r.deferred = append(r.deferred, func() { r.pointers(w, b.Name, initial) })
		}
		if err := b.Init.check(b.Type, b.Count); err != nil {
			r.fail(position(initial), "init of %s: %v", what, err)
		}
	}
	return b
}

// initial reads the init forms: "zero" and "unset" as words, the others as a mapping of one entry.
func (r *reader) initial(n ast.Node, what string) Init {
	what = "init of " + what
	s, ok := r.resolve(n).(*ast.StringNode)
	if ok && slices.Contains(initWords, s.Value) {
		return Init{Kind: InitKind(s.Value)}
	}
	if ok && slices.Contains(initKinds, s.Value) {
		r.fail(
			position(n), "%s: write %s", what,
			map[string]string{"fill": "{fill: 1}", "values": "{values: [1, 2, 3]}", "ramp": "{ramp: {start: 0, step: 1}}",
				"random": "{random: {}}", "file": "{file: data.bin}", "pointers": "{pointers: [x, y]}"}[s.Value],
		)
		return Init{}
	}
	pairs, ok := r.pairs(n, what)
	if !ok {
		return Init{}
	}
	if len(pairs) != 1 {
		r.fail(position(n), "%s must have one of %s, not %d entries", what, strings.Join(initKinds, ", "), len(pairs))
		return Init{}
	}
	key, value := r.key(pairs[0]), pairs[0].Value
	if !slices.Contains(initKinds, key) {
		r.fail(position(pairs[0]), "unknown key %q in %s%s", key, what, suggest(key, initKinds))
		return Init{}
	}
	i := Init{Kind: InitKind(key)}
	bound := func(into **Number) func(ast.Node) {
		return func(n ast.Node) {
			if v, ok := r.number(n, "bound in "+what); ok {
				*into = &v
			}
		}
	}
	switch i.Kind {
	case InitFill:
		if v, ok := r.number(value, "fill in "+what); ok {
			i.Values = []Number{v}
		}
	case InitValues:
		r.list(value, "values in "+what, func(_ int, n ast.Node) {
			if v, ok := r.number(n, "a value in "+what); ok {
				i.Values = append(i.Values, v)
			}
		})
	case InitRamp:
		i.Step = integer(1)
		r.mapping(value, "ramp in "+what, fields{
			"start": func(n ast.Node) { i.Start, _ = r.number(n, "start in "+what) },
			"step":  func(n ast.Node) { i.Step, _ = r.number(n, "step in "+what) },
		})
	case InitRandom:
		r.mapping(value, "random in "+what, fields{
			"seed": func(n ast.Node) {
				v, ok := r.number(n, "seed in "+what)
				if ok && (v.IsFloat || v.Negative) {
					r.fail(position(n), "seed in %s must be a whole number, 0 or more, not %v", what, v)
				}
				i.Seed = v.Magnitude
			},
			"min": bound(&i.Min),
			"max": bound(&i.Max),
		})
	case InitFile:
		i.File, _ = r.text(value, "file in "+what, false)
	}
	return i
}

// pointers reads the addresses in a buffer's initial contents.
func (r *reader) pointers(w *Workload, name string, initial ast.Node) {
	at := slices.IndexFunc(w.Buffers, func(b Buffer) bool { return b.Name == name })
	pairs, _ := r.pairs(initial, "init")
	if at < 0 || len(pairs) != 1 {
		return
	}
	b := &w.Buffers[at]
	r.list(pairs[0].Value, "pointers in init of "+b.what(), func(_ int, n ast.Node) {
		b.Init.Pointers = append(b.Init.Pointers, r.argument(w, n))
	})
	if err := b.Init.checkPointers(b.Type, b.Count); err != nil {
		r.fail(position(initial), "init of %s: %v", b.what(), err)
	}
}

// bufferName reads the name of an existing buffer.
func (r *reader) bufferName(w *Workload, n ast.Node, what string) string {
	name, ok := r.text(n, "the buffer of "+what, true)
	if ok {
		r.needBuffer(w, name, n, what)
	}
	return name
}

func (r *reader) needBuffer(w *Workload, name string, at ast.Node, what string) {
	if _, ok := w.Buffer(name); !ok {
		names := make([]string, len(w.Buffers))
		for i, b := range w.Buffers {
			names[i] = b.Name
		}
		r.fail(position(at), "%s: there is no buffer %q%s", what, name, suggest(name, names))
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// expect reads the expected contents of buffers.
func (r *reader) expect(w *Workload, n ast.Node) {
	if r.isNothing(n) {
		return
	}
	pairs, _ := r.pairs(n, "expect")
	for _, pair := range pairs {
		e := Expectation{Buffer: r.key(pair), Position: position(pair)}
		what := "expect of " + e.Buffer
		r.needBuffer(w, e.Buffer, pair.Key, "expect")
		seen := r.mapping(pair.Value, what, fields{
			"sha256": func(n ast.Node) {
				e.SHA256, _ = r.text(n, "sha256 in "+what, true)
				e.SHA256 = strings.ToLower(e.SHA256)
				if sum, err := hex.DecodeString(e.SHA256); err != nil || len(sum) != 32 {
					r.fail(position(n), "sha256 in %s must be 64 hexadecimal digits", what)
				}
			},
			"file": func(n ast.Node) { e.File, _ = r.text(n, "file in "+what, false) },
			"values": func(n ast.Node) {
				r.list(n, "values in "+what, func(_ int, v ast.Node) {
					if x, ok := r.number(v, "a value in "+what); ok {
						e.Values = append(e.Values, x)
					}
				})
			},
			"init": func(n ast.Node) {
				init := r.initial(n, "what is expected of "+e.Buffer)
				e.Init = &init
			},
			"ulp": func(n ast.Node) { e.ULP = uint64(r.whole(n, "ulp in "+what, 0, 1<<62)) },
			"abs": func(n ast.Node) { e.Abs = r.tolerance(n, "abs in "+what) },
			"rel": func(n ast.Node) { e.Rel = r.tolerance(n, "rel in "+what) },
		})
		forms := 0
		for _, form := range []string{"sha256", "file", "values", "init"} {
			if seen[form] {
				forms++
			}
		}
		if forms != 1 {
			r.fail(e.Position, "%s needs exactly one of sha256, file, values and init", what)
		}
		if seen["sha256"] && (seen["ulp"] || seen["abs"] || seen["rel"]) {
			r.fail(e.Position, "%s: a tolerance needs file, values or init; a sha256 holds for equal bytes only", what)
		}
		if b, ok := w.Buffer(e.Buffer); ok && e.Values != nil {
			if err := (Init{Kind: InitValues, Values: e.Values}).check(b.Type, b.Count); err != nil {
				r.fail(e.Position, "%s: %v", what, err)
			}
		}
		r.checkExpectedInit(w, e, what)
		w.Expect = append(w.Expect, e)
	}
}

// checkExpectedInit reports contents that the buffer cannot have, and addresses, which are unknown beforehand.
func (r *reader) checkExpectedInit(w *Workload, e Expectation, what string) {
	b, ok := w.Buffer(e.Buffer)
	if !ok || e.Init == nil {
		return
	}
	if e.Init.Kind == InitPointers {
		r.fail(e.Position, "%s: addresses cannot be expected: they are given when buffers are made", what)
		return
	}
	if err := e.Init.check(b.Type, b.Count); err != nil {
		r.fail(e.Position, "%s: %v", what, err)
	}
}

// checkFiles reports named files that do not exist, and data files that do not fit their buffers.
func (r *reader) checkFiles(w *Workload) {
	check := func(path string, at Position, what string) (bytes int64) {
		if path == "" {
			return -1
		}
		info, err := os.Stat(w.File(path))
		switch {
		case err != nil:
			r.fail(at, "%s: there is no file %s", what, w.File(path))
		case info.IsDir():
			r.fail(at, "%s: %s is a folder", what, w.File(path))
		case info.Mode().IsRegular():
			return info.Size()
		}
		return -1
	}
	check(w.Module, Position{1, 1}, "module")
	for _, link := range w.Link {
		check(link, Position{1, 1}, "link")
	}
	for _, b := range w.Buffers {
		what := "init of " + b.what()
		if b.Symbol != nil {
			check(b.Symbol.Module, b.Position, b.what())
		}
		if bytes := check(b.Init.File, b.Position, what); bytes > b.Bytes() {
			r.fail(b.Position, "%s: %s is longer than its %d bytes: it has %d", what, w.File(b.Init.File), b.Bytes(), bytes)
		}
	}
	EachStep(w.Steps, func(s *Step) {
		if s.Launch != nil {
			check(s.Launch.Module, s.Position, "launch of "+s.Launch.Kernel)
		}
	})
	for _, e := range w.Expect {
		what := "expect of " + e.Buffer
		b, known := w.Buffer(e.Buffer)
		if e.Init != nil {
			check(e.Init.File, e.Position, what)
		}
		if bytes := check(e.File, e.Position, what); bytes >= 0 && known && bytes != b.Bytes() {
			r.fail(e.Position, "%s: %s has %d bytes, but the buffer has %d", what, w.File(e.File), bytes, b.Bytes())
		}
	}
}
