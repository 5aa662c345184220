package device

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// workers are host threads that run the SMXs of an epoch. Which thread runs which SMX differs from run to run and changes nothing.
type workers struct {
	list  []*smx.SMX
	until engine.Cycle
	next  atomic.Int32
	start []chan struct{}
	done  sync.WaitGroup
	// failure is the first panic of a thread, with its stack.
	failure atomic.Pointer[string]
}

func startWorkers(list []*smx.SMX, threads int) *workers {
	w := &workers{list: list}
	for range min(threads, len(list)) - 1 {
		start := make(chan struct{})
		w.start = append(w.start, start)
		go func() {
			for range start {
				w.guarded()
				w.done.Done()
			}
		}()
	}
	return w
}

// stop ends the threads.
func (w *workers) stop() {
	for _, start := range w.start {
		close(start)
	}
}

// run advances every SMX to cycle until.
func (w *workers) run(until engine.Cycle) {
	w.until = until
	w.next.Store(0)
	w.done.Add(len(w.start))
	for _, start := range w.start {
		start <- struct{}{}
	}
	w.runJobs()
	w.done.Wait()
	if failure := w.failure.Load(); failure != nil {
		panic(*failure)
	}
}

// guarded is work of a thread that is not the caller's: a panic there waits for the caller, who may have something to
// report.
func (w *workers) guarded() {
	defer func() {
		if cause := recover(); cause != nil {
			text := fmt.Sprintf("%v\n\nthread of the simulation:\n%s", cause, debug.Stack())
			w.failure.CompareAndSwap(nil, &text)
		}
	}()
	w.runJobs()
}

func (w *workers) runJobs() {
	for {
		i := int(w.next.Add(1)) - 1
		if i >= len(w.list) {
			return
		}
		w.list[i].Run(w.until)
	}
}
