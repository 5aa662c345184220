package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/study/store"
)

// Run is how the points of a study are run.
type Run struct {
	// Store keeps the outcomes. Version is the simulator's: another's outcomes are not taken.
	Store   *store.Store
	Version []byte
	// Jobs is how many points run at once.
	Jobs int
	// Shard of Shards takes the points that it has a share of: 0 to Shards-1. Shards of 0 or 1 takes all.
	Shard, Shards int
	// Progress, where given, is called after each point, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a study has come.
type Progress struct {
	// Done of Total points have an outcome; Kept of them had one before, NotOK of them are wrong or failed.
	Done, Total, Kept, NotOK int
}

// Stopped is the error of a study that ended before its last point.
type Stopped struct {
	Done, Total int
	Kept        bool // outcomes are in a store that stays
	Cause       error
}

// Error says how far the study came, whether the same command goes on, and why it ended unless somebody interrupted it.
func (s *Stopped) Error() string {
	text := fmt.Sprintf("stopped after %d of %d points", s.Done, s.Total)
	if s.Kept {
		text += "; the same command goes on from here"
	}
	if errors.Is(s.Cause, context.Canceled) {
		return text
	}
	return fmt.Sprintf("%s: %v", text, s.Cause)
}

// Unwrap returns why it ended.
func (s *Stopped) Unwrap() error { return s.Cause }

// Row is a point with its outcome.
type Row struct {
	Point   Point
	Outcome Outcome
	// Config is the hash of the configuration that the point runs on, "" where it has none.
	Config string
}

// Title returns the name under which tables have a file: its own without its extension.
func Title(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// Share returns the points of a shard: every n-th, so that shards get alike work of each file.
func (r *Run) Share(points []Point) []Point {
	if r.Shards < 2 {
		return points
	}
	var own []Point
	for i := r.Shard; i < len(points); i += r.Shards {
		own = append(own, points[i])
	}
	return own
}

// Do runs points and returns a row for each, in their order. Outcomes are kept as they come, so that a study that ends early goes on where
// it was. The error is that of ctx or of a store that cannot be written, after which nothing more is begun.
func (s *Study) Do(ctx context.Context, points []Point, how Run) ([]Row, error) {
	rows := make([]Row, len(points))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var lock sync.Mutex
	progress := Progress{Total: len(points)}
	var read inputs
	queue := make(chan int)
	var workers sync.WaitGroup
	for range max(how.Jobs, 1) {
		workers.Go(func() {
			for i := range queue {
				outcome, config, kept, err := s.find(ctx, points[i], how, &read)
				if err != nil {
					cancel(err)
					continue
				}
				rows[i] = Row{points[i], outcome, config}
				lock.Lock()
				progress.Done++
				if kept {
					progress.Kept++
				}
				if outcome.Status != OK {
					progress.NotOK++
				}
				if how.Progress != nil {
					how.Progress(progress)
				}
				lock.Unlock()
			}
		})
	}
feed:
	for i := range points {
		select {
		case queue <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	if progress.Done < len(points) {
		return nil, &Stopped{progress.Done, progress.Total, how.Store != nil && !how.Store.Temporary, context.Cause(ctx)}
	}
	return rows, nil
}

// find returns a point's outcome: that in the store, or that of a run, which the store then keeps. config is the hash of the point's
// configuration.
func (s *Study) find(ctx context.Context, p Point, how Run, read *inputs) (outcome Outcome, config string, kept bool, err error) {
	if ctx.Err() != nil {
		return outcome, "", false, context.Cause(ctx)
	}
	l, err := s.prepare(p)
	if err != nil {
		return failed(err), "", false, nil
	}
	outcome, kept, err = l.find(ctx, how, read)
	return outcome, l.chip.Hash(), kept, err
}

// find is that of a point that is ready to run.
func (l *plan) find(ctx context.Context, how Run, read *inputs) (outcome Outcome, kept bool, err error) {
	key, err := l.key(how.Version, read)
	if err != nil {
		return failed(err), false, nil
	}
	if how.Store.Get(key, &outcome) && outcome.Status != "" {
		return outcome, true, nil
	}
	if outcome, err = l.run(ctx); err != nil {
		return outcome, false, err
	}
	if outcome.Status == Failed && outcome.Launches == 0 && strings.Contains(outcome.Reason, "clang") {
		return outcome, false, nil // another machine, or this one tomorrow, may have a compiler
	}
	return outcome, false, how.Store.Put(key, outcome)
}
