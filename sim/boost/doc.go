// Package boost models a board's power and its clock's governor: watts from the device's activity ([Model]), the temperature of one node
// for chip and heat sink, and clock policies ([Governor]). A [Meter] follows a run in the device's time. [Sustain] follows a kernel that is
// repeated for seconds, from simulations of it at each clock that the governor visits.
//
// Power is what the board takes at its inputs. The device asks the meter only between epochs, with counters that it keeps anyway, and only
// if power is asked for. The package knows nothing of SMXs or memory. Figures and coefficients are in the configuration.
package boost
