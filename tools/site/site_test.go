package main

import (
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/browser"
)

// written writes this repository's site to a folder.
func written(t *testing.T) (folder string, s *site) {
	t.Helper()
	s, err := read("../..")
	require.NoError(t, err)
	folder = t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "lab"), 0o755))
	lab, err := os.ReadFile("../../lab/web/index.html")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "lab", "index.html"), lab, 0o644))
	require.NoError(t, s.write(folder))
	return folder, s
}

var (
	link   = regexp.MustCompile(`<a [^>]*href="([^"]+)"`)
	source = regexp.MustCompile(`(?:src|srcset)="([^"]+)"|<link [^>]*href="([^"]+)"`)
	id     = regexp.MustCompile(` id="([^"]+)"`)
)

// Each link leads to an existing page and anchor, and each page has all its pictures. Nothing is loaded from elsewhere.
func TestLinksOfTheSite(t *testing.T) {
	folder, s := written(t)
	assert.Greater(t, len(s.pages), 40)
	require.Len(t, s.shelves, 4)
	for _, shelf := range s.shelves {
		assert.GreaterOrEqual(t, len(shelf.Pages), 5, shelf.Name)
	}
	places := map[string]map[string]bool{}
	texts := map[string]string{}
	require.NoError(t, filepath.Walk(folder, func(file string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, file)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		places[filepath.ToSlash(name)] = map[string]bool{}
		if filepath.Ext(name) == ".html" {
			texts[filepath.ToSlash(name)] = string(text)
			for _, m := range id.FindAllStringSubmatch(string(text), -1) {
				places[filepath.ToSlash(name)][m[1]] = true
			}
		}
		return nil
	}))
	links, onShelves := 0, map[string]bool{}
	for name, text := range texts {
		if name == "lab/index.html" {
			assert.Contains(t, text, `href="../docs/index.html"`)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			links++
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			onShelves[to] = true
			if assert.Contains(t, places, to, "%s: %s", name, m[1]) && anchor != "" {
				assert.True(t, places[to][anchor], "%s: %s: there is no such heading", name, m[1])
			}
		}
		for _, m := range source.FindAllStringSubmatch(text, -1) {
			assert.NotContains(t, m[0], "//", name)
			assert.Contains(t, places, path.Join(path.Dir(name), m[1]+m[2]), "%s: %s", name, m[0])
		}
	}
	assert.Greater(t, links, 1000)
	for name := range texts {
		assert.True(t, onShelves[name], "no page leads to %s", name)
	}
}

// Every text colour has WCAG 2's contrast of 4.5 to 1 on every background, in light and dark themes: on the site, on a report's page and in
// the lab.
func TestTextsHaveContrast(t *testing.T) {
	theme, colour := regexp.MustCompile(`:root \{([^}]*)\}`), regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{3,6});`)
	for file, texts := range map[string]string{
		"web/style.css": "ink soft accent", "../../report/page/page.css": "ink soft accent good hot",
		"../../report/live/live.html": "ink soft", "../../lab/web/style.css": "ink soft accent good bad code-keyword code-operator " +
			"code-type code-number code-comment code-label code-name",
	} {
		css, err := os.ReadFile(file)
		require.NoError(t, err)
		themes := theme.FindAllStringSubmatch(string(css), -1)
		require.Len(t, themes, 2, file)
		of := map[string]string{}
		for _, declarations := range themes { // dark colours override light ones
			for _, m := range colour.FindAllStringSubmatch(strings.TrimSpace(declarations[1])+";", -1) {
				of[m[1]] = m[2]
			}
			require.NotEmpty(t, of["paper"], file)
			for _, ground := range []string{"paper", "wash", "card"} {
				for _, text := range strings.Fields(texts) {
					if of[ground] != "" {
						got := contrast(t, of[text], of[ground])
						assert.GreaterOrEqual(t, got, 4.5, "%s: %s %s on %s", file, text, of[text], of[ground])
					}
				}
			}
			for _, filled := range []string{"accent-ink", "on-accent"} {
				if of[filled] != "" {
					assert.GreaterOrEqual(t, contrast(t, of[filled], of["accent"]), 4.5, "%s: %s", file, filled)
				}
			}
		}
	}
}

// The lab's pictures also have this contrast, which no tool checks within SVG: white letters on every filled mark and on every state's
// colour. Marks have 3 to 1 against the page's background.
func TestPicturesHaveContrast(t *testing.T) {
	css, err := os.ReadFile("../../lab/web/style.css")
	require.NoError(t, err)
	looks, err := os.ReadFile("../../lab/web/looks.js")
	require.NoError(t, err)
	marks := regexp.MustCompile(`(?m)^\.drawing \.([a-z]+) \{ fill: (#[0-9a-f]{6})`).FindAllStringSubmatch(string(css), -1)
	states := regexp.MustCompile(`([a-z_]+): \["(#[0-9a-f]{6})", "."\]`).FindAllStringSubmatch(string(looks), -1)
	require.Len(t, states, 18)
	grounds := regexp.MustCompile(`--paper: (#[0-9a-f]{3,6})`).FindAllStringSubmatch(string(css), -1)
	require.Len(t, grounds, 2)
	for _, m := range marks {
		if m[1] == "waits" { // half transparent, with an outline, and never with letters
			continue
		}
		assert.GreaterOrEqual(t, contrast(t, "#fff", m[2]), 4.5, m[1])
		for _, ground := range grounds {
			assert.GreaterOrEqual(t, contrast(t, ground[1], m[2]), 3.0, "%s on %s", m[1], ground[1])
		}
	}
	require.GreaterOrEqual(t, len(marks), 4)
	for _, m := range states {
		assert.GreaterOrEqual(t, contrast(t, "#fff", m[2]), 4.5, m[1])
	}
}

// contrast is WCAG's contrast ratio of two colours.
func contrast(t *testing.T, a, b string) float64 {
	light, dark := luminance(t, a), luminance(t, b)
	return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
}

// luminance is WCAG's relative luminance of #rgb or #rrggbb.
func luminance(t *testing.T, colour string) (sum float64) {
	digits := strings.TrimPrefix(colour, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	rgb, err := strconv.ParseUint(digits, 16, 32)
	require.NoError(t, err, "colour %q", colour)
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part := float64(rgb>>(16-8*i)&0xff) / 255
		if part <= 0.03928 {
			sum += weight * part / 12.92
		} else {
			sum += weight * math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// The site works in a browser at widths of 400 to 1920 pixels and without a server: nothing is wider than the window, and the search works.
func TestSiteInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	folder, s := written(t)
	host := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(host.Close)
	ctx := browser.Chromium(t, 3*time.Minute)
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			t.Errorf("exception: %s", (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		}
	}))
	for _, width := range []int64{400, 1280, 1920} {
		for _, p := range s.pages {
			var wide float64
			require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(host.URL+"/"+p.address),
				browser.Evaluate("document.documentElement.scrollWidth", &wide)))
			assert.LessOrEqual(t, wide, float64(width), "%s at %d pixels", p.address, width)
		}
	}
	for query, want := range map[string]string{"what does memory_throttle mean?": "docs/find-the-bottleneck.html",
		"occup spread": "docs/other-tools.html", "add a board": "docs/configs.html"} {
		var found string
		require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+folder+"/index.html"), chromedp.KeyEvent("/"),
			chromedp.Evaluate[chromedp.Void]("document.activeElement.value = ''"), // the tab also types the slash
			chromedp.SendKeys("#find", query), chromedp.WaitVisible("#found li"),
			browser.Evaluate(`[...document.querySelectorAll("#found a")].map((a) => a.href).join(" ")`, &found)))
		assert.Contains(t, found, want, query)
		require.NoError(t, chromedp.Do(ctx, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(".shelves[open]"),
			browser.Evaluate("location.href", &found)))
		assert.Contains(t, found, "/docs/", query)
	}
}
