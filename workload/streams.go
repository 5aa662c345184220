package workload

import "github.com/goccy/go-yaml/ast"

// mostDevices bounds the devices of a board.
const mostDevices = 4

// mostProcesses bounds the processes of a workload: more than MPS has clients.
const mostProcesses = 64

func (r *reader) process(into *int) func(ast.Node) {
	return func(v ast.Node) { *into = int(r.whole(v, "process", 0, mostProcesses-1)) }
}

func (r *reader) device(into *int) func(ast.Node) {
	return func(v ast.Node) { *into = int(r.whole(v, "device", 0, mostDevices-1)) }
}

// streams reads streams' options, by name. A stream without a number gets one that no step can use.
func (r *reader) streams(w *Workload, n ast.Node) {
	if r.isNothing(n) {
		return
	}
	pairs, _ := r.pairs(n, "streams")
	for _, pair := range pairs {
		s := StreamOptions{Name: r.key(pair), Number: maxStream + 1 + len(w.Streams)}
		for _, other := range w.Streams {
			if other.Name == s.Name {
				r.fail(position(pair), "there are two streams %q", s.Name)
			}
		}
		if !r.isNothing(pair.Value) {
			r.mapping(pair.Value, "a stream", fields{
				"number":       func(v ast.Node) { s.Number = int(r.whole(v, "number", 1, maxStream)) },
				"priority":     func(v ast.Node) { s.Priority = int(r.whole(v, "priority", -8, 8)) },
				"non_blocking": func(v ast.Node) { s.NonBlocking = r.boolean(v, "non_blocking") },
			})
		}
		w.Streams = append(w.Streams, s)
	}
	r.named = w.Streams
}

func (r *reader) memset(w *Workload, n ast.Node) *Memset {
	m := &Memset{}
	seen := r.mapping(n, "memset", fields{
		"buffer":  func(v ast.Node) { m.Buffer = r.bufferName(w, v, "buffer") },
		"value":   func(v ast.Node) { m.Value = byte(r.whole(v, "value", 0, 255)) },
		"offset":  func(v ast.Node) { m.Offset = r.whole(v, "offset", 0, MaxBufferBytes) },
		"bytes":   func(v ast.Node) { m.Bytes = r.whole(v, "bytes", 0, MaxBufferBytes) },
		"stream":  func(v ast.Node) { m.Stream = r.stream(v) },
		"process": r.process(&m.Process),
	})
	b, ok := w.Buffer(m.Buffer)
	if !seen["buffer"] || !ok {
		r.fail(position(n), "a memset needs a buffer, as in {buffer: x, value: 0}")
		return m
	}
	if !seen["bytes"] {
		m.Bytes = max(0, b.Bytes()-m.Offset)
	}
	if m.Offset+m.Bytes > b.Bytes() {
		r.fail(position(n), "a memset reaches byte %d of buffer %s, which has %d", m.Offset+m.Bytes, b.Name, b.Bytes())
	}
	return m
}

func (r *reader) callback(n ast.Node) *Callback {
	c := &Callback{Name: "callback"}
	r.mapping(n, "callback", fields{
		"name":    func(v ast.Node) { c.Name, _ = r.text(v, "name", true) },
		"us":      func(v ast.Node) { c.Microseconds = float64(r.whole(v, "us", 0, 1_000_000)) },
		"stream":  func(v ast.Node) { c.Stream = r.stream(v) },
		"device":  r.device(&c.Device),
		"process": r.process(&c.Process),
	})
	return c
}

// perThreadName is the per-thread default stream's name in steps. "legacy" is stream 0, whatever default_stream says.
const perThreadName = "per-thread"

// legacyStream marks "legacy" until defaultStream runs.
const legacyStream = -2

// defaultStream replaces stream 0 by the stream that default_stream chooses.
func (r *reader) defaultStream(s *Step) {
	var stream *int
	switch {
	case s.Launch != nil:
		stream = &s.Launch.Stream
	case s.Copy != nil:
		stream = &s.Copy.Stream
	case s.Event != nil:
		stream = &s.Event.Stream
	case s.Wait != nil:
		stream = &s.Wait.Stream
	case s.Sync != nil && !s.Sync.All && s.Sync.Event == "":
		stream = &s.Sync.Stream
	case s.Memset != nil:
		stream = &s.Memset.Stream
	case s.Callback != nil:
		stream = &s.Callback.Stream
	default:
		return
	}
	switch {
	case *stream == legacyStream:
		*stream = 0
	case *stream == 0 && r.perThread:
		*stream = PerThreadStream
	}
}

func (r *reader) allocate(n ast.Node) *Allocate {
	a := &Allocate{}
	seen := r.mapping(n, "allocate", fields{
		"name":    func(v ast.Node) { a.Name, _ = r.text(v, "name", true) },
		"bytes":   func(v ast.Node) { a.Bytes = r.whole(v, "bytes", 1, MaxBufferBytes) },
		"pinned":  func(v ast.Node) { a.Pinned = r.boolean(v, "pinned") },
		"device":  r.device(&a.Device),
		"process": r.process(&a.Process),
	})
	if !seen["name"] || !seen["bytes"] {
		r.fail(position(n), "an allocation needs a name and its size, as in {name: scratch, bytes: 1048576}")
	}
	if r.allocated == nil {
		r.allocated = map[string]bool{}
	}
	r.allocated[a.Name] = true
	return a
}

func (r *reader) free(n ast.Node) *Free {
	f := &Free{}
	r.mapping(n, "free", fields{
		"name":    func(v ast.Node) { f.Name, _ = r.text(v, "name", true) },
		"device":  r.device(&f.Device),
		"process": r.process(&f.Process),
	})
	if !r.allocated[f.Name] {
		r.fail(position(n), "free of %q, which no earlier step allocates", f.Name)
	}
	return f
}
