//go:build !amd64

package hostcache

import "unsafe"

func prefetchRows(unsafe.Pointer, *uint16, int) {}

func prefetchBytes(unsafe.Pointer, int) {}

func prefetchOwned(unsafe.Pointer, int) {}

func prefetchLines(a, b, c unsafe.Pointer) {}
