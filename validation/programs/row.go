package programs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/keplersim/keplersim/configs"
)

//go:embed rows/*.yaml
var rowFiles embed.FS

// kernelFiles are our own versions of kernels so simple that ours are the same.
//
//go:embed kernels/*.cu
var kernelFiles embed.FS

// Row is a published measurement of one launch on one card.
type Row struct {
	Name      string
	Program   *Program
	Kernel    *Kernel
	Config    string   // the card
	Overrides []string // of the configuration, as in clocks.core=1058
	Defines   []string // for the preprocessor
	Append    []string // lines after the source: templates to instantiate
	Grid      []int
	Block     []int
	Shared    int  // dynamic shared memory of a block, bytes
	Repeat    int  // number of launches; only the last counts; at least 1
	FastMath  bool // nvcc's -use_fast_math
	// MaxRegisters is nvcc's -maxrregcount; 0 leaves it to the compiler.
	MaxRegisters int
	Buffers      map[string]any
	Args         []any
	// Part is the simulated fraction of the measured launch, if fewer blocks behave alike. The measured time is scaled by it.
	Part  float64
	Space string // the tuning space of the row; "" for none
	// Same identifies the work: rows of one program with the same value do the same work. Point lists their differences by part. Rows that
	// differ in one part show the effect of that change.
	Same     string
	Point    map[string]string
	Measured Measured
	Work     float64 // million warp instructions of the launch, estimated if they were not counted
}

// Measured are the published figures. Unmeasured ones are 0, but Local is nil.
type Measured struct {
	Microseconds float64  `yaml:"us"`
	Instructions float64  `yaml:"instructions"` // warp instructions executed
	Registers    float64  `yaml:"registers"`    // a thread
	Local        *float64 `yaml:"local"`        // bytes of local memory a thread
	Shared       *float64 `yaml:"-"`            // bytes of static shared memory a block
	Occupancy    float64  `yaml:"occupancy"`    // achieved, 0 to 1
	// ActiveCycles and ElapsedCycles are the profiler's, summed over SMXs.
	ActiveCycles  float64 `yaml:"active_cycles"`
	ElapsedCycles float64 `yaml:"elapsed_cycles"`
	L2Reads       float64 `yaml:"l2_reads"` // sectors of 32 bytes, like the other three
	L2Writes      float64 `yaml:"l2_writes"`
	DRAMReads     float64 `yaml:"dram_reads"`
	DRAMWrites    float64 `yaml:"dram_writes"`
}

// Program has what the rows of one file share.
type Program struct {
	File       string `yaml:"-"` // of the rows
	Name       string `yaml:"program"`
	Repository string `yaml:"repository"` // OWNER/NAME on GitHub
	Commit     string `yaml:"commit"`
	Source     string `yaml:"source"` // where the figures are published
	Method     string `yaml:"method"` // how they were measured
	// Split says how the rows were divided into seen and blind before their first run: a key of splits.
	Split string `yaml:"split"`

	Files   map[string]string  `yaml:"files"` // source files of the kernels, with their SHA-256
	Kernels map[string]*Kernel `yaml:"kernels"`
	Entries []entry            `yaml:"rows"`
}

// Kernel is a kernel of a program, with what its launches share.
type Kernel struct {
	Name  string   `yaml:"-"`
	Files []string `yaml:"files"` // included one after another
	Own   string   `yaml:"own"`   // alternatively, our own file in the folder kernels
	// Binary is the program's file with the machine code, for rows of machine code.
	Binary string `yaml:"binary"`
	Entry  string `yaml:"entry"` // the kernel's name in C++
	// Application is the kernel's program when errors are weighed by program; empty means the file's.
	Application string `yaml:"application"`

	Kind string `yaml:"kind"` // what limits it: one of Kinds
	// Same identifies the kernel's work if several kernels of the file do the same. Macros lists the macros in which rows differ, by what
	// they change: block, tile, layout or code; same if it is other work; follows if other macros imply it. Point has parts of the kernel
	// and of a row that no macro shows.
	Same   string              `yaml:"same"`
	Macros map[string][]string `yaml:"macros"`
	Point  map[string]string   `yaml:"point"`
	// Ranks means that the card's clock or interface is not known well enough: the order of the rows counts, their errors do not.
	Ranks    bool           `yaml:"ranks"`
	FastMath bool           `yaml:"fast_math"`
	Include  []string       `yaml:"include"` // folders of headers, from the checkout's root
	Before   []string       `yaml:"before"`  // lines before the source
	Append   []string       `yaml:"append"`  // lines after it
	Defines  []string       `yaml:"defines"`
	Launch   map[string]any `yaml:"launch"`  // more keys of a launch in a workload file: bank_mode, cache_config, global_loads
	Buffers  map[string]any `yaml:"buffers"` // as in a workload file
	Args     []any          `yaml:"args"`    // as in a workload file
}

// entry is a row as written in the file.
type entry struct {
	Name     string            `yaml:"name"`
	Kernel   string            `yaml:"kernel"`
	Config   string            `yaml:"config"`
	Set      []string          `yaml:"set"`
	Defines  []string          `yaml:"defines"`
	Append   []string          `yaml:"append"`
	Grid     []int             `yaml:"grid"`
	Block    []int             `yaml:"block"`
	Shared   int               `yaml:"shared"`
	Repeat   int               `yaml:"repeat"`
	Buffers  map[string]any    `yaml:"buffers"`
	Args     []any             `yaml:"args"`
	Part     float64           `yaml:"part"`
	Space    string            `yaml:"space"`
	Point    map[string]string `yaml:"point"`
	Work     float64           `yaml:"work"`
	Measured Measured          `yaml:"measured"`
}

// Kinds are the limits of a launch, as named in the tables.
var Kinds = []string{"memory", "compute", "shared", "atomic", "divergent", "spilling"}

// Timed tells whether the row has a measured time. The others have the registers of a kernel.
func (r *Row) Timed() bool { return r.Measured.Microseconds > 0 }

// Application is the row's program when errors are weighed by program.
func (r *Row) Application() string { return cmp.Or(r.Kernel.Application, r.Program.Name) }

// splits are the ways to divide a file's rows. By default half of them are blind, by the hash of the row's name. "program" uses the hash of
// application and card, as rows of one program on one card are similar. "seen" keeps none blind, if the blind half is elsewhere.
var splits = map[string]func(r *Row) bool{
	"":        func(r *Row) bool { return blind(r.Name) },
	"program": func(r *Row) bool { return blind(r.Application() + "@" + r.Config) },
	"seen":    func(*Row) bool { return false },
}

// Blind tells whether the row is in the half that we never tune against.
func (r *Row) Blind() bool { return splits[r.Program.Split](r) }

// blind is decided by the last bit of the name's SHA-256, so that no one can choose.
func blind(name string) bool {
	sum := sha256.Sum256([]byte(name))
	return sum[len(sum)-1]&1 == 1
}

// Instructions is the number of warp instructions in the simulated part of the launch, with all repetitions, if known.
func (r *Row) Instructions() float64 {
	n := r.Measured.Instructions
	if n == 0 {
		n = r.Work * 1e6
	}
	return n * r.Part * float64(r.Repeat)
}

// Rows returns all rows, by file and place.
func Rows() ([]*Row, error) { return rowsIn(rowFiles, "rows", Parse) }

// rowsIn returns the rows of all files in a folder, by file and place. Names must be unique.
func rowsIn(all embed.FS, folder string, parse func(name string, data []byte) ([]*Row, error)) ([]*Row, error) {
	files, err := all.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%s of programs: %w", folder, err)
	}
	var rows []*Row
	seen := map[string]bool{}
	for _, file := range files {
		data, err := all.ReadFile(folder + "/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("%s of programs: %w", folder, err)
		}
		list, err := parse(file.Name(), data)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if seen[r.Name] {
				return nil, fmt.Errorf("%s: two rows are called %s", file.Name(), r.Name)
			}
			seen[r.Name] = true
		}
		rows = append(rows, list...)
	}
	return rows, nil
}

// Parse reads one file of rows; name is for errors.
func Parse(name string, data []byte) ([]*Row, error) {
	p := &Program{File: name}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if splits[p.Split] == nil {
		return nil, fmt.Errorf("%s: split %q is not empty, program or seen", name, p.Split)
	}
	for key, k := range p.Kernels {
		k.Name = key
		if err := p.checkKernel(k); err != nil {
			return nil, fmt.Errorf("%s: kernel %s: %w", name, key, err)
		}
	}
	var rows []*Row
	for i := range p.Entries {
		row, err := p.row(&p.Entries[i])
		if err != nil {
			return nil, fmt.Errorf("%s: row %s: %w", name, p.Entries[i].Name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// checkKernel returns an error for an incomplete kernel.
func (p *Program) checkKernel(k *Kernel) error {
	if !slices.Contains(Kinds, k.Kind) {
		return fmt.Errorf("kind %q: choose one of %s", k.Kind, strings.Join(Kinds, ", "))
	}
	if k.Binary != "" {
		return p.checkBinary(k)
	}
	if (len(k.Files) == 0) == (k.Own == "") || k.Entry == "" {
		return fmt.Errorf("a kernel has files of the program, or an own one, and an entry")
	}
	if k.Own != "" {
		if _, err := kernelFiles.ReadFile("kernels/" + k.Own); err != nil {
			return fmt.Errorf("own kernel: %w", err)
		}
	}
	for _, f := range k.Files {
		if len(p.Files[f]) != 2*sha256.Size {
			return fmt.Errorf("file %s has no SHA-256 under files", f)
		}
	}
	return nil
}

// row makes the row of an entry and its kernel.
func (p *Program) row(e *entry) (*Row, error) {
	k := p.Kernels[e.Kernel]
	switch {
	case k == nil:
		return nil, fmt.Errorf("there is no kernel %q in the file", e.Kernel)
	case e.Name == "" || e.Measured.Microseconds < 0 ||
		k.Binary == "" && e.Measured.Microseconds == 0 && (e.Measured.Registers == 0 || e.Grid != nil):
		return nil, fmt.Errorf("a row has a name and a measured time; or the registers of its kernel, and no launch")
	case e.Measured.Microseconds == 0: // for compilation only
	case len(e.Grid) < 1 || len(e.Grid) > 3 || len(e.Block) < 1 || len(e.Block) > 3:
		return nil, fmt.Errorf("a grid and a block are one to three numbers")
	case e.Part < 0 || e.Part > 1:
		return nil, fmt.Errorf("part %g is not between 0 and 1", e.Part)
	case e.Measured.Instructions == 0 && e.Work == 0:
		return nil, fmt.Errorf("a row says its instructions, counted (measured) or about (work, in millions)")
	}
	board, err := configs.Load(e.Config, e.Set)
	if err != nil {
		return nil, err
	}
	r := &Row{
		Name: p.Name + "/" + e.Name + "@" + e.Config, Program: p, Kernel: k, Config: e.Config, Overrides: e.Set,
		Defines: slices.Concat(k.Defines, e.Defines), Append: slices.Concat(k.Append, e.Append),
		Grid: e.Grid, Block: e.Block, Shared: e.Shared, Repeat: max(e.Repeat, 1), FastMath: k.FastMath,
		Buffers: map[string]any{}, Args: k.Args, Part: e.Part, Space: e.Space, Measured: e.Measured, Work: e.Work,
	}
	for _, buffers := range []map[string]any{k.Buffers, e.Buffers} {
		for name, b := range buffers {
			r.Buffers[name] = b
		}
	}
	if e.Args != nil {
		r.Args = e.Args
	}
	r.Point = map[string]string{"board": e.Config, "ecc": map[bool]string{true: "on", false: "off"}[board.DRAM.ECC]}
	if err := r.place(e); err != nil {
		return nil, err
	}
	if r.Part == 0 {
		r.Part = 1
	}
	return r, nil
}

// place sets the row's work, and its differences from other rows with the same work: as VWM=2 VWN=1 for layout, "" for parts that do not
// vary.
func (r *Row) place(e *entry) error {
	r.Same = cmp.Or(r.Kernel.Same, e.Space, e.Name)
	add := func(part, value string) { r.Point[part] = strings.TrimSpace(r.Point[part] + " " + value) }
	add("block", strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Block), " ", "x"), "[]"))
	for _, point := range []map[string]string{r.Kernel.Point, e.Point} {
		for part, value := range point {
			add(part, value)
		}
	}
	for _, define := range e.Defines {
		macro, _, _ := strings.Cut(define, "=")
		part, known := "", len(r.Kernel.Macros) == 0
		for name, macros := range r.Kernel.Macros {
			if slices.Contains(macros, macro) {
				part, known = name, true
			}
		}
		switch {
		case !known:
			return fmt.Errorf("macros do not say what %s changes", macro)
		case part == "same":
			r.Same += " " + define
		case part != "" && part != "follows":
			add(part, define)
		}
	}
	return nil
}

// Matches tells whether a pattern with * and ? fits the name, with or without its card.
func (r *Row) Matches(pattern string) bool {
	name, _, _ := strings.Cut(r.Name, "@")
	flat := strings.NewReplacer("/", "\x00")
	for _, n := range []string{r.Name, name} {
		if ok, err := path.Match(flat.Replace(pattern), flat.Replace(n)); err == nil && ok {
			return true
		}
	}
	return false
}
