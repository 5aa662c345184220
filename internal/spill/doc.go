// Package spill keeps any number of values of one type in bounded memory, in the order in which they come, and gives them back as they
// were.
//
// A value is written as what differs from an earlier one like it: a launch of a kernel takes some tens to hundreds of bytes beside the one
// before it, where it took ten thousand. What is written lies in memory up to a limit, and all of it in a temporary file from then on.
// Where no file can be written, as in a browser, it stays in memory. Package host keeps launches so, package sim what happened when. The
// package knows neither.
package spill
