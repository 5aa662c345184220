// Package boost models a board's power and its clock's governor: watts from what the device has done ([Model]), the temperature of one
// node for chip and heat sink, and policies that choose the core clock between epochs ([Governor]). A [Meter] follows a run in the
// device's time; [Sustain] follows a kernel that is repeated for seconds, from simulations of it at each clock that the governor visits.
//
// Power is what the board takes at its inputs. The device asks the meter between epochs alone, with counters that it keeps anyway, and
// not at all unless power is asked for. The package knows nothing of SMXs or memory; figures and coefficients are the configuration's.
package boost
