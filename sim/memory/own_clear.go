//go:build unix && !linux

package memory

// unreserved is nothing: other systems count memory when it is touched in any case, or refuse.
const unreserved = 0

// widen does nothing: other systems choose the size of pages themselves.
func widen([]byte) {}

// renew makes pages zero: other systems than Linux do not promise zeros of pages that were given back.
func renew(pages []byte) error {
	clear(pages)
	return nil
}
