package memory

import "golang.org/x/sys/unix"

// unreserved asks for addresses alone: memory comes with the first touch of a page, and is counted then.
const unreserved = unix.MAP_NORESERVE

// widen asks for large pages where the system has them: the lanes of an access may touch as many pages.
func widen(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }

// renew makes whole pages zero by giving them back.
func renew(pages []byte) error { return unix.Madvise(pages, unix.MADV_DONTNEED) }
