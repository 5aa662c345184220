package sampling

import "math"

// Pieces of a run in detail show when the beginning of a launch is over, when L2 is warm, and how long a window must be.

// piece is a short part of a run in detail.
type piece struct {
	end         Progress
	executed    []uint64 // warp instructions of each SMX
	reads, hits uint64   // sectors of L2
	// written are sectors written to L2, back those written to device memory.
	written, back uint64
}

// noise is the spread of pieces' costs around those of their windows.
type noise struct{ squares, freedom float64 }

// share returns the spread as a fraction of the cost.
func (n *noise) share() float64 { return math.Sqrt(n.squares / max(1, n.freedom)) }

// piece returns the counters at the end of a piece.
func (l *launch) piece(now Progress) piece {
	m := l.device.Memory()
	return piece{now, l.executed(), m.L2ReadSectors, m.L2ReadSectorHits, m.L2WriteSectors, m.DRAMWriteSectors}
}

// piece ends a piece if it is long enough, and reports whether it has.
func (s *sampled) piece(l *launch, now Progress) bool {
	last := &s.pieces[len(s.pieces)-1]
	if now.At-last.end.At < pieceCycles || now.Executed == last.end.Executed {
		return false
	}
	s.pieces = append(s.pieces, l.piece(now))
	return true
}

// cost returns the cycles a warp instruction in a piece of the stage, numbered from 1.
func (s *sampled) cost(i int) float64 {
	from, to := &s.pieces[i-1].end, &s.pieces[i].end
	return float64(to.At-from.At) / float64(to.Executed-from.Executed)
}

// hitShare returns the fraction of a piece's L2 reads that hit; false for too few reads.
func (s *sampled) hitShare(i int) (share float64, ok bool) {
	reads := s.pieces[i].reads - s.pieces[i-1].reads
	return float64(s.pieces[i].hits-s.pieces[i-1].hits) / float64(max(1, reads)), reads >= fewReads
}

// fewReads is too few reads for a hit rate.
const fewReads = 64

// settle reports that the beginning of the launch is over, and begins its first window in the past. It cuts off the pieces at the front
// whose removal makes the mean surest (K. P. White, Simulation 69, 1997, the marginal standard error rule).
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

// writesBack reports that L2 writes about as much to device memory as is written to it. Before that, while L2 has room for writes, memory
// has less to do than later. With few writes this does not matter.
func (s *sampled) writesBack(little float64) bool {
	from, to := &s.pieces[len(s.pieces)-2], &s.pieces[len(s.pieces)-1]
	written, back := float64(to.written-from.written), float64(to.back-from.back)
	return back >= backPart*written || written < little*float64(to.end.At-from.end.At)
}

const (
	// backPart is the fraction of writes that a full L2 writes back.
	backPart = 0.9
	// littlePart is the fraction of device memory's bandwidth of little.
	littlePart = 0.05
)

// warm reports that a window may begin.
func (s *sampled) warm() bool {
	last := len(s.pieces) - 1
	if s.pieces[last].end.At-s.from.At >= warmMost {
		return true
	}
	share, ok := s.hitShare(last)
	return !ok || s.hits.count == 0 || share >= s.hits.mean()-max(hitsApart, 2*s.hits.stddev())
}

// windowLength returns the cycles of a window.
func (m *measurements) windowLength() float64 {
	length := lengthFor(m.noise.share())
	if len(m.windows) > 0 && m.windows[0].ending { // windows of a single wave also measure each block's speed
		length = max(length, WindowLeast)
	}
	if m.block <= WindowMost { // blocks begin in step: a shorter window would see only a part of a block
		length = max(length, m.block)
	}
	return length
}

// lengthFor returns the cycles of a window whose pieces have this relative spread.
func lengthFor(share float64) float64 {
	if share < quiet {
		return WindowLeast / 2
	}
	return min(max(WindowLeast, pieceCycles*math.Pow(share/windowStray, 2)), WindowMost)
}
