package lab_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
)

// browser opens a tab, and fails the test when a page writes an error to the console.
func browser(t *testing.T, width, height int64) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" || testing.Short() {
		t.Skip("needs chromium, and some seconds")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(int(width), int(height)))
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(cancel)
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError {
				t.Errorf("console: %s", e.Args[0].Value)
			}
		case *runtime.EventExceptionThrown:
			t.Errorf("exception: %s", e.ExceptionDetails.Error())
		}
	})
	return ctx
}

// awaited evaluates to what a promise becomes.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// Each exercise in the browser: the model answer is found right, and the wrong one wrong.
func TestLessonsInABrowser(t *testing.T) {
	ctx := browser(t, 1280, 1000)
	s := handler(t)
	all, err := lab.Lessons()
	require.NoError(t, err)
	base := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	for _, l := range all {
		require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(base+"/#lesson="+l.Slug), chromedp.Reload(),
			chromedp.WaitVisible("section.exercise .check")), l.Slug)
		for n, e := range l.Exercises {
			place := fmt.Sprintf("document.querySelectorAll('section.exercise')[%d]", n)
			judge := func(ptx string) (verdict string) {
				text, err := json.Marshal(ptx)
				require.NoError(t, err)
				require.NoError(t, chromedp.Run(ctx,
					chromedp.Evaluate(place+".querySelector('.result').replaceChildren()", nil),
					chromedp.Evaluate(fmt.Sprintf("%s.querySelector('.code').editor.fill('ptx', %s)", place, text), nil),
					chromedp.Evaluate(place+".querySelector('.check').click()", nil),
					chromedp.Poll(place+".querySelector('.result .verdict')?.textContent", &verdict,
						chromedp.WithPollingTimeout(time.Minute)),
				), "%s/%s", l.Slug, e.Name)
				return verdict
			}
			assert.Equal(t, "✗ Not yet", judge(e.Wrong.PTX), "%s/%s", l.Slug, e.Name)
			assert.Equal(t, "✓ Solved", judge(e.Answer.PTX), "%s/%s", l.Slug, e.Name)
		}
	}
}

// Two hundred cycles forward and two hundred back show the same picture, pixel for pixel; the keyboard alone steps.
func TestSteppingBackIsExact(t *testing.T) {
	ctx := browser(t, 1280, 1000)
	s := handler(t)
	base := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	var before, there, after []byte
	press := func(key string, times int) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			for range times {
				if err := chromedp.KeyEvent(key).Do(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(base+"/#lesson=coalescing"), chromedp.WaitVisible("section.cell .bar"),
		chromedp.Evaluate("[...document.querySelectorAll('section.cell button')].find((b) => b.textContent === 'Watch').click()", nil),
		chromedp.WaitVisible(".view .warp"), chromedp.Focus(".view"),
		press(kb.PageDown, 5), press(kb.ArrowRight, 7), chromedp.Screenshot(".view", &before),
		press(kb.ArrowRight, 200), chromedp.Screenshot(".view", &there),
		press(kb.ArrowLeft, 200), chromedp.Screenshot(".view", &after),
	))
	assert.NotEqual(t, before, there, "200 cycles change nothing")
	assert.True(t, string(before) == string(after), "the picture differs after 200 cycles forward and back")

	// The same with a warp followed, whose lanes are shown besides, and by instructions.
	var lanes, picture string
	const saved = "import('./picture.js').then((m) => " +
		"new XMLSerializer().serializeToString(m.pictureOf(document.querySelector('.view'))))"
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Evaluate("document.querySelector('.view .warp').click()", nil), chromedp.WaitVisible(".lanes tbody tr"),
		chromedp.Focus(".view"),
		chromedp.Screenshot(".view", &before), chromedp.Text(".lanes", &lanes),
		press(kb.ArrowRight, 200), chromedp.Screenshot(".view", &there),
		press(kb.ArrowLeft, 200), chromedp.Screenshot(".view", &after),
		chromedp.Evaluate(saved, &picture, awaited),
	))
	assert.NotEqual(t, before, there, "200 cycles change nothing")
	assert.True(t, string(before) == string(after), "the picture of a followed warp differs after 200 cycles forward and back")
	assert.Contains(t, lanes, "R0")
	require.NoError(t, xml.Unmarshal([]byte(picture), new(struct{})), "a view that is saved is no XML")
	assert.Contains(t, picture, "Scheduler 3")
	var cycles []int
	cycle := "parseInt(document.querySelector('.view .cycle').textContent.replace(/[^0-9 ]/g, '').trim())"
	for _, key := range []string{"n", "n", "p", "p"} {
		var at int
		require.NoError(t, chromedp.Run(ctx, press(key, 1), chromedp.Evaluate(cycle, &at)))
		cycles = append(cycles, at)
	}
	assert.True(t, cycles[0] < cycles[1] && cycles[2] == cycles[0] && cycles[3] < cycles[0], "by instructions: %v", cycles)
}

// The pages fit 400 pixels, and axe-core finds nothing serious. KEPLERSIM_AXE names axe.min.js of the npm package axe-core.
func TestPagesForEverybody(t *testing.T) {
	ctx := browser(t, 400, 800)
	s := handler(t)
	base := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	axe := ""
	if name := os.Getenv("KEPLERSIM_AXE"); name != "" {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		axe = string(text)
	}
	const watch = "[...document.querySelectorAll('section.cell button')].find((b) => b.textContent === 'Watch').click()"
	for _, page := range []struct{ address, ready, click, then string }{
		{address: "/", ready: ".lessons"}, {address: "/#lesson=coalescing", ready: "section.exercise .check"},
		{address: "/#bench", ready: "section.cell .bar"},
		{"/#lesson=divergence", "section.cell .bar", watch, ".view .warp"},
		{"", ".view .warp", "document.querySelector('.view .warp').click()", ".lanes h5"},
	} {
		var width int64
		if page.address != "" {
			require.NoError(t, chromedp.Run(ctx, chromedp.EmulateViewport(400, 800), chromedp.Navigate(base+page.address),
				chromedp.Reload()))
		}
		require.NoError(t, chromedp.Run(ctx, chromedp.WaitVisible(page.ready)))
		if page.click != "" {
			require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(page.click, nil), chromedp.WaitVisible(page.then)))
		}
		require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate("document.documentElement.scrollWidth", &width)))
		assert.LessOrEqual(t, width, int64(400), page)
		if axe == "" {
			continue
		}
		var found []string
		require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(axe, nil), chromedp.Evaluate(
			"axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))"+
				".map((v) => v.id + ': ' + v.nodes[0].html))", &found, awaited)))
		assert.Empty(t, found, page)
	}
}
