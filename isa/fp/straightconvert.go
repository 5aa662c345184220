package fp

import "math"

func s32ToF32Lanes(d, a *Lanes32, _ uint32) {
	for i, x := range a {
		d[i] = math.Float32bits(float32(int32(x)))
	}
}

func u32ToF32Lanes(d, a *Lanes32, _ uint32) {
	for i, x := range a {
		d[i] = math.Float32bits(float32(x))
	}
}

func s32ToF64Lanes(d *Lanes64, a *Lanes32, _ uint32) {
	for i, x := range a {
		d[i] = math.Float64bits(float64(int32(x)))
	}
}

func u32ToF64Lanes(d *Lanes64, a *Lanes32, _ uint32) {
	for i, x := range a {
		d[i] = math.Float64bits(float64(x))
	}
}

func f32ToF64Lanes(d *Lanes64, a *Lanes32, _ uint32) {
	for i, x := range a {
		if isNaN32(x) {
			d[i] = convertedNaN(kinds["f64"], kinds["f32"], uint64(x))
			continue
		}
		d[i] = math.Float64bits(float64(f32(x)))
	}
}

func f64ToF32Lanes(d *Lanes32, a *Lanes64, _ uint32) {
	for i, x := range a {
		if isNaN64(x) {
			d[i] = uint32(convertedNaN(kinds["f32"], kinds["f64"], x))
			continue
		}
		d[i] = math.Float32bits(float32(f64(x)))
	}
}

func f32ToS32Lanes(d, a *Lanes32, _ uint32) {
	for i, x := range a {
		switch v := f32(x); {
		case v > -1<<31 && v < 1<<31:
			d[i] = uint32(int32(v))
		case v >= 1<<31:
			d[i] = math.MaxInt32
		case v <= -1<<31:
			d[i] = 1 << 31
		default: // NaN
			d[i] = 0
		}
	}
}

func f32ToU32Lanes(d, a *Lanes32, _ uint32) {
	for i, x := range a {
		switch v := f32(x); {
		case v >= 1<<32:
			d[i] = math.MaxUint32
		case v > 0:
			d[i] = uint32(int64(v))
		default: // negative or NaN
			d[i] = 0
		}
	}
}

func u32ToU64Lanes(d *Lanes64, a *Lanes32, _ uint32) {
	for i, x := range a {
		d[i] = uint64(x)
	}
}

func s32ToS64Lanes(d *Lanes64, a *Lanes32, _ uint32) {
	for i, x := range a {
		d[i] = uint64(int32(x))
	}
}

func lowLanes(d *Lanes32, a *Lanes64, _ uint32) {
	for i, x := range a {
		d[i] = uint32(x)
	}
}
