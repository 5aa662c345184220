package memory

import (
	"sync"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// RequestKind says what L2 does with a request.
type RequestKind = stats.RequestKind

// Request kinds.
const (
	RequestLoad      = stats.RequestLoad
	RequestStore     = stats.RequestStore
	RequestAtomic    = stats.RequestAtomic
	RequestReduction = stats.RequestReduction
	RequestFill      = stats.RequestFill
	RequestWriteBack = stats.RequestWriteBack
)

// Source is the part of an SMX that a request comes from. There are counters for each.
type Source = stats.MemorySource

// Sources.
const (
	SourceGlobal      = stats.SourceGlobal
	SourceLocal       = stats.SourceLocal
	SourceReadOnly    = stats.SourceReadOnly
	SourceConstant    = stats.SourceConstant
	SourceInstruction = stats.SourceInstruction
	SourceCopy        = stats.SourceCopy
)

// Addresses of lines outside device memory, as L2, TLBs and DRAM see them. Allocations are below.
const (
	LocalBase       = uint64(0x40_0000_0000)
	ConstantBase    = uint64(0x50_0000_0000)
	InstructionBase = uint64(0x58_0000_0000)
	hostBase        = uint64(0x60_0000_0000)
)

// Request is one message from an SMX to L2: some sectors of one 128-byte line.
type Request struct {
	// Issued is the cycle in which it leaves the SMX's load/store unit.
	Issued engine.Cycle
	// Line is the address of the line's first byte, a multiple of 128.
	Line uint64
	// Access is the warp's access; nil for fills and write-backs.
	Access *exec.Access
	// Account is the account that counts the request; see System.Open.
	Account int32
	// PC is the number of the machine operation, and Warp the SMX's slot of the warp; cache.Unknown if no operation caused the request.
	// Replacement policies and prefetchers of L2 use them.
	PC   int32
	Warp int16
	// SMX is filled in by the memory system.
	SMX    int16
	Kind   RequestKind
	Source Source
	// Sectors has a bit for each requested 32-byte sector of the line.
	Sectors uint8
	slice   uint8 // filled in by the memory system
	// Lanes are the lanes of Access that it serves.
	Lanes uint32
	// Tag comes back in the response.
	Tag uint32
}

// writes reports whether the request's access changes memory.
func (r *Request) writes() bool {
	return r.Kind == RequestStore || r.Kind == RequestAtomic || r.Kind == RequestReduction
}

// Response is the answer to one request.
type Response struct {
	// Ready is the cycle in which a dependent instruction can issue.
	Ready engine.Cycle
	Tag   uint32
	Kind  RequestKind
}

// Fills reports whether the response goes to a cache of the SMX, not to a warp's access.
func (r *Response) Fills() bool { return r.Kind == RequestFill || r.Kind == RequestWriteBack }

// Port is one SMX's end of the crossbar. Only the goroutine that runs the SMX within an epoch calls its methods.
type Port struct {
	smx         int32
	outstanding int
	outbox      []Request // not published yet
	inbox       inbox
	taken       []Request  // taken by the memory system
	next        int        // the first request of taken that has not been issued
	responses   []Response // not published yet
	passing     passing
	global      *Global
	undo        *undoLog // nil unless Parts run concurrently with loads through caches
}

// passing is what the SMX or the memory system has published and the other, which may run on another thread, has not taken yet.
type passing struct {
	sync.Mutex
	requests  []Request
	responses []Response
}

// Send queues requests. Issued must be in the current epoch and never decrease from one request of a port to the next.
func (p *Port) Send(requests ...Request) {
	p.outstanding += len(requests)
	p.outbox = append(p.outbox, requests...)
	if p.undo == nil {
		return
	}
	for i := range requests {
		if r := &requests[i]; r.Access != nil && r.writes() {
			p.undo.mark(r.Access, r.Lanes)
		}
	}
}

// Receive removes all responses that are ready, in order. They are valid until the next push.
func (p *Port) Receive(now engine.Cycle) []Response {
	arrived := p.inbox.take(now)
	p.outstanding -= len(arrived)
	return arrived
}

// NextReady returns when the next known response is ready; false for none.
func (p *Port) NextReady() (engine.Cycle, bool) { return p.inbox.next() }

// Coming returns the known responses that are ready before a cycle. They are valid until the next push.
func (p *Port) Coming(before engine.Cycle) []Response { return p.inbox.before(before) }

// Outstanding returns the number of requests sent whose responses have not been received.
func (p *Port) Outstanding() int { return p.outstanding }
