// Package engine runs a kernel for the lab: a request names texts instead of files, and the response is data that a page, a grader or a
// test reads. It is what the browser's WebAssembly program, the lab's own server and keplersim grade have in common.
package engine
