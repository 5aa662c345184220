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

// Run says how to run the points of a study.
type Run struct {
	// Store keeps the outcomes. Version is the simulator's; outcomes of other versions are ignored.
	Store   *store.Store
	Version []byte
	// Jobs is how many points run at the same time.
	Jobs int
	// Shard is the share of the points to run, 0 to Shards-1. Shards of 0 or 1 run all.
	Shard, Shards int
	// Progress, if not nil, is called after each point, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is the progress of a study.
type Progress struct {
	// Of Total points, Done have an outcome, Kept had one before, NotOK are wrong or failed.
	Done, Total, Kept, NotOK int
}

// Stopped is the error of a study that ended early.
type Stopped struct {
	Done, Total int
	Kept        bool // the store with the outcomes is permanent
	Cause       error
}

// Error says how far the study came, whether the same command would continue it, and why it ended unless the user interrupted it.
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
	// Config is the hash of the point's configuration, "" if the point has none.
	Config string
}

// Title returns a file's name in tables: without folder and extension.
func Title(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// Share returns the points of a shard: every n-th, so that all shards get similar work.
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

// Do runs points and returns a row for each, in their order. It stores outcomes as they come, so that an interrupted study can continue.
// The error is ctx's, or that of a store that cannot be written; Do then starts no further points.
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

// find returns a point's outcome: from the store, or from a run whose outcome it stores. config is the hash of the point's configuration.
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

// find returns the outcome of a plan as Study.find does.
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
		return outcome, false, nil // do not store it: next time there may be a compiler
	}
	return outcome, false, how.Store.Put(key, outcome)
}
