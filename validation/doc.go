// Package validation holds published measurements of real Kepler cards and runs the kernels that reproduce them on the simulated boards.
//
// A measurement is a row. Rows of single figures (a latency, a throughput, a bandwidth) are in rows/*.yaml, with their source and the
// experiment that reproduces them. The measured kernels are in kernels.csv, with their sources and PTX in kernels/. Run simulates several
// rows at once, each on its own board, and gives the measured and the simulated figure. A row that misses, fails or cannot be simulated is
// a result like any other.
//
// Claims are statements of NVIDIA's tuning guide with the runs that show them; their kernels are in claims/. Tests find the parameters of
// caches from latencies alone, and measure curves by stride, footprint, occupancy and contention.
//
// Cycles are core clock cycles of the row's board. The package takes no figure from the rows into the simulator, and prints nothing:
// report/validation does.
package validation
