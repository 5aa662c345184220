package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// event is an event of the Trace Event Format. Times are microseconds with three decimals, because Perfetto keeps whole nanoseconds.
type event struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name,omitempty"`
	Category string         `json:"cat,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Time     micro          `json:"ts"`
	Duration *micro         `json:"dur,omitempty"`
	ID       string         `json:"id,omitempty"`
	Bind     string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// micro is a number of nanoseconds that is written as microseconds.
type micro int64

// MarshalJSON writes the microseconds.
func (m micro) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d.%03d", m/1000, m%1000), nil }

// nanoseconds converts microseconds.
func nanoseconds(us float64) micro { return micro(math.Round(max(0, us) * 1000)) }

// writer writes events one by one.
type writer struct {
	out       *bufio.Writer
	err       error
	hasEvents bool
	named     map[[2]int]bool
	ends      map[[2]int]micro // of the last span of a thread
}

func newWriter(w io.Writer) *writer {
	return &writer{out: bufio.NewWriterSize(w, 1<<16), named: map[[2]int]bool{}, ends: map[[2]int]micro{}}
}

func (w *writer) text(s string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(s)
	}
}

func (w *writer) add(e event) {
	if w.err != nil {
		return
	}
	data, err := json.Marshal(e)
	if err != nil {
		w.err = err
		return
	}
	if w.hasEvents {
		w.text(",\n")
	}
	w.hasEvents = true
	w.text(string(data))
}

// slice adds a span on a thread.
func (w *writer) slice(process, thread int, name, category string, from, to micro, args map[string]any) {
	duration := max(0, to-from)
	key := [2]int{process, thread}
	w.ends[key] = max(w.ends[key], to)
	w.add(event{Phase: "X", Name: name, Category: category, Process: process, Thread: thread, Time: from, Duration: &duration,
		Args: args})
}

// counter adds a counter's value at a time.
func (w *writer) counter(process int, name, unit string, at micro, value float64) {
	if !math.IsNaN(value) && !math.IsInf(value, 0) {
		w.add(event{Phase: "C", Name: name, Process: process, Time: at, Args: map[string]any{unit: math.Round(value*1e4) / 1e4}})
	}
}

// process names a process, and sets its place in the order.
func (w *writer) process(number int, name string) {
	if key := [2]int{number, -1}; !w.named[key] {
		w.named[key] = true
		w.add(event{Phase: "M", Name: "process_name", Process: number, Args: map[string]any{"name": name}})
		w.add(event{Phase: "M", Name: "process_sort_index", Process: number, Args: map[string]any{"sort_index": number}})
	}
}

// thread names a thread of a process.
func (w *writer) thread(process, number int, name string) {
	if key := [2]int{process, number}; !w.named[key] {
		w.named[key] = true
		w.add(event{Phase: "M", Name: "thread_name", Process: process, Thread: number, Args: map[string]any{"name": name}})
		w.add(event{Phase: "M", Name: "thread_sort_index", Process: process, Thread: number,
			Args: map[string]any{"sort_index": number}})
	}
}

// lanes assigns overlapping spans to lanes, so that the spans of a lane do not overlap.
type lanes struct{ free []micro }

// take returns the first lane that is free at from, and occupies it until to.
func (l *lanes) take(from, to micro) int {
	i := slices.IndexFunc(l.free, func(free micro) bool { return free <= from })
	if i < 0 {
		i = len(l.free)
		l.free = append(l.free, 0)
	}
	l.free[i] = max(to, from+1)
	return i
}
