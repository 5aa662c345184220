//go:build !unix

package memory

// reserve returns nil: pages are made one by one.
func reserve(*Global, uint64) *Arena { return nil }
