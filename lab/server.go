package lab

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
	"github.com/keplersim/keplersim/lab/lessons"
)

// policy is the content security policy of every page. It allows only the lab's own scripts, style sheets and data, and WebAssembly. The
// editor positions its parts with style attributes.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"

// serverLimits bound the work that a page may ask of the server.
var serverLimits = engine.Limits{Time: 2 * time.Minute, Cycles: 500_000_000, Memory: 2 << 30, Code: 2 << 20}

const (
	mostRequest = 4 << 20 // bytes
	// atOnce is how many kernels run or compile at the same time; further requests wait.
	atOnce = 2
)

// server answers the requests of the lab's pages.
type server struct {
	files map[string][]byte
	slots chan struct{}
}

// Handler returns the lab's own server: its pages, and below /engine/ what runs, grades and compiles kernels natively. It checks no token;
// the port does (internal/access).
func Handler(all []*lessons.Lesson, version string) (http.Handler, error) {
	pages, err := contents(all, version, true)
	if err != nil {
		return nil, err
	}
	s := &server{files: pages, slots: make(chan struct{}, atOnce)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", s.page)
	mux.HandleFunc("POST /engine/run", work(s, func(ctx context.Context, q *engine.Request) (any, error) {
		return engine.Run(ctx, q, serverLimits)
	}))
	mux.HandleFunc("POST /engine/grade", work(s, func(ctx context.Context, q *exercise.Submission) (any, error) {
		return q.Grade(ctx, serverLimits)
	}))
	mux.HandleFunc("POST /engine/compile", work(s, func(ctx context.Context, q *engine.Source) (any, error) {
		return q.Answer(ctx, serverLimits), nil
	}))
	return framed(mux), nil
}

// framed adds the policy to every page.
func framed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		next.ServeHTTP(w, r)
	})
}

// page serves a file of the lab. It looks names up in a map and opens no files.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	text, found := s.files[name]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	w.Header().Set("Cache-Control", "no-cache")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_, _ = w.Write(text) // an error means that the reader is gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	packed := gzip.NewWriter(w)
	_, _ = packed.Write(text)
	_ = packed.Close()
}

// work answers a POST of JSON with the result of do.
func work[Q any](s *server, do func(context.Context, *Q) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostRequest))
		if err != nil {
			http.Error(w, fmt.Sprintf("a request has at most %d bytes", mostRequest), http.StatusRequestEntityTooLarge)
			return
		}
		q := new(Q)
		if err := json.Unmarshal(text, q); err != nil {
			http.Error(w, "read the request: "+err.Error(), http.StatusBadRequest)
			return
		}
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-r.Context().Done():
			return
		}
		result, err := do(r.Context(), q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(result)
	}
}
