package exec

import (
	"encoding/binary"
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// boundCall is a call or return with its operands resolved.
type boundCall struct {
	arguments []argument // of a return: the results in registers
	results   []argument
	target    [2]slot // the register that holds the callee's address
}

// argument is the place of an argument or result: registers (words > 0), or a frame in local memory.
type argument struct {
	low, high slot
	words     int
	offset    uint32
	bytes     int
}

func (p *argument) slots() []slot {
	if p.words > 1 {
		return []slot{p.low, p.high}
	}
	return []slot{p.low}
}

// maximumArgument is the largest size of an argument in bytes, PTX's limit for parameters.
const maximumArgument = 4352

func bindCall(b *binder, bound *Bound, i *isa.Instruction) error {
	bound.Kind = KindControl
	c := &boundCall{}
	if i.Call == nil {
		return fmt.Errorf("call of nothing: %w", ErrUnsupported)
	}
	for _, a := range i.Call.Arguments {
		p, err := b.place(bound, a, i.Src)
		if err != nil {
			return err
		}
		c.arguments = append(c.arguments, p)
	}
	for _, a := range i.Call.Returns {
		p, err := b.place(bound, a, i.Dst)
		if err != nil {
			return err
		}
		c.results = append(c.results, p)
	}
	if i.Call.Target >= 0 {
		var err error
		if c.target, err = b.pair(bound, i.Src[i.Call.Target]); err != nil {
			return err
		}
	}
	bound.detail = &detail{call: c}
	return nil
}

func bindReturn(b *binder, bound *Bound, i *isa.Instruction) error {
	bound.Kind = KindControl
	c := &boundCall{}
	for n := range i.Src {
		p, err := b.place(bound, isa.CallArgument{Variable: -1, Operand: int32(n)}, i.Src)
		if err != nil {
			return err
		}
		c.arguments = append(c.arguments, p)
	}
	bound.detail = &detail{call: c}
	return nil
}

// place returns the place of an argument or result of a call.
func (b *binder) place(bound *Bound, a isa.CallArgument, operands []isa.Operand) (argument, error) {
	if a.Variable >= 0 {
		if a.Bytes > maximumArgument {
			return argument{}, fmt.Errorf("an argument of %d bytes: %w", a.Bytes, ErrUnsupported)
		}
		return argument{offset: uint32(a.Offset), bytes: a.Bytes}, nil
	}
	o := operands[a.Operand]
	p := argument{words: max(o.Type.Registers(), 1), bytes: 4 * max(o.Type.Registers(), 1)}
	switch o.Kind {
	case isa.OperandSink:
		return argument{}, nil
	case isa.OperandPredicate:
		return argument{}, fmt.Errorf("a predicate as an argument: %w", ErrUnsupported)
	}
	pair, err := b.pair(bound, o)
	p.low, p.high = pair[0], pair[1]
	return p, err
}

// placeOf returns the place of a function's parameter.
func placeOf(p isa.Place) argument {
	if p.Registers > 0 {
		return argument{low: slot(p.Register), high: slot(p.Register) + 1, words: p.Registers, bytes: 4 * p.Registers}
	}
	return argument{offset: uint32(p.Offset), bytes: p.Bytes}
}

// Window locates a function's registers and frame.
type Window struct {
	Base  int32  // index of its R0 in Warp.Registers
	Frame uint32 // bytes into each thread's local memory
}

// Window returns the window of the running function.
func (w *Warp) Window() Window { return Window{w.Base, w.Frame} }

// SetWindow selects another function's registers and frame for the operations that follow.
func (w *Warp) SetWindow(to Window) { w.Base, w.Frame = to.Base, to.Frame }

// CallTarget returns the function address of a lane's indirect call: see FunctionAt.
func (b *Bound) CallTarget(w *Warp, lane int) uint64 {
	t := b.detail.call.target
	return pack64(w.lanes(t[0])[lane], w.lanes(t[1])[lane])
}

// Pass copies a call's arguments from the running function to the callee's parameters. It drops arguments beyond the callee's parameters.
func (b *Bound) Pass(w *Warp, lanes uint32, callee *isa.FrameInfo, to Window) {
	for n, a := range b.detail.call.arguments {
		if n < len(callee.Parameters) {
			w.copyPlace(lanes, a, w.Window(), placeOf(callee.Parameters[n]), to)
		}
	}
}

// Take copies a function's results to the places that its caller's call b names. The caller's window is the current one; from is the
// callee's window, ret its return.
func (b *Bound) Take(w *Warp, lanes uint32, callee *isa.FrameInfo, ret *Bound, from Window) {
	inRegisters := 0
	for n, p := range callee.Returns {
		source := placeOf(p)
		if p.Registers > 0 {
			source = ret.detail.call.arguments[inRegisters]
			inRegisters++
		}
		if n < len(b.detail.call.results) {
			w.copyPlace(lanes, source, from, b.detail.call.results[n], w.Window())
		}
	}
}

// Argument returns the value of a call's argument in one lane: its first 8 bytes if it has more.
func (b *Bound) Argument(w *Warp, lane, n int) uint64 {
	var buffer [maximumArgument]byte
	if n >= len(b.detail.call.arguments) {
		return 0
	}
	p := b.detail.call.arguments[n]
	w.readPlace(buffer[:p.bytes], lane, p, w.Window())
	return binary.LittleEndian.Uint64(buffer[:])
}

// ArgumentBytes copies a call's argument in one lane into a buffer, as far as it fits.
func (b *Bound) ArgumentBytes(w *Warp, lane, n int, into []byte) {
	if n < len(b.detail.call.arguments) {
		p := b.detail.call.arguments[n]
		w.readPlace(into[:min(len(into), p.bytes)], lane, p, w.Window())
	}
}

// SetResult writes the first result of a call in one lane.
func (b *Bound) SetResult(w *Warp, lane int, value uint64) {
	if len(b.detail.call.results) > 0 {
		var buffer [8]byte
		binary.LittleEndian.PutUint64(buffer[:], value)
		w.writePlace(buffer[:], lane, b.detail.call.results[0], w.Window())
	}
}

func (w *Warp) copyPlace(lanes uint32, from argument, source Window, to argument, destination Window) {
	if from.inWords(source) && to.inWords(destination) {
		for n := range max(from.bytes, to.bytes) / 4 {
			w.copyWord(lanes, n, from, source, to, destination)
		}
		return
	}
	buffer := make([]byte, max(from.bytes, to.bytes))
	for lane := range 32 {
		if lanes>>lane&1 != 0 {
			w.readPlace(buffer[:from.bytes], lane, from, source)
			w.writePlace(buffer, lane, to, destination)
		}
	}
}

// inWords reports that a place consists of aligned 4-byte words.
func (p *argument) inWords(in Window) bool {
	return p.words > 0 || (int(in.Frame+p.offset)|p.bytes)%4 == 0
}

// copyWord copies the nth word of a place in all lanes; zero beyond the source's end.
func (w *Warp) copyWord(lanes uint32, n int, from argument, source Window, to argument, destination Window) {
	var v isa.Lanes32
	switch {
	case 4*n >= from.bytes:
	case from.words > 0:
		v = *w.word(from.slots()[n], source)
	default:
		loadRow(&v, w.localRow(source.Frame+from.offset+uint32(4*n)))
	}
	switch {
	case 4*n >= to.bytes:
	case to.words > 0:
		if s := to.slots()[n]; s >= 0 {
			merge(w.word(s, destination), &v, lanes)
		}
	default:
		var present isa.Lanes32
		row := w.localRow(destination.Frame + to.offset + uint32(4*n))
		loadRow(&present, row)
		merge(&present, &v, lanes)
		storeRow(&present, row)
	}
}

// localRow returns one word of local memory in all lanes.
func (w *Warp) localRow(address uint32) []byte {
	at := localByte(address, 0)
	return w.Local[at : at+4*32]
}

// word returns a register of a window, or a constant.
func (w *Warp) word(s slot, from Window) *isa.Lanes32 {
	if s >= 0 {
		return &w.Registers[from.Base+int32(s)]
	}
	return w.lanes(s)
}

func (w *Warp) readPlace(into []byte, lane int, p argument, from Window) {
	if p.words == 0 {
		for n := range into {
			into[n] = w.Local[localByte(from.Frame+p.offset+uint32(n), lane)]
		}
		return
	}
	for n, s := range p.slots() {
		binary.LittleEndian.PutUint32(into[4*n:], w.word(s, from)[lane])
	}
}

func (w *Warp) writePlace(data []byte, lane int, p argument, to Window) {
	if p.words == 0 {
		for n := range min(p.bytes, len(data)) {
			w.Local[localByte(to.Frame+p.offset+uint32(n), lane)] = data[n]
		}
		return
	}
	for n, s := range p.slots() {
		if s >= 0 && 4*n < len(data) {
			w.word(s, to)[lane] = binary.LittleEndian.Uint32(data[4*n:])
		}
	}
}

// localByte returns the index of a lane's local byte in Warp.Local.
func localByte(address uint32, lane int) uint64 {
	x := uint64(address)
	return (x/4*32+uint64(lane))*4 + x%4
}

// ReadLocal copies bytes from a lane's local memory; false if they are out of bounds.
func (w *Warp) ReadLocal(lane int, address uint64, into []byte) bool {
	if !w.holdsLocal(address, len(into)) {
		return false
	}
	for n := range into {
		into[n] = w.Local[localByte(uint32(address)+uint32(n), lane)]
	}
	return true
}

// holdsLocal reports that a range of bytes is within a lane's local memory.
func (w *Warp) holdsLocal(address uint64, bytes int) bool {
	end := uint64(len(w.Local)) / 32
	return address <= end && end-address >= uint64(bytes)
}

// WriteLocal copies bytes into a lane's local memory; false if they are out of bounds.
func (w *Warp) WriteLocal(lane int, address uint64, from []byte) bool {
	if !w.holdsLocal(address, len(from)) {
		return false
	}
	for n := range from {
		w.Local[localByte(uint32(address)+uint32(n), lane)] = from[n]
	}
	return true
}

// Resolve returns the space of a generic address and its offset in the space.
func Resolve(address uint64) (isa.Space, uint64) {
	s := SpaceOf(address)
	return s, address - window(s)
}
