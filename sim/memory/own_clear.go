//go:build unix && !linux

package memory

// unreserved is 0: other systems count memory when it is touched, or refuse.
const unreserved = 0

// renew clears pages: systems other than Linux do not promise that pages given back read as zero.
func renew(pages []byte) error {
	clear(pages)
	return nil
}
