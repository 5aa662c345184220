package hostcache

import "unsafe"

//go:noescape
func prefetchRows(rows unsafe.Pointer, numbers *uint16, count int)

//go:noescape
func prefetchBytes(at unsafe.Pointer, bytes int)

//go:noescape
func prefetchOwned(at unsafe.Pointer, bytes int)

//go:noescape
func prefetchLines(a, b, c unsafe.Pointer)
