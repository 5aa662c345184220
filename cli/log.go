package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// newLogger logs to w: only warnings, or everything. Lines have no time, so that logs can be compared.
func newLogger(w io.Writer, verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(&lines{w: w, level: level})
}

// lines writes each record as one line: level, message, and the attributes as a JSON object. It ignores groups.
type lines struct {
	w     io.Writer
	level slog.Level
	attrs []slog.Attr // of the logger
	lock  sync.Mutex
}

// Enabled implements slog.Handler.
func (l *lines) Enabled(_ context.Context, level slog.Level) bool { return level >= l.level }

// Handle implements slog.Handler.
func (l *lines) Handle(_ context.Context, r slog.Record) error {
	var members []string
	member := func(a slog.Attr) bool {
		value, err := json.Marshal(a.Value.Resolve().Any())
		if err != nil {
			value, _ = json.Marshal(a.Value.String()) // a string always has a JSON form
		}
		members = append(members, fmt.Sprintf("%q: %s", a.Key, value))
		return true
	}
	for _, a := range l.attrs {
		member(a)
	}
	r.Attrs(member)
	line := strings.ToLower(r.Level.String()) + "  " + r.Message
	if len(members) > 0 {
		line += "  {" + strings.Join(members, ", ") + "}"
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	_, err := io.WriteString(l.w, line+"\n")
	return err
}

// WithAttrs implements slog.Handler.
func (l *lines) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &lines{w: l.w, level: l.level, attrs: append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)}
}

// WithGroup implements slog.Handler.
func (l *lines) WithGroup(string) slog.Handler { return l }
