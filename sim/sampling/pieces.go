package sampling

import "math"

// Pieces of a run in detail tell when the beginning of a launch is over, when L2 is warm, and how long a window is.

// piece is a short part of a run in detail.
type piece struct {
	end         Progress
	executed    []uint64 // warp instructions of each SMX
	reads, hits uint64   // sectors of L2
	// written are sectors written to L2, back those that have gone on to device memory.
	written, back uint64
}

// noise is how costs of pieces stray around those of their windows.
type noise struct{ squares, freedom float64 }

// share is how far pieces stray, as a share of the cost.
func (n *noise) share() float64 { return math.Sqrt(n.squares / max(1, n.freedom)) }

// piece is one that ends.
func (l *launch) piece(now Progress) piece {
	m := l.device.Memory()
	return piece{now, l.executed(), m.L2ReadSectors, m.L2ReadSectorHits, m.L2WriteSectors, m.DRAMWriteSectors}
}

// piece ends a piece when it is long enough, and reports that it has.
func (s *sampled) piece(l *launch, now Progress) bool {
	last := &s.pieces[len(s.pieces)-1]
	if now.At-last.end.At < pieceCycles || now.Executed == last.end.Executed {
		return false
	}
	s.pieces = append(s.pieces, l.piece(now))
	return true
}

// cost is how many cycles a warp instruction took in a piece of the stage, from 1.
func (s *sampled) cost(i int) float64 {
	from, to := &s.pieces[i-1].end, &s.pieces[i].end
	return float64(to.At-from.At) / float64(to.Executed-from.Executed)
}

// hitShare is the part of a piece's reads that L2 had; false where there are too few to tell.
func (s *sampled) hitShare(i int) (share float64, ok bool) {
	reads := s.pieces[i].reads - s.pieces[i-1].reads
	return float64(s.pieces[i].hits-s.pieces[i-1].hits) / float64(max(1, reads)), reads >= fewReads
}

// fewReads are too few to say how many of them hit.
const fewReads = 64

// settle reports that the beginning of the launch is over, and begins its first window where it was. Of the pieces so far, those at the
// front are left out without which the mean is surest (K. P. White, Simulation 69, 1997, the marginal standard error rule).
func (s *sampled) settle(l *launch, now Progress) bool {
	passed := now.At - l.Start
	if passed < firstCycles && (now.Finished < firstWaves*l.wave || passed < firstLeast || !s.writesBack(l.little)) {
		s.pieces = s.pieces[len(s.pieces)-1:]
		return false
	}
	late, last := passed >= firstMost, len(s.pieces)-1
	cut, best, share := 0, math.Inf(1), 0.0
	for from := 0; from <= last/2; from++ {
		mean, squares, count := 0.0, 0.0, float64(last-from)
		for i := from + 1; i <= last; i++ {
			mean += s.cost(i) / count
		}
		for i := from + 1; i <= last; i++ {
			squares += math.Pow(s.cost(i)-mean, 2)
		}
		if unsure := squares / count / count; unsure < best {
			cut, best, share = from, unsure, math.Sqrt(squares/max(1, count-1))/mean
		}
	}
	wanted := int(math.Ceil(lengthFor(share) / pieceCycles))
	if last < 2 || !late && last-cut < wanted {
		return false
	}
	s.pieces = s.pieces[max(cut, last-wanted):]
	s.from, s.before = s.pieces[0].end, s.pieces[0].executed
	return true
}

// writesBack reports that L2 writes about as much to device memory as is written to it: as long as there is room for what was written,
// memory has less to do than later. It does not matter where little is written.
func (s *sampled) writesBack(little float64) bool {
	from, to := &s.pieces[len(s.pieces)-2], &s.pieces[len(s.pieces)-1]
	written, back := float64(to.written-from.written), float64(to.back-from.back)
	return back >= backPart*written || written < little*float64(to.end.At-from.end.At)
}

const (
	// backPart is what part of what is written L2 writes on when there is no more room.
	backPart = 0.9
	// littlePart is what part of device memory's bandwidth little is.
	littlePart = 0.05
)

// warm reports that a window may begin.
func (s *sampled) warm() bool {
	last := len(s.pieces) - 1
	if s.pieces[last].end.At-s.from.At >= warmMost {
		return true
	}
	share, ok := s.hitShare(last)
	return !ok || s.hits.count == 0 || share >= s.hits.mean()-max(hitsApart, 2*s.hits.stray())
}

// windowLength is how many cycles a window has.
func (m *measurements) windowLength() float64 {
	length := lengthFor(m.noise.share())
	if len(m.windows) > 0 && m.windows[0].ending { // of a single wave they say how fast each block is as well
		length = max(length, WindowLeast)
	}
	if m.block <= WindowMost { // blocks begin in step: a shorter window sees a part of what they do
		length = max(length, m.block)
	}
	return length
}

// lengthFor is how many cycles a window has whose pieces stray by a share.
func lengthFor(share float64) float64 {
	if share < quiet {
		return WindowLeast / 2
	}
	return min(max(WindowLeast, pieceCycles*math.Pow(share/windowStray, 2)), WindowMost)
}
