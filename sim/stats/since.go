package stats

import "reflect"

// Since is what the counters have gained since an earlier reading of the same memory system. Of the units' Most, which is no sum, it is the
// difference too: exact where one unit was the busiest all along.
func (m Memory) Since(before *Memory) Memory {
	result := m
	subtract(reflect.ValueOf(&result).Elem(), reflect.ValueOf(before).Elem())
	return result
}

// subtract takes from each number of a value the number at its place in another. Histograms stay: they are kept for the run as a whole.
func subtract(v, before reflect.Value) {
	switch v.Kind() {
	case reflect.Uint64:
		v.SetUint(v.Uint() - before.Uint())
	case reflect.Float64:
		v.SetFloat(max(0, v.Float()-before.Float()))
	case reflect.Struct:
		for i := range v.NumField() {
			subtract(v.Field(i), before.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			subtract(v.Index(i), before.Index(i))
		}
	}
}
