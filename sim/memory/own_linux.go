package memory

import "golang.org/x/sys/unix"

// unreserved reserves only addresses: a page takes memory, and is counted, when it is first touched.
const unreserved = unix.MAP_NORESERVE

// renew zeroes whole pages by giving them back.
func renew(pages []byte) error { return unix.Madvise(pages, unix.MADV_DONTNEED) }
