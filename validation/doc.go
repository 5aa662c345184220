// Package validation holds published measurements of real Kepler cards and runs, on the simulated boards, the kernels that
// reproduce them.
//
// A measurement is a row. Rows of single figures (a latency, a throughput, a bandwidth) stand in rows/*.yaml with their
// source and the experiment that reproduces them; the measured kernels stand in kernels.csv, their sources and PTX in
// kernels/. Run simulates rows, several at once, each on its own simulated board, and gives for each what was measured
// there and here. A row that is missed, that fails or that cannot be simulated is a result like any other.
//
// Beside the rows stand claims, statements of NVIDIA's tuning guide with the runs that show them, whose kernels are in claims/. Tests find
// the parameters of caches from latencies alone, and measure curves by stride, footprint, occupancy and contention.
//
// Cycles are core clock cycles of the row's board. The package takes no figure from the rows into the simulator, and
// prints nothing: report/validation does.
package validation
