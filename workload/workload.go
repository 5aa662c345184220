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
	Module   string   // the PTX module of launches without one; as written, relative to the file; may be ""
	Link     []string // further modules linked to it
	Config   string   // the chip to simulate by default; may be ""
	Buffers  []Buffer // in allocation order, with symbols
	Textures []Texture
	Samplers []Sampler
	Streams  []StreamOptions // the streams that the file describes
	MPS      bool            // processes share the devices
	Steps    []Step
	Expect   []Expectation
}

// Position is a place in a workload file. Lines and columns count from 1.
type Position struct {
	Line, Column int
}

// Buffer is named device memory: an allocation, or a variable of a module.
type Buffer struct {
	Name     string
	Type     Type
	Count    int64 // elements
	Init     Init  // of a variable, "" keeps the module's initial value
	Symbol   *Symbol
	Device   int    // the board's device with this memory
	Memory   string // MemoryDevice, MemoryMapped or MemoryManaged
	Position Position
}

// The memories of buffers.
const (
	MemoryDevice  = "device"
	MemoryMapped  = "mapped"  // the host's, page-locked; kernels access it over the link
	MemoryManaged = "managed" // moves between host and device
)

// Symbol identifies a Buffer's variable; nil for an allocation.
type Symbol struct {
	Name   string // in PTX, or in C++ if that is unique
	Module string // as in a launch; "" is the module that has the variable
}

// what is the buffer in messages.
func (b *Buffer) what() string {
	if b.Symbol != nil {
		return "symbol " + b.Name
	}
	return "buffer " + b.Name
}

// Bytes is the buffer's size in bytes.
func (b Buffer) Bytes() int64 { return b.Count * int64(b.Type.Size()) }

// Step is one action of the host program. Exactly one of the pointers is set.
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

// CacheConfig is a kernel's preference for the split of 64 KiB between L1 cache and shared memory: one of four preferences, or a size of
// shared memory that the chip must have.
type CacheConfig string

// The four preferences of the CUDA driver interface.
const (
	PreferNone   CacheConfig = "none"
	PreferShared CacheConfig = "shared"
	PreferL1     CacheConfig = "l1"
	PreferEqual  CacheConfig = "equal"
)

// Launch launches a grid of a kernel.
type Launch struct {
	Kernel      string
	Grid        [3]int // blocks
	Block       [3]int // threads
	Shared      int    // dynamic shared memory, bytes a block
	Stream      int    // 0 is the default stream
	Device      int
	Process     int    // the launching host process; without MPS, grids of two processes never run at the same time
	Repeat      int    // number of launches, one after another; at least 1
	Until       *Until // ends the repetition early; nil for none
	Module      string // "" is the workload's own
	CacheConfig CacheConfig
	BankMode    memorymode.BankMode    // the zero value is the device's
	GlobalLoads memorymode.GlobalLoads // the zero value is the device's
	Args        []Argument
}

// CopyKind is the kind of a copy.
type CopyKind string

// The kinds of copies. The host's memory of a buffer holds the buffer's initial contents.
const (
	HostToDevice   CopyKind = "host-device"
	DeviceToHost   CopyKind = "device-host"
	DeviceToDevice CopyKind = "device-device"
)

// Host is the name of host memory in a copy's "to" or "from".
const Host = "host"

// Copy is a copy by a copy engine. A host-device copy brings a buffer's initial contents; a device-host copy changes nothing on the device.
type Copy struct {
	To, From             string // buffer names, or Host
	Kind                 CopyKind
	ToOffset, FromOffset int64 // bytes from each buffer's start
	Bytes                int64 // bytes moved; for a 2-D copy, Width * Height
	// A 2-D copy moves Height rows of Width bytes, at intervals of ToPitch and FromPitch bytes. With Height 0 it is not 2-D.
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

// Callback runs a host function, for which later work in the stream waits.
type Callback struct {
	Name                    string
	Microseconds            float64
	Stream, Device, Process int
}

// Allocate is an allocation during the run, for its time and its effect on order: nothing overlaps it.
type Allocate struct {
	Name            string
	Bytes           int64
	Pinned          bool // page-locked memory of the host
	Device, Process int
}

// Free frees the memory of an earlier Allocate and waits for the device.
type Free struct {
	Name            string
	Device, Process int
}

// PerThreadStream is the number of the per-thread default stream.
const PerThreadStream = -1

// StreamOptions are a stream's options.
type StreamOptions struct {
	Name        string // a name for steps, besides the number; may be ""
	Number      int
	Priority    int  // as in CUDA: lower numbers go first
	NonBlocking bool // it does not wait for the default stream, and vice versa
}

// Buffer returns the buffer with this name, and whether it exists.
func (w *Workload) Buffer(name string) (Buffer, bool) {
	for _, b := range w.Buffers {
		if b.Name == name {
			return b, true
		}
	}
	return Buffer{}, false
}

// File resolves a path in the workload file relative to the file's folder.
func (w *Workload) File(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(w.Path), filepath.FromSlash(path))
}

// Names returns the files named in the workload file, as spelled there, without the configuration.
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

// Launches returns all launches in order, repeated ones once.
func (w *Workload) Launches() []*Launch {
	var all []*Launch
	EachStep(w.Steps, func(s *Step) {
		if s.Launch != nil {
			all = append(all, s.Launch)
		}
	})
	return all
}

// ModuleFor returns the path of the code for a chip of compute capability smArch (30 for GK104, 35 for GK110). This is the named module;
// for chips older than sm_35 it is the file NAME.sm_30.ptx next to it, if that exists.
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
