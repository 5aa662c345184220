package validation

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// latencyProbe loads from offsets one after another, passes times, from caches that are empty at first, and returns the latency of each
// load in the last pass, in cycles. The analysis below knows nothing else of a memory.
type latencyProbe func(ctx context.Context, offsets []int64, passes int) ([]int, error)

// Geometry has a cache's or TLB's parameters as latencies show them; 0 for parameters not looked for.
type Geometry struct {
	Capacity int64 // bytes
	Line     int64 // bytes under one tag, or bytes of a page
	Sector   int64 // bytes fetched by one miss
	Ways     int64
	Sets     int64
}

// search says how to look for a cache.
type search struct {
	step    int64 // bytes between two loads of a chase: at most a line, also of the nearer level
	most    int64 // bytes that a chase can walk
	nearer  int64 // capacity of the level before, whose hits do not count; 0 for the first
	margin  int   // the least difference between a miss and a hit, in cycles
	unit    int64 // the smallest distance that distinguishes sectors and lines, in bytes
	sectors bool  // look for sectors
	hashed  bool  // a hash selects the set: lines are counted in runs of misses, and ways are not looked for
}

// recovery is one search in progress.
type recovery struct {
	search
	probe latencyProbe
	slow  int // latency from which a load counts as a miss, in cycles
}

// recoverGeometry finds a cache's parameters from latencies alone:
//
//   - capacity: the longest chase of steps without a miss after the first walk. This holds for any replacement policy: no line is replaced
//     before a set is full, and a set with one line too many misses in every pass;
//   - ways: the smallest n for which n + 1 loads a capacity/n apart miss. These loads fill one set and no other (Saavedra and Smith);
//   - line: the smallest distance that moves the last of these loads to another set (Wong et al.);
//   - sector: the distance of misses in a first walk.
//
// If a hash selects the set, loads a power of two apart do not meet. Then the line is the length of a run of misses: one load too many
// evicts lines, whose sectors are all walked (Mei and Chu).
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

// warm is the number of walks: before the last pass, the chase is in the caches as far as it fits.
const warm = 2

// calibrate finds the largest latency of a hit.
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

// misses tells which loads of the last pass missed, and whether any did.
func (r *recovery) misses(ctx context.Context, offsets []int64, passes int) (missed []bool, any bool, err error) {
	latencies, err := r.probe(ctx, offsets, passes)
	missed = make([]bool, len(latencies))
	for i, l := range latencies {
		missed[i] = l >= r.slow
		any = any || missed[i]
	}
	return missed, any, err
}

// walk is a chase through this many bytes.
func walk(footprint, step int64) []int64 {
	var offsets []int64
	for o := int64(0); o < footprint; o += step {
		offsets = append(offsets, o)
	}
	return offsets
}

// largest finds the largest size that fits, in steps from one that does. It doubles the size until one is too large, and then bisects. It
// fails if the largest possible size still fits.
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

// capacity finds the longest walk without a miss.
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

// sector walks memory that is in no cache.
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

// conflict tells whether n + 1 loads to one set of n ways miss when repeated. After them, the chase walks as many bytes as the nearer level
// holds, so that it cannot serve the loads. With n ways, these bytes are in other sets.
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

// line moves the extra load until it is in another set. If there is no other set, a way is one line.
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

// finePart is the part of a chase that walks every sector, if there is no room for all.
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
