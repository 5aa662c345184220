package stats

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// AccessKind is the kind of a memory operation and its memory, as the operation says: a generic one may find shared or local memory.
type AccessKind uint8

// The kinds of access.
const (
	AccessGlobalLoad AccessKind = iota
	AccessGlobalStore
	AccessGenericLoad
	AccessGenericStore
	AccessReadOnlyLoad
	AccessTextureRead
	AccessSurfaceRead
	AccessSurfaceWrite
	AccessLocalLoad
	AccessLocalStore
	AccessSharedLoad
	AccessSharedStore
	AccessConstantLoad
	AccessAtomic
	AccessReduction
	AccessSharedAtomic
	AccessKinds
)

var accessKindNames = [AccessKinds]string{
	AccessGlobalLoad: "global load", AccessGlobalStore: "global store", AccessGenericLoad: "generic load",
	AccessGenericStore: "generic store", AccessReadOnlyLoad: "read-only load", AccessTextureRead: "texture read",
	AccessSurfaceRead: "surface read", AccessSurfaceWrite: "surface write", AccessLocalLoad: "local load", AccessLocalStore: "local store",
	AccessSharedLoad: "shared load", AccessSharedStore: "shared store", AccessConstantLoad: "constant load", AccessAtomic: "atomic",
	AccessReduction: "reduction", AccessSharedAtomic: "shared atomic",
}

// String returns the kind's name in reports.
func (k AccessKind) String() string { return accessKindNames[k] }

// accessKinds has for each class of operations the kinds that read, and that write without reading.
var accessKinds = map[isa.Class][2]AccessKind{
	isa.ClassGlobal: {AccessGlobalLoad, AccessGlobalStore}, isa.ClassReadOnly: {AccessReadOnlyLoad, AccessReadOnlyLoad},
	isa.ClassTexture: {AccessTextureRead, AccessTextureRead}, isa.ClassSurface: {AccessSurfaceRead, AccessSurfaceWrite},
	isa.ClassLocal: {AccessLocalLoad, AccessLocalStore}, isa.ClassShared: {AccessSharedLoad, AccessSharedStore},
	isa.ClassConstant: {AccessConstantLoad, AccessConstantLoad},
	isa.ClassAtomic:   {AccessAtomic, AccessReduction}, isa.ClassSharedAtomic: {AccessSharedAtomic, AccessSharedAtomic},
}

// writing has the opcodes that only write. Operations without an effect, which register allocation adds, are writes if they write no
// register.
var writing = map[isa.Opcode]bool{isa.OpSt: true, isa.OpSust: true, isa.OpSured: true, isa.OpRed: true}

// KindOf returns the kind of a machine operation's accesses; false if it accesses no memory.
func KindOf(op *isa.MachineOp) (AccessKind, bool) {
	kinds, ok := accessKinds[op.Class]
	if !ok {
		return 0, false
	}
	writes := len(op.Writes) == 0
	if op.Effect != nil {
		writes = writing[op.Effect.Op]
	}
	kind := kinds[0]
	if writes {
		kind = kinds[1]
	}
	if e := op.Effect; op.Class == isa.ClassGlobal && e != nil && e.Memory != nil && e.Memory.Space == isa.SpaceGeneric {
		kind += AccessGenericLoad - AccessGlobalLoad
	}
	return kind, true
}

// KindsOf returns the kinds of access of a class of operations, nil for one that accesses no memory.
func KindsOf(class isa.Class) []AccessKind {
	kinds, ok := accessKinds[class]
	if !ok {
		return nil
	}
	return kinds[:]
}

// KindCount is the counters of accesses of one kind.
type KindCount struct {
	Kind AccessKind
	AccessCount
}

// AddAccesses adds the counters of an operation's accesses to those of their kind. Accesses stays sorted by kind.
func (s *SourceCount) AddAccesses(kind AccessKind, count *AccessCount) {
	if count.Requests == 0 {
		return
	}
	at, found := slices.BinarySearchFunc(s.Accesses, kind, func(k KindCount, kind AccessKind) int { return int(k.Kind) - int(kind) })
	if !found {
		s.Accesses = slices.Insert(s.Accesses, at, KindCount{Kind: kind})
	}
	s.Accesses[at].Add(count)
}

// Merge adds the counters of the same line in another program.
func (s *SourceCount) Merge(other *SourceCount) {
	s.Operations += other.Operations
	for i := range other.Accesses {
		s.AddAccesses(other.Accesses[i].Kind, &other.Accesses[i].AccessCount)
	}
	s.OperationCount.Add(&other.OperationCount)
}

// Of sums up the accesses of some kinds.
func (s *SourceCount) Of(kinds ...AccessKind) (sum AccessCount) {
	for i := range s.Accesses {
		if slices.Contains(kinds, s.Accesses[i].Kind) {
			sum.Add(&s.Accesses[i].AccessCount)
		}
	}
	return sum
}
