package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/workload"
)

// seed is the start of the random contents behind an unknown pointer. Each buffer has its own, the same in every run.
func (u *unknown) seed() uint64 { return uint64(1 + u.parameter + 16*(u.member+1)) }

// contents returns the contents of buffers in the first trials: random numbers from 0 to 1 if the kernel reads floats, else zeros, which
// are safe as indices.
func (d *dryRun) contents() []workload.Init {
	all := make([]workload.Init, len(d.unknowns))
	for n := range d.unknowns {
		if u := &d.unknowns[n]; u.info.IsPointer && u.element.IsFloat() {
			all[n] = workload.Init{Kind: workload.InitRandom, Seed: u.seed()}
		}
	}
	return all
}

// ranges are the largest random integers to try, in descending order. Integers may be indices.
var ranges = []uint64{255, 15, 1}

// fill chooses suitable contents. Integers that are only read become random if the kernel still runs well; targets of atomics start at
// zero. If all integers that are read are also written, these are the input and become random too.
func (d *dryRun) fill(ctx context.Context, best *outcome) *outcome {
	contents := slices.Clone(best.filled)
	inputs := func(written bool) (list []int) {
		for n := range d.unknowns {
			u, e := &d.unknowns[n], &best.extents[n]
			known := u.element != "" && !u.element.IsFloat() && u.element[0] != 'b'
			if u.info.IsPointer && known && e.read && !e.atomic && e.written == written {
				list = append(list, n)
			}
		}
		return list
	}
	cleared := false
	for n := range d.unknowns {
		if best.extents[n].atomic && contents[n].Kind != "" {
			contents[n], cleared = workload.Init{}, true
		}
	}
	if cleared {
		if o := d.try(ctx, best.shape, best.values, contents, trialBudget); o.asGoodAs(best) {
			best = o
		}
	}
	for range d.unknowns { // some reads appear only once earlier reads give random values
		random := inputs(false)
		if !slices.ContainsFunc(best.extents, func(e extent) bool { return e.read && !e.written }) {
			random = inputs(true)
		}
		random = slices.DeleteFunc(random, func(n int) bool { return best.filled[n].Kind != "" })
		o := d.random(ctx, best, random)
		if o == nil {
			break
		}
		best = o
	}
	return best
}

// random tries random integers behind some pointers. It returns nil if none suit.
func (d *dryRun) random(ctx context.Context, best *outcome, pointers []int) *outcome {
	if len(pointers) == 0 {
		return nil
	}
	for _, most := range ranges {
		contents := slices.Clone(best.filled)
		for _, n := range pointers {
			low, high := workload.Number{}, workload.Number{Magnitude: min(most, d.unknowns[n].element.Greatest())}
			contents[n] = workload.Init{Kind: workload.InitRandom, Seed: d.unknowns[n].seed(), Min: &low, Max: &high}
		}
		if o := d.try(ctx, best.shape, best.values, contents, 2*trialBudget); o.asGoodAs(best) {
			return o
		}
	}
	return nil
}

// asGoodAs tells whether an outcome with other contents is as good as before.
func (o *outcome) asGoodAs(before *outcome) bool {
	return o.err == nil && o.unset == before.unset && 10*o.threads >= 9*before.threads
}

// found returns the arguments for parameters with unknowns. pointer returns the argument and its note for a pointer to a buffer of a given
// name.
func (d *dryRun) found(o *outcome, pointer func(n int, name string) (workload.ArgText, string)) map[int]workload.Found {
	all := map[int]workload.Found{}
	sizes := d.sizes(o.shape)
	value := func(n int, name string) workload.Found {
		var f workload.Found
		if d.unknowns[n].info.IsPointer {
			f.Value, f.Note = pointer(n, name)
		} else {
			f.Value, f.Note = d.unknowns[n].number(o.values[n], sizes)
		}
		return f
	}
	for n := 0; n < len(d.unknowns); {
		u := &d.unknowns[n]
		if u.member < 0 {
			all[u.parameter] = value(n, fmt.Sprintf("arg%d", u.parameter))
			n++
			continue
		}
		end := n
		for end < len(d.unknowns) && d.unknowns[end].parameter == u.parameter {
			end++
		}
		all[u.parameter] = d.structOf(n, end, value)
		n = end
	}
	return all
}

// number returns the argument for an unknown number, and its note.
func (u *unknown) number(value int64, sizes []size) (workload.ArgText, string) {
	t := workload.Type(u.info.Type)
	if t.IsFloat() {
		return workload.ArgText{Argument: &workload.Argument{Type: t, Value: workload.Number{Magnitude: 1}}}, "1"
	}
	note := fmt.Sprint(value)
	if at := slices.IndexFunc(sizes, func(s size) bool { return s.value == value }); at >= 0 {
		note += ", " + sizes[at].means
	}
	return workload.ArgText{Argument: &workload.Argument{Type: t, Value: workload.Number{Magnitude: uint64(value)}}}, note
}

// structOf makes a struct from the unknowns begin to end. Members that the kernel does not read are zero bytes, except C's own padding.
func (d *dryRun) structOf(begin, end int, value func(n int, name string) workload.Found) workload.Found {
	index := d.unknowns[begin].parameter
	p := &d.kernel.Parameters[index]
	found := workload.Found{Value: workload.ArgText{Index: -1, Members: []workload.ArgText{}}}
	at, alignment := 0, 1
	zeros := func(count int) {
		if count > 0 {
			found.Value.Members = append(found.Value.Members, workload.ArgText{Argument: &workload.Argument{Bytes: make([]byte, count)}})
		}
	}
	up := func(n, to int) int { return (n + to - 1) / to * to }
	for n := begin; n < end; n++ {
		m := &p.Members[d.unknowns[n].member]
		size := m.Type.Bytes()
		if up(at, size) != m.Offset {
			zeros(m.Offset - at)
		}
		f := value(n, fmt.Sprintf("arg%d_%d", index, len(found.Value.Members)))
		found.Value.Members = append(found.Value.Members, f.Value)
		if found.Note == "" {
			found.Note = "a struct: "
		} else {
			found.Note += "; "
		}
		found.Note += fmt.Sprintf("at byte %d %s", m.Offset, f.Note)
		at, alignment = m.Offset+size, max(alignment, size)
	}
	if up(up(at, alignment), max(p.Align, 1)) != p.Bytes {
		zeros(p.Bytes - at)
	}
	return found
}

// buffer returns the argument and note for a pointer in the found launch. The buffer ends where the kernel's accesses end.
func (d *dryRun) buffer(o *outcome, n int, name string) (workload.ArgText, string) {
	u, e := &d.unknowns[n], &o.extents[n]
	size := int64(u.element.Size())
	count := (max(e.high, 0) + size - 1) / size
	if threads := int64(o.shape.threads()); e.high == e.low || count < threads && 10*count > 9*threads {
		count = threads // no access, or all except a border
	}
	init := o.filled[n]
	contents := "zeros"
	switch {
	case init.Kind == "":
	case u.element.IsFloat():
		contents = "random numbers from 0 to 1"
	default:
		contents = fmt.Sprintf("random numbers from %v to %v", init.Min, init.Max)
	}
	note := fmt.Sprintf("buffer %s, %s[%d], %s", name, u.element, count, contents)
	if e.low < 0 {
		note += fmt.Sprintf("; the kernel reaches %d bytes before its beginning, which will fail", -e.low)
	}
	b := &workload.Buffer{Type: u.element, Count: count, Init: init}
	return workload.ArgText{Index: -1, Buffer: b}, note
}
