package cli

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSupervise(t *testing.T) {
	hangs := func(context.Context) int { select {} }
	reportAfter := func(wait time.Duration) func(context.Context) int {
		return func(ctx context.Context) int {
			defer expectReport(ctx)()
			<-ctx.Done()
			time.Sleep(wait)
			return 7
		}
	}
	for _, test := range []struct {
		name    string
		command func(context.Context) int
		signals int
		code    int
		message string
	}{
		{"ends by itself", func(context.Context) int { return 2 }, 0, 2, ""},
		{"hears the signal", func(ctx context.Context) int { <-ctx.Done(); return 5 }, 1, 5, ""},
		{"does not hear it", hangs, 1, exitFailed, "keplersim: interrupted\n"},
		{"reports, longer than the grace", reportAfter(grace + 300*time.Millisecond), 1, 7, ""},
		{"reports without an end", reportAfter(time.Hour), 1, exitFailed, "keplersim: interrupted\n"},
		{"reports, and is not waited for", reportAfter(time.Hour), 2, exitFailed, "keplersim: interrupted\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			signals := make(chan os.Signal, 2)
			time.AfterFunc(50*time.Millisecond, func() {
				for range test.signals {
					signals <- os.Interrupt
				}
			})
			var errOut bytes.Buffer
			assert.Equal(t, test.code, supervise(signals, &errOut, test.command))
			assert.Equal(t, test.message, errOut.String())
		})
	}
}
