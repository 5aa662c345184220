package fp

// straight holds the lane forms that are written out as straight loops, because kernels spend their time in them.
var straight = map[Key]Operation{}
