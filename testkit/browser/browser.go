// Package browser opens a Chromium tab for a test. It is separate from need, which developers' programs import, because browser automation
// takes long to compile.
package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/keplersim/keplersim/testkit/need"
)

// Chromium returns the context of a headless tab, which ends with the test or after limit. options are for the browser. Without Chromium,
// the test is skipped.
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

// Into turns an action with a result into one that stores the result, for lists of actions without results.
func Into[T any](to *T, action chromedp.Action[T]) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) (err error) {
		*to, err = action(ctx, tab)
		return err
	})
}

// Evaluate returns an action that evaluates a JavaScript expression and stores its value.
func Evaluate[T any](expression string, to *T, options ...chromedp.EvaluateOption) chromedp.Action[chromedp.Void] {
	return Into(to, chromedp.Evaluate[T](expression, options...))
}

// Prefer returns an action that sets the preferred colour scheme, light or dark.
func Prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})
}
