// Package lower makes machine programs of decoded kernels: it is the simulator's ptxas.
//
// [Program] takes a kernel over virtual registers and gives Kepler operations over physical ones, in the order in which a
// warp meets them: folded, expanded by one table of forms (table_*.go), scheduled with the chip's latencies, and with
// registers allocated. [Passes] lists every pass in its order, [PrintAfter] writes what there is after one. Latencies are
// core cycles, taken from the caller; sizes are bytes.
//
// Each PTX instruction ends in exactly one operation that holds its effect, the carrier: the last operation of the
// expansion that needs the sources. The others have registers, pipeline and latency only.
//
// The package is called by sim once a kernel and chip. It never runs anything, and knows no text of PTX.
package lower
