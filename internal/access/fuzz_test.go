package access

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/keplersim/keplersim/testkit/executions"
)

// No request without the token gets in, whatever its address and headers.
func FuzzGuard(f *testing.F) {
	p, err := Listen(":0", io.Discard)
	if err != nil {
		f.Fatal(err)
	}
	defer p.Close()
	f.Add("GET", "/?token=x", "localhost", "", "keplersim=x", "Bearer x")
	f.Add("POST", "//a/..%2f?token", "127.0.0.1:80", "http://127.0.0.1:80", p.cookie()+"=", "Bearer")
	executions.Fuzz(f, func(t *testing.T, method, path, host, origin, cookie, authorization string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Method, r.Host, r.URL.Path, r.URL.RawQuery = method, host, path, path
		r.Header = http.Header{"Origin": {origin}, "Cookie": {cookie}, "Authorization": {authorization}}
		p.Guard(http.HandlerFunc(func(http.ResponseWriter,
			*http.Request) {
			t.Fatal("a stranger is in")
		})).ServeHTTP(httptest.NewRecorder(), r)
	})
}
