package exec

import (
	"encoding/binary"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// ApplyFlat performs the access on a flat memory, shared or constant, in lane order: loads fill Data, stores write, atomics read, modify
// and write, prefetches do nothing. If a lane is out of bounds it returns a fault and changes nothing.
func (a *Access) ApplyFlat(memory []byte) *Fault {
	if a.Kind == AccessPrefetch {
		return nil
	}
	if fault := a.Within(uint64(len(memory))); fault != nil {
		return fault
	}
	if a.Kind <= AccessStore {
		a.ApplyWithin(memory, 0, a.Active)
		return nil
	}
	size := uint64(a.Bytes)
	for m := a.Active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		at := memory[a.Address[i]:]
		a.atomicBytes(i, at[:size:size])
	}
	return nil
}

// ReadOrZero is ApplyFlat of a load, but lanes out of bounds read zero.
func (a *Access) ReadOrZero(memory []byte) {
	inside, end, size := a.Active, uint64(len(memory)), uint64(a.Bytes)
	for m := a.Active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if x := a.Address[i]; x > end || end-x < size {
			inside &^= 1 << i
			for n := range a.Data {
				a.Data[n][i] = 0
			}
		}
	}
	a.ApplyWithin(memory, 0, inside)
}

// ApplyWithin performs a load or store for some lanes, in a memory that begins at address origin. All these lanes must be in bounds.
func (a *Access) ApplyWithin(memory []byte, origin uint64, lanes uint32) {
	switch {
	case a.Bytes == 1 && a.Kind == AccessLoad:
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			a.Data[0][i] = uint32(memory[a.Address[i]-origin])
		}
	case a.Bytes < 4:
		size := uint64(a.Bytes)
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			a.ApplyBytes(i, memory[a.Address[i]-origin:][:size])
		}
	case lanes == isa.FullMask:
		for n := range int(a.Bytes) / 4 {
			a.applyWord(&a.Data[n&3], n, memory, origin)
		}
	default:
		for n := range int(a.Bytes) / 4 {
			a.applyLanes(&a.Data[n&3], memory, origin-uint64(4*n), lanes)
		}
	}
}

// applyLanes loads or stores one word for some lanes.
func (a *Access) applyLanes(data *isa.Lanes32, memory []byte, origin uint64, lanes uint32) {
	if a.Kind == AccessStore {
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			binary.LittleEndian.PutUint32(memory[a.Address[i]-origin:], data[i])
		}
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		data[i] = binary.LittleEndian.Uint32(memory[a.Address[i]-origin:])
	}
}

// Within returns a fault for the first lane that exceeds a memory of end bytes, nil if there is none.
func (a *Access) Within(end uint64) *Fault {
	size := uint64(a.Bytes)
	if a.Shape.Known && end >= size && a.Shape.High <= end-size {
		return nil
	}
	for m := a.Active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if x := a.Address[i]; x > end || end-x < size {
			return a.outside(i)
		}
	}
	return nil
}

// applyWord loads or stores the nth word of each lane, in a memory that begins at address origin.
func (a *Access) applyWord(data *isa.Lanes32, n int, memory []byte, origin uint64) {
	switch load := a.Kind == AccessLoad; {
	case a.Bytes == 4 && a.Shape.Consecutive && load:
		loadRow(data, memory[a.Address[0]-origin:])
	case a.Bytes == 4 && a.Shape.Consecutive:
		storeRow(data, memory[a.Address[0]-origin:])
	case a.Bytes == 4 && a.Shape.Within(0) && load:
		spread(data, binary.LittleEndian.Uint32(memory[a.Address[0]-origin:]))
	case load:
		gather(data, memory, &a.Address, origin-uint64(4*n))
	default:
		scatter(data, memory, &a.Address, origin-uint64(4*n))
	}
}

func (a *Access) outside(lane int) *Fault {
	return &Fault{Lane: lane, Address: a.Address[lane], Bytes: int(a.Bytes), Space: a.Space, Write: a.writes()}
}

// ApplyBytes performs one lane of the access on the memory bytes that the lane addresses, Bytes of them.
func (a *Access) ApplyBytes(lane int, at []byte) {
	switch a.Kind {
	case AccessLoad:
		a.loadBytes(lane, at)
	case AccessStore:
		a.storeBytes(lane, at)
	case AccessAtomic, AccessReduction:
		a.atomicBytes(lane, at)
	}
}

func (a *Access) loadBytes(lane int, at []byte) {
	switch len(at) {
	case 1:
		a.Data[0][lane] = uint32(at[0])
	case 2:
		a.Data[0][lane] = uint32(binary.LittleEndian.Uint16(at))
	default:
		for n := range len(at) / 4 {
			a.Data[n&3][lane] = binary.LittleEndian.Uint32(at[4*n:])
		}
	}
}

func (a *Access) storeBytes(lane int, at []byte) {
	switch len(at) {
	case 1:
		at[0] = byte(a.Data[0][lane])
	case 2:
		binary.LittleEndian.PutUint16(at, uint16(a.Data[0][lane]))
	default:
		for n := range len(at) / 4 {
			binary.LittleEndian.PutUint32(at[4*n:], a.Data[n&3][lane])
		}
	}
}

func (a *Access) atomicBytes(lane int, at []byte) {
	if len(at) == 4 && a.Operation == isa.AtomicAdd && !a.Type.Float() { // the most common operation
		old := binary.LittleEndian.Uint32(at)
		binary.LittleEndian.PutUint32(at, old+a.Data[0][lane])
		a.Data[0][lane], a.Data[1][lane] = old, 0
		return
	}
	operand := pack64(a.Data[0][lane], a.Data[1][lane])
	compare := pack64(a.Compare[0][lane], a.Compare[1][lane])
	var word [8]byte
	copy(word[:], at)
	old := binary.LittleEndian.Uint64(word[:])
	binary.LittleEndian.PutUint64(word[:], atomic(a.Operation, a.Type, old, operand, compare, a.Space != isa.SpaceShared))
	copy(at, word[:])
	a.Data[0][lane], a.Data[1][lane] = uint32(old), uint32(old>>32)
}

// ApplyLocal performs the access on a warp's interleaved local memory: 4-byte word n of lane l is at (32n+l)·4. size is each thread's local
// memory in bytes. If a lane is out of bounds it returns a fault and changes nothing.
func (a *Access) ApplyLocal(local []byte, size int) *Fault {
	if a.Kind == AccessPrefetch {
		return nil
	}
	width := uint64(a.Bytes)
	if fault := a.Within(min(uint64(size), uint64(len(local))/32)); fault != nil {
		return fault
	}
	for m := a.Active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x := a.Address[i]
		at := (x/4*32+uint64(i))*4 + x%4
		if width <= 4 {
			a.ApplyBytes(i, local[at:at+width])
			continue
		}
		var buffer [16]byte
		for n := uint64(0); n < width; n += 4 {
			copy(buffer[n:n+4], local[at+32*n:])
		}
		a.ApplyBytes(i, buffer[:width])
		if a.writes() {
			for n := uint64(0); n < width; n += 4 {
				copy(local[at+32*n:at+32*n+4], buffer[n:n+4])
			}
		}
	}
	return nil
}
