package occupancy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Simulation is how the points of a study are run.
type Simulation struct {
	// Run simulates one point. It is called from several goroutines at once.
	Run func(context.Context, Point) (Measured, error)
	// Key is the hash of everything that a point's result depends on (see Fingerprint): points of one key are run once.
	Key func(Point) string
	// Cache is the folder that keeps results from run to run; empty keeps none.
	Cache string
	// Workers is how many points run at once.
	Workers int
	// Progress, where given, is called after each point that is done, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a simulation has come.
type Progress struct {
	// Done of Total points have a result or are refused; Cached of them were found in the cache.
	Done, Total, Cached int
}

// Fingerprint is the hash of a list of inputs, in hexadecimal. Each is hashed with its length, so that no two lists are
// taken for each other.
func Fingerprint(inputs ...[]byte) string {
	h := sha256.New()
	for _, input := range inputs {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(input)))
		h.Write(length[:])
		h.Write(input)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// job is a result to be found, and the points that wait for it.
type job struct {
	key    string
	points []int
}

// Simulate fills the points' Measured. A point that cannot be run gets its reason in Refused and does not stop the others;
// the error is that of the cache, of a run that was cancelled, or, where no point could be run, that of the first. Results
// are kept as they come: a study that was stopped goes on where it was.
func (s *Study) Simulate(ctx context.Context, sim Simulation) error {
	progress := Progress{Total: len(s.Points)}
	var lock sync.Mutex
	var firstFailure, cacheFailure error
	report := func(points []int, m Measured, failure error, cached bool) {
		lock.Lock()
		defer lock.Unlock()
		for _, i := range points {
			if failure != nil {
				s.Points[i].Refused = failure.Error()
			} else {
				result := m
				s.Points[i].Measured = &result
			}
		}
		if failure != nil && firstFailure == nil {
			firstFailure = failure
		}
		progress.Done += len(points)
		if cached {
			progress.Cached += len(points)
		}
		if sim.Progress != nil {
			sim.Progress(progress)
		}
	}

	var jobs []*job
	byKey := map[string]*job{}
	for i, p := range s.Points {
		if p.Result.Blocks == 0 {
			report([]int{i}, Measured{}, errors.New("not one block fits into an SMX"), false)
			continue
		}
		key := sim.Key(p)
		if byKey[key] == nil {
			byKey[key] = &job{key: key}
			jobs = append(jobs, byKey[key])
		}
		byKey[key].points = append(byKey[key].points, i)
	}
	queue := make(chan *job)
	var workers sync.WaitGroup
	for range max(sim.Workers, 1) {
		workers.Go(func() {
			for j := range queue {
				if m, ok := readResult(sim.Cache, j.key); ok {
					report(j.points, m, nil, true)
					continue
				}
				m, err := sim.Run(ctx, s.Points[j.points[0]])
				if ctx.Err() != nil {
					return
				}
				if err == nil {
					if err := writeResult(sim.Cache, j.key, m); err != nil {
						lock.Lock()
						cacheFailure = err
						lock.Unlock()
					}
				}
				report(j.points, m, err, false)
			}
		})
	}
feed:
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped after %d of %d points; the same command goes on from here: %w", progress.Done, progress.Total, ctx.Err())
	case cacheFailure != nil:
		return cacheFailure
	case !s.Simulated() && firstFailure != nil:
		return firstFailure
	}
	return nil
}

// resultFile is where a key's result lies: folders of the first two letters keep each of them small.
func resultFile(cache, key string) string { return filepath.Join(cache, key[:2], key+".json") }

// readResult finds a result in the cache. One that cannot be read is as good as none: it is made again.
func readResult(cache, key string) (Measured, bool) {
	var m Measured
	if cache == "" {
		return m, false
	}
	text, err := os.ReadFile(resultFile(cache, key))
	return m, err == nil && json.Unmarshal(text, &m) == nil && m.Cycles > 0
}

// writeResult keeps a result. The file appears whole or not at all, whenever the program is killed.
func writeResult(cache, key string, m Measured) error {
	if cache == "" {
		return nil
	}
	path := resultFile(cache, key)
	text, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	var part *os.File
	if err == nil {
		part, err = os.CreateTemp(filepath.Dir(path), "part-")
	}
	if err != nil {
		return fmt.Errorf("cannot keep the result: %w", err)
	}
	_, err = part.Write(append(text, '\n'))
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		os.Remove(part.Name())
		return fmt.Errorf("cannot keep the result: %w", err)
	}
	return nil
}
