// Package explain shows from a recording what the warps of one SMX did, cycle by cycle: for each scheduler who was eligible, who
// issued what to which unit and with what as its pair, and why each other warp waited; or one warp as a pipeline diagram. As text and as
// SVG.
package explain
