// Package spill keeps any number of values of one type in bounded memory and returns them in the order in which they came.
//
// It writes each value as the difference from an earlier, similar one: a launch of a kernel takes tens to hundreds of bytes instead of ten
// thousand. Up to a limit the bytes stay in memory; beyond it, they go to a temporary file. If no file can be written, as in a browser,
// they stay in memory. Package host keeps launches in such a list, package sim the intervals of its timeline. The package knows neither.
package spill
