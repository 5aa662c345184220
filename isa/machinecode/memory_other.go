//go:build !unix

package machinecode

import "errors"

type views struct{ run []byte }

func place([]byte) (views, error) {
	return views{}, errors.New("no executable memory on this operating system")
}

func release(views) {}
