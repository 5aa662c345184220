package workload

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/keplersim/keplersim/sim/memorymode"
)

// The most that any configuration can allow for a launch (smx.max_grid_dim, smx.max_block_dim, smx.threads_per_block,
// shared_memory.per_block). Its own configuration may allow less.
const (
	maxGrid          = 1<<31 - 1 // along each axis
	MostBlockThreads = 1024      // along each axis, and in all
	maxShared        = 256 << 10 // bytes a block
	maxStream        = 1 << 16
)

func (r *reader) steps(w *Workload, n ast.Node) {
	if !r.isNothing(n) {
		w.Steps = r.stepList(w, n, map[string]bool{})
	}
}

// stepList reads steps. events are those recorded by earlier steps; it adds those of these steps.
func (r *reader) stepList(w *Workload, n ast.Node, events map[string]bool) (steps []Step) {
	r.list(n, "steps", func(_ int, entry ast.Node) {
		if r.stepCount++; r.stepCount > mostSteps {
			if r.stepCount == mostSteps+1 {
				r.fail(position(entry), "a workload has %d steps at most", mostSteps)
			}
			return
		}
		step := Step{Position: position(entry)}
		seen := r.mapping(entry, "a step", fields{
			"launch":   func(v ast.Node) { step.Launch = r.launch(w, v) },
			"copy":     func(v ast.Node) { step.Copy = r.copyStep(w, v) },
			"event":    func(v ast.Node) { step.Event = r.event(v, events) },
			"wait":     func(v ast.Node) { step.Wait = r.wait(v, events) },
			"sync":     func(v ast.Node) { step.Sync = r.sync(v, events) },
			"memset":   func(v ast.Node) { step.Memset = r.memset(w, v) },
			"callback": func(v ast.Node) { step.Callback = r.callback(v) },
			"allocate": func(v ast.Node) { step.Allocate = r.allocate(v) },
			"free":     func(v ast.Node) { step.Free = r.free(v) },
			"repeat":   func(v ast.Node) { step.Repeat = r.repeat(w, v, events) },
		})
		if len(seen) > 1 {
			r.fail(step.Position, "one step does one thing; begin each with its own \"-\"")
		}
		r.defaultStream(&step)
		steps = append(steps, step)
	})
	return steps
}

func (r *reader) launch(w *Workload, n ast.Node) *Launch {
	l := &Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Repeat: 1, CacheConfig: PreferNone}
	seen := r.mapping(n, "launch", fields{
		"kernel":  func(v ast.Node) { l.Kernel, _ = r.text(v, "kernel", false) },
		"grid":    func(v ast.Node) { l.Grid = r.extent(v, "grid", maxGrid) },
		"block":   func(v ast.Node) { l.Block = r.extent(v, "block", MostBlockThreads) },
		"shared":  func(v ast.Node) { l.Shared = int(r.whole(v, "shared", 0, maxShared)) },
		"stream":  func(v ast.Node) { l.Stream = r.stream(v) },
		"process": r.process(&l.Process),
		"device":  r.device(&l.Device),
		"repeat":  func(v ast.Node) { l.Repeat = int(r.whole(v, "repeat", 1, mostRounds)) },
		"until":   func(v ast.Node) { l.Until = r.until(w, v) },
		"module":  func(v ast.Node) { l.Module, _ = r.text(v, "module", false) },
		"cache_config": func(v ast.Node) {
			l.CacheConfig = CacheConfig(
				r.word(v, "cache_config", []string{string(PreferNone), string(PreferShared), string(PreferL1), string(PreferEqual), "16K",
					"32K", "48K", "80K", "96K", "112K"}),
			)
		},
		"bank_mode": func(v ast.Node) {
			mode, err := memorymode.ParseBankMode(int(r.whole(v, "bank_mode", 4, 8)))
			if l.BankMode = mode; err != nil {
				r.fail(position(v), "bank_mode: %v", err)
			}
		},
		"dlcm": func(v ast.Node) {
			if name := r.word(v, "dlcm", memorymode.LoadNames()); name != "" {
				l.GlobalLoads, _ = memorymode.ParseGlobalLoads(name) // it is one of the names
			}
		},
		"args": func(v ast.Node) {
			if !r.isNothing(v) {
				r.list(v, "args", func(_ int, a ast.Node) { l.Args = append(l.Args, r.argument(w, a)) })
			}
		},
	})
	for _, key := range []string{"kernel", "grid", "block"} {
		if !seen[key] {
			r.fail(position(n), "a launch needs %q, as in {kernel: NAME, grid: [16], block: [256], args: [x]}", key)
		}
	}
	if l.Until != nil && !seen["repeat"] {
		r.fail(l.Until.Position, "until needs repeat, the most times to launch")
	}
	if threads := l.Block[0] * l.Block[1] * l.Block[2]; threads > MostBlockThreads {
		r.fail(position(n), "a block of %d x %d x %d is %d threads; no configuration allows more than %d", l.Block[0], l.Block[1],
			l.Block[2], threads, MostBlockThreads)
	}
	return l
}

// extent reads one to three numbers; missing ones are 1. A single number needs no brackets.
func (r *reader) extent(n ast.Node, what string, greatest int64) [3]int {
	e := [3]int{1, 1, 1}
	if _, single := r.resolve(n).(*ast.IntegerNode); single {
		e[0] = int(r.whole(n, what, 1, greatest))
		return e
	}
	count := 0
	r.list(n, what, func(i int, v ast.Node) {
		count++
		if i < len(e) {
			e[i] = int(r.whole(v, what+"."+"xyz"[i:i+1], 1, greatest))
		}
	})
	if _, isList := r.resolve(n).(*ast.SequenceNode); isList && (count < 1 || count > len(e)) {
		r.fail(position(n), "%s needs 1 to 3 numbers, but has %d", what, count)
	}
	return e
}

// stream reads a stream's number or name.
func (r *reader) stream(n ast.Node) int {
	if s, ok := r.resolve(n).(*ast.StringNode); ok {
		switch s.Value {
		case perThreadName:
			return PerThreadStream
		case "legacy":
			return legacyStream
		}
		names := []string{perThreadName, "legacy"}
		for _, o := range r.named {
			if o.Name == s.Value {
				return o.Number
			}
			names = append(names, o.Name)
		}
		r.fail(position(n), "there is no stream %q in streams%s", s.Value, suggest(s.Value, names))
		return 0
	}
	return int(r.whole(n, "stream", 0, maxStream))
}

// mostMembers bounds the members of a struct: more than a kernel's parameter bytes. It stops an alias within its own anchor.
const mostMembers = 4352

// argument reads a buffer's name or a mapping of one entry.
func (r *reader) argument(w *Workload, n ast.Node) Argument {
	a := Argument{Position: position(n)}
	if s, ok := r.resolve(n).(*ast.StringNode); ok {
		a.Buffer = s.Value
		r.needBuffer(w, a.Buffer, n, "an argument")
		return a
	}
	switch v := r.resolve(n).(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		text := v.GetToken().Value
		r.fail(a.Position, "an argument that is a number says its type, as in {u32: %s} or {f32: %s}", text, text)
		return a
	}
	pairs, ok := r.pairs(n, "an argument that is no buffer's name")
	if !ok {
		return a
	}
	forms := append([]string{"ptr", "bytes", "struct", "texture", "surface", "sampler", "rotate", "count", "element"}, typeNames...)
	if len(pairs) != 1 {
		r.fail(a.Position, "an argument has one entry, as in {u32: 7}, not %d", len(pairs))
		return a
	}
	form, value := r.key(pairs[0]), pairs[0].Value
	switch {
	case form == "ptr":
		r.pointer(w, value, &a)
	case form == "bytes":
		text, _ := r.text(value, "bytes", true)
		raw, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil || len(raw) == 0 {
			r.fail(position(value), "bytes must be pairs of hexadecimal digits, as in {bytes: \"0000803f 07000000\"}")
		}
		a.Bytes = append([]byte{}, raw...)
	case form == "struct":
		a.Members = []Argument{}
		if r.depth++; r.depth == 1 {
			r.members = 0
		}
		r.list(value, "struct", func(_ int, member ast.Node) {
			if r.members++; r.members == mostMembers+1 {
				r.fail(a.Position, "a struct has more than %d members, with those of the structs in it", mostMembers)
			}
			if r.members <= mostMembers {
				a.Members = append(a.Members, r.argument(w, member))
			}
		})
		r.depth--
		if len(a.Members) == 0 && r.members <= mostMembers {
			r.fail(position(value), "a struct has members, as in {struct: [x, {s32: 256}]}")
		}
	case form == "rotate":
		a.Rotate = r.rotation(w, value)
	case form == "count":
		a.Count = r.count(value)
	case form == "element":
		e := r.element(w, value, "element")
		a.Element = &e
	case slices.Contains(objectKinds, ObjectKind(form)):
		a.Kind = ObjectKind(form)
		a.Object, _ = r.text(value, form, true)
		section, names := "textures", []string{}
		for _, t := range w.Textures {
			names = append(names, t.Name)
		}
		if a.Kind == ObjectSampler {
			section, names = "samplers", nil
			for _, s := range w.Samplers {
				names = append(names, s.Name)
			}
		}
		if !slices.Contains(names, a.Object) {
			r.fail(position(value), "an argument: %s has no %q%s", section, a.Object, suggest(a.Object, names))
		}
	case slices.Contains(typeNames, form):
		a.Type = Type(form)
		if v, ok := r.number(value, form); ok {
			a.Value = v
			if _, err := v.bits(a.Type); err != nil {
				r.fail(position(value), "an argument: %v", err)
			}
		}
	default:
		r.fail(a.Position, "unknown form of argument %q%s", form, suggest(form, forms))
	}
	return a
}

// pointer reads [buffer, byte offset], or just the buffer's name.
func (r *reader) pointer(w *Workload, n ast.Node, a *Argument) {
	if _, isList := r.resolve(n).(*ast.SequenceNode); !isList {
		a.Buffer = r.bufferName(w, n, "ptr")
		return
	}
	count := 0
	r.list(n, "ptr", func(i int, v ast.Node) {
		count++
		switch i {
		case 0:
			a.Buffer = r.bufferName(w, v, "ptr")
		case 1:
			// A program may make a pointer beyond the buffer; accesses are checked when they happen.
			a.Offset = r.whole(v, "the offset of ptr", -MaxBufferBytes, MaxBufferBytes)
		}
	})
	if count < 1 || count > 2 {
		r.fail(position(n), "ptr needs [buffer, byte offset], not %d entries", count)
	}
}

func (r *reader) copyStep(w *Workload, n ast.Node) *Copy {
	c := &Copy{}
	var offset, pitch int64
	var kind string
	size := func(into *int64, what string) func(ast.Node) {
		return func(v ast.Node) { *into = r.whole(v, what+" of a copy", 0, MaxBufferBytes) }
	}
	end := func(into *string, what string) func(ast.Node) {
		return func(v ast.Node) {
			*into, _ = r.text(v, what+" of a copy", true)
			if *into != Host {
				r.needBuffer(w, *into, v, "copy")
			}
		}
	}
	seen := r.mapping(n, "copy", fields{
		"to": end(&c.To, "to"), "from": end(&c.From, "from"),
		"kind": func(v ast.Node) {
			kind = r.word(v, "kind", []string{string(HostToDevice), string(DeviceToHost), string(DeviceToDevice)})
		},
		"bytes": size(&c.Bytes, "bytes"), "offset": size(&offset, "offset"),
		"to_offset": size(&c.ToOffset, "to_offset"), "from_offset": size(&c.FromOffset, "from_offset"),
		"pitch": size(&pitch, "pitch"), "to_pitch": size(&c.ToPitch, "to_pitch"), "from_pitch": size(&c.FromPitch, "from_pitch"),
		"width": size(&c.Width, "width"), "height": size(&c.Height, "height"),
		"stream":  func(v ast.Node) { c.Stream = r.stream(v) },
		"pinned":  func(v ast.Node) { c.Pinned = r.boolean(v, "pinned") },
		"process": r.process(&c.Process),
	})
	at := position(n)
	c.From, c.To = impliedHost(c.From, c.To, seen, CopyKind(kind))
	switch {
	case c.To == "" || c.From == "":
		r.fail(at, "a copy needs to and from: a buffer's name, or host")
		return c
	case c.To == Host && c.From == Host:
		r.fail(at, "a copy from host to host does not touch the device")
		return c
	case c.From == Host:
		c.Kind = HostToDevice
	case c.To == Host:
		c.Kind = DeviceToHost
	default:
		c.Kind = DeviceToDevice
	}
	if kind != "" && kind != string(c.Kind) {
		r.fail(at, "a copy from %s to %s is %s, not %s", c.From, c.To, c.Kind, kind)
	}
	if seen["offset"] {
		if seen["to_offset"] || seen["from_offset"] {
			r.fail(at, "a copy takes offset for both sides, or to_offset and from_offset")
		}
		c.ToOffset, c.FromOffset = offset, offset
	}
	if seen["pitch"] {
		c.ToPitch, c.FromPitch = pitch, pitch
	}
	r.copyExtent(w, c, seen, at)
	return c
}

// impliedHost fills in the host side if kind implies it and the file names only one buffer.
func impliedHost(from, to string, seen map[string]bool, kind CopyKind) (string, string) {
	if kind == HostToDevice && !seen["from"] {
		from = Host
	}
	if kind == DeviceToHost && !seen["to"] {
		to = Host
	}
	return from, to
}

// copyExtent fills in a copy's size and checks it against the buffers.
func (r *reader) copyExtent(w *Workload, c *Copy, seen map[string]bool, at Position) {
	sides := []struct {
		name          string
		offset, pitch int64
	}{{c.To, c.ToOffset, c.ToPitch}, {c.From, c.FromOffset, c.FromPitch}}
	twoD := seen["width"] || seen["height"]
	if twoD {
		if !seen["width"] || !seen["height"] || seen["bytes"] {
			r.fail(at, "a 2-D copy needs width and height, and no bytes")
			return
		}
		if c.ToPitch == 0 {
			c.ToPitch = c.Width
		}
		if c.FromPitch == 0 {
			c.FromPitch = c.Width
		}
		if c.ToPitch < c.Width || c.FromPitch < c.Width {
			r.fail(at, "a 2-D copy's pitch is below its width of %d bytes", c.Width)
			return
		}
		if c.Width > 0 && c.Height > MaxBufferBytes/c.Width {
			r.fail(at, "a copy of %d rows of %d bytes is larger than any buffer", c.Height, c.Width)
			return
		}
		c.Bytes = c.Width * c.Height
		sides[0].pitch, sides[1].pitch = c.ToPitch, c.FromPitch
	} else if !seen["bytes"] {
		c.Bytes = MaxBufferBytes
		for _, side := range sides {
			if b, ok := w.Buffer(side.name); ok {
				c.Bytes = max(0, min(c.Bytes, b.Bytes()-side.offset))
			}
		}
	}
	for _, side := range sides {
		b, ok := w.Buffer(side.name)
		if !ok {
			continue
		}
		last := float64(side.offset) + float64(c.Bytes)
		if twoD && c.Height > 0 {
			last = float64(side.offset) + float64(c.Height-1)*float64(side.pitch) + float64(c.Width)
		}
		if last > float64(b.Bytes()) {
			r.fail(at, "a copy reaches byte %.0f of buffer %s, which has %d", last, b.Name, b.Bytes())
		}
	}
}

func (r *reader) event(n ast.Node, events map[string]bool) *Event {
	e := &Event{}
	r.mapping(n, "event", fields{
		"record": func(v ast.Node) { e.Record, _ = r.text(v, "record", true) },
		"stream": func(v ast.Node) { e.Stream = r.stream(v) },
		"device": r.device(&e.Device), "process": r.process(&e.Process),
	})
	if e.Record == "" {
		r.fail(position(n), "an event needs a name, as in {record: done, stream: 1}")
	}
	events[e.Record] = true
	return e
}

// eventName reads the name of an event that an earlier step recorded.
func (r *reader) eventName(n ast.Node, events map[string]bool) string {
	name, ok := r.text(n, "event", true)
	if ok && !events[name] {
		r.fail(position(n), "no earlier step records event %q%s", name, suggest(name, sortedKeys(events)))
	}
	return name
}

func (r *reader) wait(n ast.Node, events map[string]bool) *Wait {
	w := &Wait{}
	seen := r.mapping(n, "wait", fields{
		"event":  func(v ast.Node) { w.Event = r.eventName(v, events) },
		"stream": func(v ast.Node) { w.Stream = r.stream(v) },
		"device": r.device(&w.Device), "process": r.process(&w.Process),
	})
	if !seen["event"] {
		r.fail(position(n), "a wait needs an event, as in {event: done, stream: 2}")
	}
	return w
}

// sync reads "all", or a mapping with a stream or an event.
func (r *reader) sync(n ast.Node, events map[string]bool) *Sync {
	if s, ok := r.resolve(n).(*ast.StringNode); ok {
		if s.Value != "all" {
			r.fail(position(n), "sync takes all, {stream: 1} or {event: done}, not %q", s.Value)
		}
		return &Sync{All: true}
	}
	s := &Sync{}
	seen := r.mapping(n, "sync", fields{
		"stream": func(v ast.Node) {
			if word, ok := r.resolve(v).(*ast.StringNode); ok && word.Value == "all" {
				s.All = true
				return
			}
			s.Stream = r.stream(v)
		},
		"event":  func(v ast.Node) { s.Event = r.eventName(v, events) },
		"device": r.device(&s.Device), "process": r.process(&s.Process),
	})
	if !seen["stream"] && !seen["event"] && seen["process"] {
		s.All = true
		return s
	}
	if seen["stream"] == seen["event"] {
		r.fail(position(n), "sync takes all, {stream: 1} or {event: done}")
	}
	return s
}
