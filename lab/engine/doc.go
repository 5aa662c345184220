// Package engine runs kernels for the lab. A request has texts instead of file names, and the response is data for a page, a grader or a
// test. The browser's WebAssembly program, the lab's own server and keplersim grade share it.
package engine
