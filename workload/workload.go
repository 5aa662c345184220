package workload

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/sim/memorymode"
)

// Workload is one parsed and checked workload file.
type Workload struct {
	Path     string // the file, "" for a made-up workload
	Name     string
	Module   string   // the PTX module of launches that name none; as written, relative to the file; may be ""
	Link     []string // further modules linked to it
	Config   string   // the chip to simulate unless the user says another; may be ""
	Buffers  []Buffer // in allocation order; symbols among them
	Textures []Texture
	Samplers []Sampler
	Streams  []StreamOptions // those that the file says something of
	MPS      bool            // processes share the devices
	Steps    []Step
	Expect   []Expectation
}

// Position is a place in a workload file; lines and columns count from 1.
type Position struct {
	Line, Column int
}

// Buffer is device memory that the host program has a name for: an allocation, or a variable of a module.
type Buffer struct {
	Name     string
	Type     Type
	Count    int64 // elements
	Init     Init  // of a variable, "" leaves the value that the module gives it
	Symbol   *Symbol
	Device   int    // in whose memory it lies, of those of the board
	Memory   string // MemoryDevice, MemoryMapped or MemoryManaged
	Position Position
}

// Where a buffer lies.
const (
	MemoryDevice  = "device"
	MemoryMapped  = "mapped"  // the host's, page-locked, which kernels reach over the link
	MemoryManaged = "managed" // the host's and the device's by turns
)

// Symbol says which variable a Buffer is; nil for an allocation.
type Symbol struct {
	Name   string // as PTX spells it, or in C++ where that is one variable's alone
	Module string // as a launch names it; "" is the one that has the variable
}

// what is how messages call the buffer.
func (b *Buffer) what() string {
	if b.Symbol != nil {
		return "symbol " + b.Name
	}
	return "buffer " + b.Name
}

// Bytes is the buffer's size.
func (b Buffer) Bytes() int64 { return b.Count * int64(b.Type.Size()) }

// Step is one thing that the host program does; exactly one of the pointers is set.
type Step struct {
	Launch   *Launch
	Copy     *Copy
	Event    *Event
	Wait     *Wait
	Sync     *Sync
	Repeat   *Repeat
	Memset   *Memset
	Callback *Callback
	Allocate *Allocate
	Free     *Free
	Position Position
}

// CacheConfig is a kernel's wish for the split of the 64 KiB between L1 cache and shared memory: one of the four wishes, or the size of
// shared memory, which the chip must have.
type CacheConfig string

// The four wishes of the CUDA driver interface.
const (
	PreferNone   CacheConfig = "none"
	PreferShared CacheConfig = "shared"
	PreferL1     CacheConfig = "l1"
	PreferEqual  CacheConfig = "equal"
)

// Launch starts a grid of a kernel.
type Launch struct {
	Kernel      string
	Grid        [3]int // blocks
	Block       [3]int // threads
	Shared      int    // dynamic shared memory, bytes a block
	Stream      int    // 0 is the default stream
	Device      int
	Process     int    // host process that launches; grids of two processes never run together without MPS
	Repeat      int    // how many times, one after another; at least 1
	Until       *Until // ends the repetition before Repeat is reached; nil for none
	Module      string // "" is the workload's own
	CacheConfig CacheConfig
	BankMode    memorymode.BankMode    // the zero value is the device's
	GlobalLoads memorymode.GlobalLoads // the zero value is the device's
	Args        []Argument
}

// CopyKind says between which memories a copy goes.
type CopyKind string

// The kinds of copies. Host memory holds, for each buffer, the bytes that it started with.
const (
	HostToDevice   CopyKind = "host-device"
	DeviceToHost   CopyKind = "device-host"
	DeviceToDevice CopyKind = "device-device"
)

// Host is the name by which a copy's "to" or "from" means host memory.
const Host = "host"

// Copy moves bytes over a copy engine. A host-device copy brings the buffer's first contents; a device-host copy
// changes nothing on the device.
type Copy struct {
	To, From             string // buffer names, or Host
	Kind                 CopyKind
	ToOffset, FromOffset int64 // bytes from each buffer's start
	Bytes                int64 // bytes moved; for a 2-D copy, Width * Height
	// A 2-D copy moves Height rows of Width bytes, which begin ToPitch and FromPitch bytes apart. Height 0: not 2-D.
	Width, Height, ToPitch, FromPitch int64
	Stream, Process                   int
	Pinned                            bool // the host side is page-locked memory
}

// Event records an event in a stream.
type Event struct {
	Record                  string
	Stream, Device, Process int
}

// Wait makes a stream wait for an event.
type Wait struct {
	Event                   string
	Stream, Device, Process int
}

// Sync makes the host wait: for everything, for one stream, or for one event.
type Sync struct {
	All             bool
	Stream          int
	Event           string // "" unless the host waits for an event
	Device, Process int
}

// Memset fills a part of a buffer with a byte.
type Memset struct {
	Buffer          string
	Value           byte
	Offset, Bytes   int64
	Stream, Process int
}

// Callback has the host run something, which later work of the stream waits for.
type Callback struct {
	Name                    string
	Microseconds            float64
	Stream, Device, Process int
}

// Allocate is an allocation while the program runs, for what it orders and takes: nothing overlaps it.
type Allocate struct {
	Name            string
	Bytes           int64
	Pinned          bool // page-locked memory of the host
	Device, Process int
}

// Free gives the memory of an earlier Allocate back, and waits for the device.
type Free struct {
	Name            string
	Device, Process int
}

// PerThreadStream is the number of the per-thread default stream.
const PerThreadStream = -1

// StreamOptions are what a stream is made with.
type StreamOptions struct {
	Name        string // by which steps name it, beside its number; may be ""
	Number      int
	Priority    int  // as CUDA has it: lower goes first
	NonBlocking bool // it does not wait for the default stream, nor that for it
}

// Buffer returns the buffer of that name, and whether there is one.
func (w *Workload) Buffer(name string) (Buffer, bool) {
	for _, b := range w.Buffers {
		if b.Name == name {
			return b, true
		}
	}
	return Buffer{}, false
}

// File resolves a path of the workload file, which is relative to the file's own folder.
func (w *Workload) File(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(w.Path), filepath.FromSlash(path))
}

// Names returns the files that the workload file names, as it spells them; the configuration is not among them.
func (w *Workload) Names() []string {
	all := append([]string{w.Module}, w.Link...)
	for _, l := range w.Launches() {
		all = append(all, l.Module)
	}
	for _, b := range w.Buffers {
		all = append(all, b.Init.File)
		if b.Symbol != nil {
			all = append(all, b.Symbol.Module)
		}
	}
	for _, e := range w.Expect {
		all = append(all, e.File)
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// Launches returns all launches in order, those that are repeated once.
func (w *Workload) Launches() []*Launch {
	var all []*Launch
	EachStep(w.Steps, func(s *Step) {
		if s.Launch != nil {
			all = append(all, s.Launch)
		}
	})
	return all
}

// ModuleFor returns the resolved path of the code to load for a chip of compute capability smArch (30 for GK104, 35 for
// GK110): the module as named, or the file NAME.sm_30.ptx beside it where there is one and the chip is older than sm_35.
func (w *Workload) ModuleFor(module string, smArch int) string {
	path := w.File(module)
	if path == "" || smArch >= 35 {
		return path
	}
	extension := filepath.Ext(path)
	older := strings.TrimSuffix(path, extension) + ".sm_30" + extension
	if info, err := os.Stat(older); err == nil && !info.IsDir() {
		return older
	}
	return path
}

// Modules returns the resolved paths of every module that a launch needs, each once: the workload's own first.
func (w *Workload) Modules() []string {
	var all []string
	seen := map[string]bool{"": true}
	add := func(path string) {
		if path = w.File(path); !seen[path] {
			seen[path] = true
			all = append(all, path)
		}
	}
	add(w.Module)
	for _, l := range w.Launches() {
		add(l.Module)
	}
	return all
}
