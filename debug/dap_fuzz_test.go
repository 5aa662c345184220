package debug

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/keplersim/keplersim/testkit/executions"
)

// Nothing that a client sends before a valid launch breaks the adapter or launches anything.
func FuzzAdapter(f *testing.F) {
	for _, text := range []string{
		`{"seq":1,"type":"request","command":"initialize","arguments":{}}`,
		`{"seq":2,"type":"request","command":"launch","arguments":{"program":"k"}}`,
		`{"seq":3,"type":"request","command":"threads"}`, `{"seq":4,"type":"request","command":"disconnect"}`, `{"type":"event"}`, `[]`,
	} {
		f.Add([]byte(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)))
	}
	executions.Fuzz(f, func(t *testing.T, said []byte) {
		s := newServer(bytes.NewReader(said), io.Discard, func(Launch) (Options, error) { return Options{}, errors.New("no") })
		_ = s.serve(t.Context()) // an error is fine
		if s.session != nil {
			t.Fatal("launched")
		}
	})
}
