//go:build !unix

package machinecode

import "errors"

func executable([]byte) ([]byte, error) {
	return nil, errors.New("no executable memory on this operating system")
}

func release([]byte) {}
