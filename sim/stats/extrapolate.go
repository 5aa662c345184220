package stats

import (
	"math"
	"reflect"
)

// Scale multiplies every number in a struct of counters, given as a pointer, including those in its arrays and structs, but not behind
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

// Estimate says that a launch's cycles are an estimate, from a part of it that ran in detail or from similar launches. Results and counts
// of executed instructions cover all blocks, unless the estimate is partial. Counters of time and of memory are extrapolated.
type Estimate struct {
	Windows    int     // measured windows; 0: the estimate is from earlier launches, or all was timed
	Detailed   float64 // fraction of the warp instructions that ran with timing
	Launches   int     // earlier launches that it comes from; 0 if all of it was timed, after others that were not
	OtherGrids bool    // the earlier launches have other grids
	Half       float64 // half the width of the confidence interval of the cycles
	Confidence float64 // of the interval: how often such intervals contain the true value
	Partial    bool    // some blocks have not run: results are incomplete
}
