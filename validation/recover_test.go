package validation

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// latencyProbe loads from offsets, one after the other, as often as passes says, from caches that are empty at first, and returns
// what each load of the last pass took in cycles. It is all that the analysis below knows of a memory.
type latencyProbe func(ctx context.Context, offsets []int64, passes int) ([]int, error)

// Geometry is a cache, or a translation buffer, as latencies show it. A value of 0 was not asked for.
type Geometry struct {
	Capacity int64 // bytes
	Line     int64 // bytes under one tag, or of a page
	Sector   int64 // bytes that one miss brings
	Ways     int64
	Sets     int64
}

// search says how a cache is looked for.
type search struct {
	step    int64 // bytes between two loads of a chase: no more than a line, nor than one of the nearer level
	most    int64 // bytes that a chase can walk
	nearer  int64 // capacity of the level before this one, whose hits are left out; 0 for the first
	margin  int   // cycles by which a miss is slower than a hit, at least
	unit    int64 // bytes of the smallest distance that tells sectors and lines apart
	sectors bool  // look for sectors
	hashed  bool  // sets are told by a hash: lines are counted in runs of misses, ways are not looked for
}

// recovery is one search in progress.
type recovery struct {
	search
	probe latencyProbe
	slow  int // cycles from which on a load has missed
}

// recoverGeometry finds a cache's parameters from latencies alone:
//
//   - capacity: the longest chase of steps that has no miss once it has been walked. It holds for any replacement policy, since no
//     line is replaced before a set is full, and a set with one line too many misses in every pass;
//   - ways: the fewest n for which n + 1 loads a capacity/n apart miss. They are all of one set, and no others are (Saavedra and Smith);
//   - line: the least distance by which the last of these loads must move to fall in another set (Wong et al.);
//   - sector: the distance of misses in a first walk.
//
// Where a hash tells the set, loads a power of two apart do not meet; there the line is the length of a run of misses when one load
// too many has pushed out lines whose every sector is walked (Mei and Chu).
func recoverGeometry(ctx context.Context, probe latencyProbe, s search) (Geometry, error) {
	r := recovery{search: s, probe: probe}
	var g Geometry
	if err := r.calibrate(ctx); err != nil {
		return g, err
	}
	steps := []func(context.Context, *Geometry) error{r.capacity}
	if s.sectors {
		steps = append(steps, r.sector)
	}
	if s.hashed {
		steps = append(steps, r.runs)
	} else {
		steps = append(steps, r.ways, r.line)
	}
	for _, step := range steps {
		if err := step(ctx, &g); err != nil {
			return g, err
		}
	}
	return g, nil
}

// warm is how often a chase is walked in all: it is in the caches, as far as it fits, before the last pass.
const warm = 2

// calibrate finds what a hit takes at most.
func (r *recovery) calibrate(ctx context.Context) error {
	latencies, err := r.probe(ctx, walk(max(r.step, 2*r.nearer), r.step), warm)
	if err != nil {
		return err
	}
	hit := 0
	for _, l := range latencies {
		hit = max(hit, l)
	}
	r.slow = hit + r.margin
	return nil
}

// misses reports which loads of the last pass missed, and whether any did.
func (r *recovery) misses(ctx context.Context, offsets []int64, passes int) (missed []bool, any bool, err error) {
	latencies, err := r.probe(ctx, offsets, passes)
	missed = make([]bool, len(latencies))
	for i, l := range latencies {
		missed[i] = l >= r.slow
		any = any || missed[i]
	}
	return missed, any, err
}

// walk returns a chase through so many bytes.
func walk(footprint, step int64) []int64 {
	var offsets []int64
	for o := int64(0); o < footprint; o += step {
		offsets = append(offsets, o)
	}
	return offsets
}

// largest finds the largest size that fits, in steps from one that does: it doubles the size until one is too large, then halves the
// doubt. It has not found it where the most that can be tried still fits.
func largest(fits, step, most int64, tooLarge func(size int64) (bool, error)) (size int64, found bool, err error) {
	over := int64(0)
	for over == 0 || over-fits > step {
		next := min(2*fits, most)
		if over != 0 {
			next = fits + (over-fits)/2/step*step
		} else if fits >= most {
			return fits, false, nil
		}
		large, err := tooLarge(next)
		switch {
		case err != nil:
			return fits, false, err
		case large:
			over = next
		default:
			fits = next
		}
	}
	return fits, true, nil
}

// capacity returns the longest walk that does not miss.
func (r *recovery) capacity(ctx context.Context, g *Geometry) error {
	fits, found, err := largest(max(r.step, 2*r.nearer), r.step, r.most, func(bytes int64) (bool, error) {
		_, missed, err := r.misses(ctx, walk(bytes, r.step), warm)
		return missed, err
	})
	if err == nil && !found {
		err = fmt.Errorf("no miss in %d bytes, which is all that can be walked", r.most)
	}
	g.Capacity = fits
	return err
}

// sector walks memory that no cache holds.
func (r *recovery) sector(ctx context.Context, g *Geometry) error {
	missed, _, err := r.misses(ctx, walk(min(g.Capacity, 1024*r.unit), r.unit), 1)
	if err != nil {
		return err
	}
	count, last, best := map[int]int{}, -1, 0
	for i, m := range missed {
		if !m {
			continue
		}
		if last >= 0 {
			count[i-last]++
		}
		last = i
	}
	for distance, n := range count {
		if n > count[best] || n == count[best] && distance < best {
			best = distance
		}
	}
	if best == 0 {
		return errors.New("a first walk shows no two misses")
	}
	g.Sector = int64(best) * r.unit
	return nil
}

// mostWays ends the search for ways.
const mostWays = 1024

// conflict reports whether n loads that meet in one set of n ways, and one more, miss when they are repeated. Behind them the chase
// walks as many bytes as the nearer level holds, which otherwise would answer for them; these lie where n ways have other sets.
func (r *recovery) conflict(ctx context.Context, g *Geometry, n, one int64) (bool, error) {
	way := g.Capacity / n
	offsets := append(walk(g.Capacity, way), one)
	tested := len(offsets)
	for _, o := range walk(r.nearer, r.step) {
		offsets = append(offsets, way/2+r.nearer+o)
	}
	missed, _, err := r.misses(ctx, offsets, warm)
	return slices.Contains(missed[:min(tested, len(missed))], true), err
}

// ways tries every number of ways that divides the capacity.
func (r *recovery) ways(ctx context.Context, g *Geometry) error {
	for n := int64(1); n <= mostWays; n++ {
		if g.Capacity%(n*r.unit) != 0 || g.Capacity/n < r.unit {
			continue
		}
		missed, err := r.conflict(ctx, g, n, g.Capacity)
		if err != nil {
			return err
		}
		if missed {
			g.Ways = n
			return nil
		}
	}
	return fmt.Errorf("no conflict of up to %d loads shows the ways", mostWays)
}

// line moves the load that is too many until it is in another set. Where there is no other, a way is one line.
func (r *recovery) line(ctx context.Context, g *Geometry) error {
	way := g.Capacity / g.Ways
	for distance := r.unit; distance < way; distance *= 2 {
		missed, err := r.conflict(ctx, g, g.Ways, g.Capacity+distance)
		if err != nil {
			return err
		}
		if !missed {
			g.Line = distance
			break
		}
	}
	if g.Line == 0 {
		g.Line = way
	}
	g.Sets = way / g.Line
	return nil
}

// finePart is what part of a chase walks every sector where there is no room for all.
const finePart = 4

// runs finds the line from runs of neighbouring misses.
func (r *recovery) runs(ctx context.Context, g *Geometry) error {
	fine := g.Capacity / finePart
	offsets := walk(fine, g.Sector)
	for o := fine; o <= g.Capacity; o += r.step { // one load too many
		offsets = append(offsets, o)
	}
	missed, any, err := r.misses(ctx, offsets, warm)
	if err != nil {
		return err
	}
	if !any {
		return errors.New("one load beyond the capacity does not miss")
	}
	count, length := map[int64]int{}, int64(0)
	for _, m := range missed[:fine/g.Sector] {
		if m {
			length++
			continue
		}
		if length > 0 {
			count[length]++
		}
		length = 0
	}
	best := int64(0)
	for length, n := range count {
		if best == 0 || n > count[best] || n == count[best] && length < best {
			best = length
		}
	}
	if best == 0 {
		return errors.New("the loads beyond the capacity push out nothing that is walked by sectors")
	}
	g.Line = best * g.Sector
	return nil
}
