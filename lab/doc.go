// Package lab is GPU architecture in a browser: lessons, an editor, and the simulator behind both. The same pages are served on loopback
// (Handler), where kernels run natively and CUDA C compiles, and written as plain files for any web host (WriteSite), where the
// simulator runs as WebAssembly in the reader's browser.
package lab
