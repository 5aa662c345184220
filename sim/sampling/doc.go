// Package sampling leaves out timing that can be estimated: of launches similar to earlier ones, and of a long launch between its timed
// windows. It decides what is timed, estimates the time of the rest, and says how sure that is. It is a guest of the device, and knows only
// its interface Device.
package sampling
