package smx

import "math/bits"

// noIndex is the reconvergence point of paths that never meet, and the program counter of an entry that only waits for its lanes to exit.
const noIndex = -1

// entry is one path of a diverged warp: lanes that run from pc until they reach reconverge.
type entry struct {
	pc, reconverge int32
	mask           uint32
	frame          int32 // index of the path's function in stack.frames
}

// stack is a warp's reconvergence stack; the last entry runs. An entry's lanes are a subset of those of the entries below it, which wait
// where the paths above them meet. A call pushes a frame, and an entry that runs until its lanes return. The first entry of each frame is
// its root. Below it the caller's entry waits at the operation behind the call.
type stack struct {
	entries []entry
	frames  []frame
}

// reset starts a warp at operation 0 with some lanes.
func (s *stack) reset(lanes uint32) {
	s.entries = append(s.entries[:0], entry{pc: 0, reconverge: noIndex, mask: lanes})
	s.frames = append(s.frames[:0], frame{})
}

func (s *stack) top() *entry { return &s.entries[len(s.entries)-1] }

// advance moves the running path to pc, and pops it if that is its reconvergence point.
func (s *stack) advance(pc int32) {
	s.top().pc = pc
	if len(s.entries) > 1 {
		s.meet()
	}
}

// meet pops paths that have arrived at their reconvergence point.
func (s *stack) meet() {
	for len(s.entries) > 1 {
		top := s.top()
		if top.mask != 0 && (top.pc != top.reconverge || top.pc == noIndex) {
			return
		}
		if s.root(len(s.entries) - 1) {
			s.frames = s.frames[:top.frame]
		}
		s.entries = s.entries[:len(s.entries)-1]
	}
}

// branch sends the taken lanes of the running path to target and the rest to next. They meet at reconverge. It reports whether the path
// split. The rest runs first.
func (s *stack) branch(taken uint32, target, next, reconverge int32) (diverged bool) {
	top := s.top()
	switch taken {
	case 0:
		s.advance(next)
		return false
	case top.mask:
		s.advance(target)
		return false
	}
	rest := top.mask &^ taken
	s.suspend(reconverge)
	s.push(taken, target, reconverge)
	s.push(rest, next, reconverge)
	s.meet()
	return true
}

// index sends each lane to its own target. Lanes with the same target stay together. Paths run in the order of their first lanes.
func (s *stack) index(targets *[32]int32, reconverge int32) (diverged bool) {
	mask := s.top().mask
	first := targets[bits.TrailingZeros32(mask)]
	same := lanesTo(targets, mask, first)
	if same == mask {
		s.advance(first)
		return false
	}
	s.suspend(reconverge)
	for mask != 0 {
		target := targets[31-bits.LeadingZeros32(mask)]
		lanes := lanesTo(targets, mask, target)
		s.push(lanes, target, reconverge)
		mask &^= lanes
	}
	s.meet()
	return true
}

func lanesTo(targets *[32]int32, mask uint32, target int32) (lanes uint32) {
	for m := mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); targets[lane] == target {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// suspend makes the running entry wait at reconverge. It pops a path that ends there anyway: the entry below waits.
func (s *stack) suspend(reconverge int32) {
	if top := s.top(); !s.root(len(s.entries)-1) && top.reconverge == reconverge {
		s.entries = s.entries[:len(s.entries)-1]
	} else {
		top.pc = reconverge
	}
}

func (s *stack) push(lanes uint32, pc, reconverge int32) {
	if pc != reconverge {
		s.entries = append(s.entries, entry{pc: pc, reconverge: reconverge, mask: lanes, frame: s.top().frame})
	}
}

// exit ends lanes of the running path, whose other lanes go on at next. It reports whether the warp has ended.
func (s *stack) exit(lanes uint32, next int32) (done bool) {
	top := s.top()
	top.pc = next
	for i := range s.entries {
		s.entries[i].mask &^= lanes
	}
	s.meet()
	return s.top().mask == 0
}

// live returns the lanes that have not exited.
func (s *stack) live() uint32 { return s.entries[0].mask }

// root reports whether an entry is the first of a call, or of the kernel.
func (s *stack) root(n int) bool { return n == 0 || s.entries[n].frame != s.entries[n-1].frame }
