package access

// Times are the limits that wait.
var Times = &times
