// Package draw draws what a report says, as .svg and .png: rooflines, and the timeline of streams. The report itself needs no drawing
// library, so that what shows it elsewhere (a browser) need not carry one.
package draw
