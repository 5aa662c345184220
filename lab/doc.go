// Package lab teaches GPU architecture in a browser, with lessons, an editor and the simulator. The same pages come in two forms. Handler
// serves them on loopback; kernels then run natively. WriteSite writes them as plain files for any web host; the simulator then runs as
// WebAssembly in the reader's browser.
package lab
