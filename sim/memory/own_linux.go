package memory

import "golang.org/x/sys/unix"

// unreserved asks for addresses alone: memory comes with the first touch of a page, and is counted then.
const unreserved = unix.MAP_NORESERVE

// renew makes whole pages zero by giving them back.
func renew(pages []byte) error { return unix.Madvise(pages, unix.MADV_DONTNEED) }
