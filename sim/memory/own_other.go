//go:build !unix

package memory

// reserve returns nil: memory comes page by page.
func reserve(*Global, uint64) *Arena { return nil }
