package checkpoint

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"unsafe"
)

// region is memory with adjacent values of one type.
type region struct {
	at    unsafe.Pointer
	t     reflect.Type
	count int
}

func (r *region) size() uintptr { return r.t.Size() * uintptr(r.count) }
func (r *region) end() uintptr  { return uintptr(r.at) + r.size() }

// regions finds regions by address.
type regions struct {
	list   []region
	order  []int // the regions inside no other, by address
	sorted bool
}

func (r *regions) add(g region) {
	r.list = append(r.list, g)
	r.sorted = false
}

func (r *regions) sort() {
	all := make([]int, len(r.list))
	for i := range all {
		all[i] = i
	}
	slices.SortFunc(all, func(a, b int) int {
		x, y := &r.list[a], &r.list[b]
		return cmp.Or(cmp.Compare(uintptr(x.at), uintptr(y.at)), cmp.Compare(y.end(), x.end()), cmp.Compare(a, b))
	})
	r.order = r.order[:0]
	end := uintptr(0)
	for _, i := range all {
		if g := &r.list[i]; g.end() > end {
			r.order = append(r.order, i)
			end = g.end()
		}
	}
	r.sorted = true
}

// find returns the region that contains an address, -1 for none, and the offset in it.
func (r *regions) find(at unsafe.Pointer) (number int, offset uintptr) {
	if !r.sorted {
		r.sort()
	}
	i := sort.Search(len(r.order), func(i int) bool { return uintptr(r.list[r.order[i]].at) > uintptr(at) }) - 1
	if i < 0 {
		return -1, 0
	}
	g := &r.list[r.order[i]]
	if uintptr(at) >= g.end() {
		return -1, 0
	}
	return r.order[i], uintptr(at) - uintptr(g.at)
}

// walker walks a graph and lists what it reaches.
type walker struct {
	*layouts
	outside []*regions // regions that the walk does not enter
	seen    map[region]bool
	found   []region
	queue   []region
	maps    []reflect.Value
	mapped  map[unsafe.Pointer]int
	// strict makes the walk fail at values that cannot be saved. Otherwise it skips them, and walks maps in the order of their keys.
	strict bool
	types  map[reflect.Type]bool // of values in interfaces
	err    error
}

func (l *layouts) walker(outside ...*regions) *walker {
	return &walker{layouts: l, outside: outside, seen: map[region]bool{}, mapped: map[unsafe.Pointer]int{}, types: map[reflect.Type]bool{}}
}

// reach queues the target of a pointer or slice.
func (w *walker) reach(at unsafe.Pointer, t reflect.Type, count int) {
	g := region{at, t, count}
	if at == nil || g.size() == 0 || w.seen[g] {
		return
	}
	for _, o := range w.outside {
		if number, _ := o.find(at); number >= 0 {
			return
		}
	}
	if w.strict && slices.Contains(w.world.Alike, t) {
		w.err = fmt.Errorf("simulator bug: a checkpoint met a %s that is not among what is shared", t)
		return
	}
	w.seen[g] = true
	w.found, w.queue = append(w.found, g), append(w.queue, g)
}

// run walks everything queued.
func (w *walker) run() {
	for len(w.queue) > 0 && w.err == nil {
		list := w.queue
		w.queue = nil
		for i := range list {
			w.values(list[i])
		}
	}
}

// values walks the values of a region.
func (w *walker) values(g region) {
	l := w.of(g.t)
	if l.flat {
		return
	}
	for i := range g.count {
		w.value(unsafe.Add(g.at, uintptr(i)*g.t.Size()), l, g.t.String())
	}
}

// value walks a value; name is its field.
func (w *walker) value(at unsafe.Pointer, l *layout, name string) {
	if l.flat {
		return
	}
	switch l.t.Kind() {
	case reflect.Struct:
		for i := range l.fields {
			f := &l.fields[i]
			if f.refuse && w.strict && !valueAt(unsafe.Add(at, f.offset), f.t).IsZero() {
				w.refuse(f.name, f.what)
				return
			}
			w.value(unsafe.Add(at, f.offset), f.layout, f.name)
		}
	case reflect.Array:
		for i := range l.t.Len() {
			w.value(unsafe.Add(at, uintptr(i)*l.element.t.Size()), l.element, name)
		}
	case reflect.Pointer:
		w.reach(*(*unsafe.Pointer)(at), l.element.t, 1)
	case reflect.Slice:
		s := (*sliceHeader)(at)
		w.reach(s.data, l.element.t, s.len)
	case reflect.Map:
		w.entries(valueAt(at, l.t), name)
	case reflect.Interface:
		v := valueAt(at, l.t).Elem()
		if v.IsValid() {
			w.types[v.Type()] = true
			w.value(copied(v), w.of(v.Type()), name)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if *(*unsafe.Pointer)(at) != nil && w.strict {
			w.refuse(name, "")
		}
	}
}

func (w *walker) refuse(field, what string) {
	if w.err == nil {
		w.err = &Unsupported{field, what}
	}
}

// entries walks the entries of a map. A walk that must be the same in every process needs keys with an order, and skips other maps.
func (w *walker) entries(m reflect.Value, name string) {
	if m.IsNil() {
		return
	}
	if _, seen := w.mapped[m.UnsafePointer()]; seen {
		return
	}
	w.mapped[m.UnsafePointer()] = len(w.maps)
	w.maps = append(w.maps, m)
	key, value := w.of(m.Type().Key()), w.of(m.Type().Elem())
	if key.flat && value.flat {
		return
	}
	keys := m.MapKeys()
	if !w.strict && !sortKeys(keys) {
		return
	}
	for _, k := range keys {
		w.value(copied(k), key, name)
		w.value(copied(m.MapIndex(k)), value, name)
	}
}

// sortKeys sorts the keys of a map, and reports whether they have an order.
func sortKeys(keys []reflect.Value) bool {
	if len(keys) < 2 {
		return true
	}
	switch {
	case keys[0].Kind() == reflect.String:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	case keys[0].CanInt():
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	case keys[0].CanUint():
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) })
	default:
		return false
	}
	return true
}
