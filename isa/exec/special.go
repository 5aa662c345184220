package exec

import "github.com/keplersim/keplersim/isa"

// readSpecial puts a special register's value into the scratch: low and high words of every lane.
func (w *Warp) readSpecial(s isa.SpecialRegister) {
	low, high := &w.Scratch.special[0], &w.Scratch.special[1]
	if s >= isa.TidX && s <= isa.TidZ {
		*low, *high = w.Tid[s-isa.TidX], isa.Lanes32{}
		return
	}
	if read := laneSpecials[s]; read != nil {
		for i := range low {
			low[i] = read(uint32(i))
		}
		*high = isa.Lanes32{}
		return
	}
	var v uint64
	if read := uniformSpecials[s]; read != nil {
		v = read(w)
	}
	for i := range low {
		low[i], high[i] = uint32(v), uint32(v>>32)
	}
}

// specialCount is the last special register's number plus one.
const specialCount = int(isa.FrameAddress) + 1

// laneSpecials depend only on the lane.
var laneSpecials = [specialCount]func(lane uint32) uint32{
	isa.LaneID:     func(lane uint32) uint32 { return lane },
	isa.LanemaskEQ: func(lane uint32) uint32 { return 1 << lane },
	isa.LanemaskLT: func(lane uint32) uint32 { return 1<<lane - 1 },
	isa.LanemaskLE: func(lane uint32) uint32 { return 2<<lane - 1 },
	isa.LanemaskGE: func(lane uint32) uint32 { return ^(1<<lane - 1) },
	isa.LanemaskGT: func(lane uint32) uint32 { return ^(2<<lane - 1) },
}

// uniformSpecials have one value for all lanes of a warp. Missing ones (performance counters, environment registers) read as zero.
var uniformSpecials = [specialCount]func(w *Warp) uint64{
	isa.FrameAddress:        func(w *Warp) uint64 { return uint64(w.Frame) },
	isa.NtidX:               func(w *Warp) uint64 { return uint64(w.Block.Ntid[0]) },
	isa.NtidY:               func(w *Warp) uint64 { return uint64(w.Block.Ntid[1]) },
	isa.NtidZ:               func(w *Warp) uint64 { return uint64(w.Block.Ntid[2]) },
	isa.CtaidX:              func(w *Warp) uint64 { return uint64(w.Block.Ctaid[0]) },
	isa.CtaidY:              func(w *Warp) uint64 { return uint64(w.Block.Ctaid[1]) },
	isa.CtaidZ:              func(w *Warp) uint64 { return uint64(w.Block.Ctaid[2]) },
	isa.NctaidX:             func(w *Warp) uint64 { return uint64(w.Block.Nctaid[0]) },
	isa.NctaidY:             func(w *Warp) uint64 { return uint64(w.Block.Nctaid[1]) },
	isa.NctaidZ:             func(w *Warp) uint64 { return uint64(w.Block.Nctaid[2]) },
	isa.GridID:              func(w *Warp) uint64 { return w.Block.GridID },
	isa.WarpID:              func(w *Warp) uint64 { return uint64(w.WarpID) },
	isa.NwarpID:             func(w *Warp) uint64 { return uint64(w.NumWarps) },
	isa.SMID:                func(w *Warp) uint64 { return uint64(w.SMID) },
	isa.NSMID:               func(w *Warp) uint64 { return uint64(w.NumSMX) },
	isa.Clock:               func(w *Warp) uint64 { return w.Clock & 0xffffffff },
	isa.ClockHi:             func(w *Warp) uint64 { return w.Clock >> 32 },
	isa.Clock64:             func(w *Warp) uint64 { return w.Clock },
	isa.GlobalTimer:         func(w *Warp) uint64 { return w.Nanoseconds },
	isa.GlobalTimerLo:       func(w *Warp) uint64 { return w.Nanoseconds & 0xffffffff },
	isa.GlobalTimerHi:       func(w *Warp) uint64 { return w.Nanoseconds >> 32 },
	isa.TotalSharedSize:     func(w *Warp) uint64 { return uint64(len(w.Block.Shared)) },
	isa.DynamicSharedSize:   func(w *Warp) uint64 { return uint64(w.Block.DynamicShared) },
	isa.AggregateSharedSize: func(w *Warp) uint64 { return uint64(len(w.Block.Shared)) },
}
