// Package browser opens a tab of Chromium for a test. It is apart from need, which programs for developers import, since what drives a
// browser takes long to compile.
package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/keplersim/keplersim/testkit/need"
)

// Chromium returns the context of a headless tab, which ends with the test or after the time; options are of the browser. A test without
// Chromium is left out.
func Chromium(t *testing.T, limit time.Duration, options ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	options = append(append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(need.Chromium(t)), chromedp.NoSandbox), options...)
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...) // the test's context ends before its clean-up
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	return ctx
}
