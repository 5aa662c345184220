package lab_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/browser"
)

// tab is a browser's tab. Its failures fail the test, and so does an error that a page writes to the console.
type tab interface {
	// open loads an address from scratch.
	open(url string)
	// eval evaluates an expression of JavaScript, awaits it, and reads its JSON; into may be nil.
	eval(expression string, into any)
	// press types a key a number of times.
	press(k key, times int)
	// shot returns a picture of an element.
	shot(selector string) []byte
}

// key is a special key, or any other character.
type key string

const (
	arrowRight key = "ArrowRight"
	arrowLeft  key = "ArrowLeft"
	pageDown   key = "PageDown"
	tabulator  key = "Tab"
	enter      key = "Enter"
	escape     key = "Escape"
)

// browsers open a tab in each browser that is tested, or skip the test.
var browsers = []struct {
	name string
	open func(t *testing.T, width, height int) tab
}{
	{"chromium", func(t *testing.T, width, height int) tab { return newChromium(t, width, height) }},
	{"firefox", func(t *testing.T, width, height int) tab { return newFirefox(t, width, height) }},
}

// session bounds a browser's time. With all lessons, the browser compiles and grades every answer.
func session() time.Duration {
	if everyLesson() {
		return 30 * time.Minute
	}
	return 4 * time.Minute
}

// everyLesson reports whether browser tests run all lessons and workloads, which takes minutes.
func everyLesson() bool { return os.Getenv("KEPLERSIM_BROWSER") == "all" }

// inBrowsers runs a test in each browser.
func inBrowsers(t *testing.T, width, height int, test func(t *testing.T, p tab)) {
	if testing.Short() {
		t.Skip("starts browsers")
	}
	for _, b := range browsers {
		t.Run(b.name, func(t *testing.T) { test(t, b.open(t, width, height)) })
	}
}

// wait returns once an expression is true.
func wait(t *testing.T, p tab, expression string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var holds bool
		p.eval("Boolean("+expression+")", &holds)
		if holds {
			return
		}
		require.True(t, time.Now().Before(end), "waited for %s", expression)
	}
}

// there returns an expression that is true once an element is shown.
func there(selector string) string {
	return fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector)
}

// click clicks the first button in an element with a given text.
func click(p tab, within, text string) {
	p.eval(fmt.Sprintf("[...document.querySelectorAll(%q)].find((b) => b.textContent === %q).click()", within+" button", text), nil)
}

// focus gives an element the keyboard focus.
func focus(p tab, selector string) {
	p.eval(fmt.Sprintf("document.querySelector(%q).focus()", selector), nil)
}

// asJSON returns an expression for another's value as JSON text.
func asJSON(expression string) string {
	return "(async () => JSON.stringify(await (" + expression + ")) ?? 'null')()"
}

// chromium is a tab of Chromium.
type chromium struct {
	*testing.T
	ctx context.Context
}

func newChromium(t *testing.T, width, height int) *chromium {
	t.Helper()
	ctx := browser.Chromium(t, session(), chromedp.WindowSize(width, height))
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError {
				t.Errorf("console: %s", e.Args[0].Value)
			}
		case *runtime.EventExceptionThrown:
			t.Errorf("exception: %s", (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		}
	}))
	c := &chromium{t, ctx}
	c.do(chromedp.EmulateViewport(int64(width), int64(height)))
	return c
}

func (c *chromium) do(actions ...chromedp.Action[chromedp.Void]) {
	c.Helper()
	require.NoError(c, chromedp.Do(c.ctx, actions...))
}

func (c *chromium) open(url string) {
	c.Helper()
	c.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
}

func (c *chromium) eval(expression string, into any) {
	c.Helper()
	var text string
	c.do(browser.Evaluate(asJSON(expression), &text, chromedp.EvalAwaitPromise))
	if into != nil {
		require.NoError(c, json.Unmarshal([]byte(text), into), expression)
	}
}

func (c *chromium) press(k key, times int) {
	c.Helper()
	text, named := map[key]string{arrowRight: kb.ArrowRight, arrowLeft: kb.ArrowLeft, pageDown: kb.PageDown, tabulator: kb.Tab,
		enter: kb.Enter, escape: kb.Escape}[k]
	if !named {
		text = string(k)
	}
	for range times {
		c.do(chromedp.KeyEvent(text))
	}
}

func (c *chromium) shot(selector string) (picture []byte) {
	c.Helper()
	c.do(browser.Into(&picture, chromedp.Screenshot(selector)))
	return picture
}
