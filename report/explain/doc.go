// Package explain shows from a recording what one SMX did, cycle by cycle. For each scheduler it shows which warps were eligible, which
// warp issued what to which unit and with which pair, and why each other warp waited. It also shows one warp as a pipeline diagram. It
// writes text and SVG.
package explain
