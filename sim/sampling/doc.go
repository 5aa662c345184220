// Package sampling leaves out the timing of what can be estimated: launches like those before, and of a long launch what lies between
// windows that are timed. It decides what is timed, and says how long the rest took and how sure that is. It is a guest of the device,
// which it knows by the verbs of Device alone.
package sampling
