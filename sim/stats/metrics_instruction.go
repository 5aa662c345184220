package stats

import "github.com/keplersim/keplersim/isa"

// classes defines the number of warp instructions of some classes.
func classes(name, meaning string, list ...isa.Class) Definition {
	return counter(name, Metric, meaning, func(s *SMX) uint64 {
		sum := uint64(0)
		for _, c := range list {
			sum += s.ByClass[c]
		}
		return sum
	})
}

// The lane operations of a precision, each instruction counted once.
func floatingLanes32(s *SMX) uint64 { return s.FlopAdd32 + s.FlopMul32 + s.FlopFMA32 }
func floatingLanes64(s *SMX) uint64 { return s.FlopAdd64 + s.FlopMul64 + s.FlopFMA64 }

func instructionMetrics() []Definition {
	executed := []isa.Class{isa.ClassGlobal, isa.ClassLocal, isa.ClassShared, isa.ClassConstant, isa.ClassAtomic, isa.ClassSharedAtomic,
		isa.ClassReadOnly, isa.ClassSurface}
	return []Definition{
		counter(
			"inst_fp_32", Metric, "Single-precision instructions executed by predicated-on threads: add, multiply, multiply-add.",
			floatingLanes32,
		),
		counter(
			"inst_fp_64", Metric, "Double-precision instructions executed by predicated-on threads: add, multiply, multiply-add.",
			floatingLanes64,
		),
		counter("inst_integer", Metric, "Integer instructions executed by predicated-on threads.", func(s *SMX) uint64 {
			return s.IntegerLanes
		}),
		counter("inst_bit_convert", Metric, "Type conversions executed by predicated-on threads.", func(s *SMX) uint64 {
			return s.ConvertLanes
		}),
		counter("inst_bit", Own, "Bit-field and bit-counting instructions executed by predicated-on threads.", func(s *SMX) uint64 {
			return s.BitLanes
		}),
		counter("inst_control", Metric, "Control-flow instructions executed by predicated-on threads: branches, barriers and others.",
			func(s *SMX) uint64 {
				return s.ControlLanes
			}),
		counter("inst_compute_ld_st", Metric, "Load, store and atomic instructions executed by predicated-on threads.",
			func(s *SMX) uint64 {
				return s.MemoryLanes
			}),
		counter("inst_inter_thread_communication", Metric, "Shuffles and votes executed by predicated-on threads.",
			func(s *SMX) uint64 {
				return s.ExchangeLanes
			}),
		counter("inst_misc", Metric, "All other instructions executed by predicated-on threads.", func(s *SMX) uint64 {
			return s.MiscLanes
		}),
		classes("cf_executed", "Control-flow instructions executed by warps.", isa.ClassBranch),
		timed(classes("cf_issued", "Control-flow instructions issued by warps.", isa.ClassBranch))[0],
		classes("ldst_executed", "Load, store and atomic instructions executed by warps.", executed...),
		timed(counter("ldst_issued", Metric, "Load, store and atomic instructions issued by warps, with replays.", func(s *SMX) uint64 {
			sum := s.GlobalReplays + s.SharedReplays + s.LocalReplays + s.AtomicReplays
			for _, c := range executed {
				sum += s.ByClass[c]
			}
			return sum
		}))[0],
	}
}

func flopMetrics() []Definition {
	sp := func(l *Launch) float64 { return float64(floatingLanes32(&l.Total) + l.Total.FlopFMA32) }
	dp := func(l *Launch) float64 { return float64(floatingLanes64(&l.Total) + l.Total.FlopFMA64) }
	// A multiply-add in every lane in every elapsed cycle of every SMX.
	peak := func(lanes func(*Chip) int) func(*Launch) float64 {
		return func(l *Launch) float64 { return 2 * float64(lanes(&l.Chip)) * float64(l.Cycles) * float64(l.Chip.SMXs) }
	}
	all := []Definition{
		{Name: "flop_count_sp", Kind: Metric, Unit: Count, Meaning: "Single-precision operations of predicated-on threads; a " +
			"multiply-add counts twice, special functions do not count.", Value: sp},
		counter("flop_count_sp_add", Metric, "Single-precision additions of predicated-on threads.", func(s *SMX) uint64 {
			return s.FlopAdd32
		}),
		counter("flop_count_sp_mul", Metric, "Single-precision multiplications of predicated-on threads.", func(s *SMX) uint64 {
			return s.FlopMul32
		}),
		counter("flop_count_sp_fma", Metric, "Single-precision multiply-adds of predicated-on threads, each counted once.",
			func(s *SMX) uint64 {
				return s.FlopFMA32
			}),
		counter("flop_count_sp_special", Metric, "Single-precision special functions of predicated-on threads: reciprocal, "+
			"root, sine, exponential.",
			func(s *SMX) uint64 { return s.FlopSpecial32 }),
		{Name: "flop_count_dp", Kind: Metric, Unit: Count, Meaning: "Double-precision operations of predicated-on threads; a " +
			"multiply-add counts twice.", Value: dp},
		counter("flop_count_dp_add", Metric, "Double-precision additions of predicated-on threads.", func(s *SMX) uint64 {
			return s.FlopAdd64
		}),
		counter("flop_count_dp_mul", Metric, "Double-precision multiplications of predicated-on threads.", func(s *SMX) uint64 {
			return s.FlopMul64
		}),
		counter("flop_count_dp_fma", Metric, "Double-precision multiply-adds of predicated-on threads, each counted once.",
			func(s *SMX) uint64 {
				return s.FlopFMA64
			}),
	}
	return append(all, timed(
		share("flop_sp_efficiency", Metric, Percent, "Single-precision operations over the lanes' peak in the launch's cycles.", sp,
			peak(func(c *Chip) int { return c.LanesFP32 })),
		share("flop_dp_efficiency", Metric, Percent, "Double-precision operations over the lanes' peak in the launch's cycles.", dp,
			peak(func(c *Chip) int { return c.LanesFP64 })),
	)...)
}
