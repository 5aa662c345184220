// Package browser opens a tab of Chromium for a test. It is apart from need, which programs for developers import, since what drives a
// browser takes long to compile.
package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
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

// Into returns an action that keeps what another one returns, to stand among actions that return nothing.
func Into[T any](to *T, action chromedp.Action[T]) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) (err error) {
		*to, err = action(ctx, tab)
		return err
	})
}

// Evaluate returns an action that evaluates an expression of JavaScript and keeps its value.
func Evaluate[T any](expression string, to *T, options ...chromedp.EvaluateOption) chromedp.Action[chromedp.Void] {
	return Into(to, chromedp.Evaluate[T](expression, options...))
}

// Prefer returns an action that has pages prefer a colour scheme, light or dark.
func Prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})
}
