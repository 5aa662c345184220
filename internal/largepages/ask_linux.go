package largepages

import "golang.org/x/sys/unix"

const supported = true

// Ask asks for large pages in memory that nothing has touched.
func Ask(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
