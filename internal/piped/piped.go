// Package piped is what is piped to a command in place of a file: it travels with the context under a name that reads as a file's,
// and whoever reads files asks here first. It knows nothing of what files hold.
package piped

import (
	"context"

	"github.com/keplersim/keplersim/internal/files"
)

// file is a name with its text.
type file struct {
	name string
	text []byte
}

// key is the key of a context's file.
type key struct{}

// With is a context in which a name means a text. A context has one such name, the one given last.
func With(ctx context.Context, name string, text []byte) context.Context {
	return context.WithValue(ctx, key{}, file{name, text})
}

// Text is the text that a name means, if it means one.
func Text(ctx context.Context, name string) (text []byte, ok bool) {
	f, ok := ctx.Value(key{}).(file)
	if !ok || f.name != name {
		return nil, false
	}
	return f.text, true
}

// Any tells whether any name means a text.
func Any(ctx context.Context) bool { return ctx.Value(key{}) != nil }

// ReadFile reads what a name means, or else the file of that name, which holds code.
func ReadFile(ctx context.Context, name string) ([]byte, error) {
	if text, ok := Text(ctx, name); ok {
		return text, nil
	}
	return files.Read(name, files.MostCode)
}
