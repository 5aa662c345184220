package stats

import (
	"math"
	"reflect"
)

// Scale multiplies every number in a struct of counters, given as a pointer: those in its arrays and structs, too, and not what lies behind
// pointers, slices and maps.
func Scale(counters any, factor float64) {
	if factor != 1 {
		scale(reflect.ValueOf(counters).Elem(), factor)
	}
}

func scale(v reflect.Value, factor float64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				scale(v.Field(i), factor)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			scale(v.Index(i), factor)
		}
	case reflect.Uint64:
		v.SetUint(uint64(math.Round(float64(v.Uint()) * factor)))
	case reflect.Float64:
		v.SetFloat(v.Float() * factor)
	}
}

// Estimate says that a launch's cycles are an estimate from a part of it that ran in detail, or from launches like it. Its results are
// those of all its blocks, and so are its counts of executed instructions, unless it is partial; counters of time and of memory are
// extrapolated.
type Estimate struct {
	Windows    int     // of time that were measured; 0: the estimate is from earlier launches, or all of it was timed
	Detailed   float64 // part of the warp instructions that ran with timing, from 0 to 1
	Launches   int     // earlier launches that it is from; 0 with all of it timed, behind others that were not
	OtherGrids bool    // these have other grids
	Half       float64 // half the width of the interval around the cycles
	Confidence float64 // of the interval: how often such intervals have the true value
	Partial    bool    // blocks have not run at all: results are incomplete
}
