//go:build !linux

package largepages

const supported = false

// Ask does nothing.
func Ask([]byte) {}
