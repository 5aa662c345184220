package occupancy

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/keplersim/keplersim/study/store"
)

// Simulation is how the points of a study are run.
type Simulation struct {
	// Run simulates one point. It is called from several goroutines at once.
	Run func(context.Context, Point) (Measured, error)
	// Key is the hash of everything that a point's result depends on (see store.Fingerprint): points of one key are run once.
	Key func(Point) string
	// Store keeps results from run to run; nil keeps none.
	Store *store.Store
	// Workers is how many points run at once.
	Workers int
	// Warn, where given, is told once that results cannot be kept, as on a full disk; the points are run all the same.
	Warn func(error)
	// Progress, where given, is called after each point that is done, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a simulation has come.
type Progress struct {
	// Done of Total points have a result or are refused; Cached of them were found in the store.
	Done, Total, Cached int
}

// errNoBlockFits is why a point is refused without a run.
var errNoBlockFits = errors.New("no block fits into an SMX")

// Simulate fills the points' Measured. A point that cannot be run gets its reason in Refused and does not stop the others;
// the error is that of a run that was cancelled, or, where no point could be run, that of the first. Results
// are kept as they come: a study that was stopped goes on where it was.
func (s *Study) Simulate(ctx context.Context, how Simulation) error {
	r := &simulationRun{Simulation: how, points: s.Points, progress: Progress{Total: len(s.Points)}}
	jobs := r.jobs()
	queue := make(chan *job)
	var workers sync.WaitGroup
	for range max(how.Workers, 1) {
		workers.Go(func() {
			for j := range queue {
				r.do(ctx, j)
			}
		})
	}
	feed(ctx, queue, jobs)
	workers.Wait()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf(
			"stopped after %d of %d points; the same command goes on from here: %w", r.progress.Done, r.progress.Total, ctx.Err(),
		)
	case !s.Simulated() && r.firstRefusal != nil:
		return r.firstRefusal
	}
	return nil
}

// simulationRun is a study's simulation in progress.
type simulationRun struct {
	Simulation
	points []Point

	lock         sync.Mutex // guards what follows, and what is written to points
	progress     Progress
	firstRefusal error // of the first point that could not be run
	warned       sync.Once
}

// job is one result to be found, and the points that wait for it.
type job struct {
	key    string
	points []int
}

// jobs returns what is to be run: one job for all points of a key. Points of which no block fits are refused at once.
func (r *simulationRun) jobs() []*job {
	var jobs []*job
	byKey := map[string]*job{}
	for i, p := range r.points {
		if p.Result.Blocks == 0 {
			r.refuse([]int{i}, errNoBlockFits)
			continue
		}
		key := r.Key(p)
		j := byKey[key]
		if j == nil {
			j = &job{key: key}
			byKey[key] = j
			jobs = append(jobs, j)
		}
		j.points = append(j.points, i)
	}
	return jobs
}

// feed hands jobs to the workers until there are none left or the run is cancelled.
func feed(ctx context.Context, queue chan<- *job, jobs []*job) {
	defer close(queue)
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
			return
		}
	}
}

// do finds a job's result: in the store, or by a run, whose result the store then keeps. A cancelled run leaves the points as they were.
func (r *simulationRun) do(ctx context.Context, j *job) {
	var kept Measured
	if r.Store != nil && r.Store.Get(j.key, &kept) && kept.Cycles > 0 {
		r.finish(j.points, kept, true)
		return
	}
	m, err := r.Run(ctx, r.points[j.points[0]])
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.refuse(j.points, err)
	default:
		r.keep(j.key, m)
		r.finish(j.points, m, false)
	}
}

// keep writes a result to the store.
func (r *simulationRun) keep(key string, m Measured) {
	if r.Store == nil {
		return
	}
	if err := r.Store.Put(key, m); err != nil && r.Warn != nil {
		r.warned.Do(func() { r.Warn(err) })
	}
}

// finish gives points their result.
func (r *simulationRun) finish(points []int, m Measured, cached bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, i := range points {
		own := m
		r.points[i].Measured = &own
	}
	if cached {
		r.progress.Cached += len(points)
	}
	r.advance(len(points))
}

// refuse gives points the reason why they have no result.
func (r *simulationRun) refuse(points []int, why error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, i := range points {
		r.points[i].Refused = why.Error()
	}
	if r.firstRefusal == nil {
		r.firstRefusal = why
	}
	r.advance(len(points))
}

// advance tells of points that are done. The caller holds the lock.
func (r *simulationRun) advance(points int) {
	r.progress.Done += points
	if r.Progress != nil {
		r.Progress(r.progress)
	}
}
