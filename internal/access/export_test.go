package access

// Times are the timeouts.
var Times = &times
