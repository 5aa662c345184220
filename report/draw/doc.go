// Package draw draws reports as .svg and .png: rooflines, the timeline of streams, and others. It is separate from package report, so that
// users of reports, such as a browser, need no drawing library.
package draw
