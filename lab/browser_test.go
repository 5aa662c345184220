package lab_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/exercise"
)

// served returns the address of the lab's own server, after the tab has opened the printed address with the token.
func served(t *testing.T, p tab) string {
	port := handler(t)
	p.open(strings.Replace(port.URL(), "127.0.0.1", "localhost", 1))
	return strings.Replace(strings.TrimSuffix(port.Address(""), "/"), "127.0.0.1", "localhost", 1)
}

// compiled returns the language that a code was compiled to.
func compiled(c exercise.Code) exercise.Language {
	if c.Language == exercise.CUDA {
		return exercise.PTX
	}
	return c.Language
}

// watchFully shows the first cell's run in full.
func watchFully(t *testing.T, p tab) {
	t.Helper()
	click(p, "section.cell", "Watch")
	wait(t, p, there(".watch .bar"))
	click(p, "section.cell .watch", "Full")
}

// Each exercise in the browser: the model answer is found right, and the wrong one wrong.
func TestLessonsInABrowser(t *testing.T) {
	all, err := lab.Lessons()
	require.NoError(t, err)
	inBrowsers(t, 1280, 1000, func(t *testing.T, p tab) {
		base := served(t, p)
		for _, l := range all {
			p.open(base + "/#lesson=" + l.Slug)
			wait(t, p, there("section.exercise .check"))
			for n, e := range l.Exercises {
				place := fmt.Sprintf("document.querySelectorAll('section.exercise')[%d]", n)
				judge := func(code exercise.Code) (verdict string) {
					text, err := json.Marshal(code.PTX)
					require.NoError(t, err)
					p.eval(place+".querySelector('.result').replaceChildren()", nil)
					p.eval(fmt.Sprintf("%s.querySelector('.code').editor.fill(%q, %s)", place, compiled(code), text), nil)
					p.eval(place+".querySelector('.check').click()", nil)
					wait(t, p, place+".querySelector('.result .verdict')")
					p.eval(place+".querySelector('.result .verdict').textContent", &verdict)
					return verdict
				}
				assert.Equal(t, "✗ Not yet", judge(e.Wrong), "%s/%s", l.Slug, e.Name)
				assert.Equal(t, "✓ Solved", judge(e.Answer), "%s/%s", l.Slug, e.Name)
			}
		}
	})
}

// A lesson's text and cells have the same edges, and an editor's lines are next to their numbers. The checks of an answer do not overlap,
// and headings skip no level. The same holds while a cell is watched.
func TestLessonsLook(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	for _, width := range []int{1280, 900, 400} {
		p := newChromium(t, width, 1000)
		p.open(served(t, p) + "/#lesson=warps")
		wait(t, p, there("section.exercise .check"))
		var edges, apart, levels []int
		p.eval("[...document.querySelectorAll('main > p, main > section')].flatMap((e) => { const r = e.getBoundingClientRect(); "+
			"return [Math.round(r.left), Math.round(r.right)]; })", &edges)
		for i, edge := range edges {
			assert.Equal(t, edges[i%2], edge, "edges of the lesson's parts, at %d pixels", width)
		}
		p.eval("document.querySelector('section.exercise .code').scrollIntoView({ behavior: 'instant' })", nil) // else it is not measured
		time.Sleep(500 * time.Millisecond)
		p.eval("(() => { const tops = (what) => [...document.querySelector('section.exercise .code').shadowRoot"+
			".querySelectorAll(what)].map((e) => e.getBoundingClientRect().bottom); const lines = tops('.cm-line'); "+
			"return tops('.cm-lineNumbers .cm-gutterElement').slice(1).map((y, n) => Math.round(Math.abs(y - lines[n]))); })()", &apart)
		for n, by := range apart {
			assert.LessOrEqual(t, by, 5, "line %d's number is apart from it, at %d pixels", n+1, width)
		}
		p.eval("document.querySelector('section.exercise .check').click()", nil)
		wait(t, p, there(".checks li"))
		var overprinted bool
		p.eval("[...document.querySelectorAll('.checks li > span')].some((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)",
			&overprinted)
		assert.False(t, overprinted, "a check's words leave their column, at %d pixels", width)
		watchFully(t, p)
		wait(t, p, there(".view .warp"))
		p.eval("document.querySelector('.view .warp').click()", nil)
		wait(t, p, there(".lanes h4"))
		p.eval("[...document.querySelectorAll('h1, h2, h3, h4, h5')].map((h) => Number(h.tagName[1]))", &levels)
		for i := range levels[1:] {
			assert.LessOrEqual(t, levels[i+1], levels[i]+1, "headings: %v", levels)
		}
	}
}

// alike reports whether two pictures have the same pixels. A colour's level may differ by 1 of 255: when Chromium repaints part of a row of
// buttons, two pixels of their corners differ so.
func alike(t *testing.T, a, b []byte) bool {
	t.Helper()
	first, err := png.Decode(bytes.NewReader(a))
	require.NoError(t, err)
	second, err := png.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	if first.Bounds() != second.Bounds() {
		return false
	}
	for y := range first.Bounds().Dy() {
		for x := range first.Bounds().Dx() {
			var one, other [3]uint32
			one[0], one[1], one[2], _ = first.At(x, y).RGBA()
			other[0], other[1], other[2], _ = second.At(x, y).RGBA()
			for i := range one {
				if level, next := int(one[i]>>8), int(other[i]>>8); level-next > 1 || next-level > 1 {
					return false
				}
			}
		}
	}
	return true
}

// steps goes some cycles forward and as many back, by keyboard. The picture must be the same, pixel for pixel.
func steps(t *testing.T, p tab, cycles int) {
	t.Helper()
	focus(p, ".view")
	before := p.shot(".view")
	p.press(arrowRight, cycles)
	far := p.shot(".view")
	p.press(arrowLeft, cycles)
	after := p.shot(".view")
	assert.False(t, alike(t, before, far), "%d cycles change nothing", cycles)
	assert.True(t, alike(t, before, after), "the picture differs after %d cycles forward and back", cycles)
}

// Stepping back is exact, even with a warp's lanes shown. The picture can be saved, and stepping by instructions works.
func TestSteppingBackIsExact(t *testing.T) {
	inBrowsers(t, 1280, 1000, func(t *testing.T, p tab) {
		p.open(served(t, p) + "/#lesson=coalescing")
		wait(t, p, there("section.cell .bar"))
		watchFully(t, p)
		wait(t, p, there(".view .warp"))
		focus(p, ".view")
		p.press(pageDown, 5)
		p.press(arrowRight, 7)
		steps(t, p, 30)

		p.eval("document.querySelector('.view .warp').click()", nil)
		wait(t, p, there(".lanes tbody tr"))
		steps(t, p, 200)
		var lanes, picture string
		p.eval("document.querySelector('.lanes').textContent", &lanes)
		assert.Contains(t, lanes, "R0")
		p.eval("import('./picture.js').then((m) => new XMLSerializer().serializeToString(m.pictureOf(document.querySelector('.view'))))",
			&picture)
		require.NoError(t, xml.Unmarshal([]byte(picture), new(struct{})), "a view that is saved is no XML")
		assert.Contains(t, picture, "Scheduler 3")

		var cycles []int
		for _, k := range []key{"n", "n", "p", "p"} {
			p.press(k, 1)
			var at int
			p.eval("Number(document.querySelector('.view .slider input').value)", &at)
			cycles = append(cycles, at)
		}
		assert.True(t, cycles[0] < cycles[1] && cycles[2] == cycles[0] && cycles[3] < cycles[0], "by instructions: %v", cycles)
	})
}

// The animation is a GIF that others can read: a frame for each moment, of the drawing's size and colours, and all different.
func TestFilmsAreGIFs(t *testing.T) {
	inBrowsers(t, 900, 800, func(t *testing.T, p tab) {
		p.open(served(t, p) + "/?embed=1&scene=shared-memory")
		wait(t, p, there("section.scene .drawing svg"))
		var packed string
		p.eval("import('./picture.js').then(async (m) => { const next = document.querySelector('.steer button:nth-of-type(3)'); "+
			"const film = await m.filmOf(document.querySelector('.stage'), () => { next.click(); return true; }); "+
			"return btoa(Array.from(new Uint8Array(await film.arrayBuffer()), (c) => String.fromCharCode(c)).join('')); })", &packed)
		text, err := base64.StdEncoding.DecodeString(packed)
		require.NoError(t, err)
		film, err := gif.DecodeAll(bytes.NewReader(text))
		require.NoError(t, err)
		require.Len(t, film.Image, 24)
		var width int
		p.eval("Math.ceil(document.querySelector('.stage').getBoundingClientRect().width)", &width)
		assert.Equal(t, width, film.Config.Width)
		for i, frame := range film.Image {
			assert.Equal(t, 30, film.Delay[i], "hundredths of a second")
			assert.Equal(t, color.RGBA{R: 255, G: 255, B: 255, A: 255}, frame.At(1, 1), "the page's ground")
			if i > 0 {
				assert.NotEqual(t, film.Image[i-1].Pix, frame.Pix, "frame %d is the one before it", i)
			}
		}
	})
}

// A lesson can be solved by keyboard alone: Tab reaches the editor, which takes typed text; after Escape, Tab leaves it; Enter checks.
func TestKeyboardAloneSuffices(t *testing.T) {
	all, err := lab.Lessons()
	require.NoError(t, err)
	l := all[3]
	answer, err := json.Marshal(l.Exercises[0].Answer.PTX)
	require.NoError(t, err)
	p := newChromium(t, 1280, 1000)
	p.open(served(t, p) + "/#lesson=" + l.Slug)
	wait(t, p, there("section.exercise .check"))
	reach := func(selector string, keys ...key) {
		for range 200 {
			for _, k := range keys {
				p.press(k, 1)
			}
			var here bool
			if p.eval(fmt.Sprintf("document.activeElement.matches(%q)", selector), &here); here {
				return
			}
		}
		require.Fail(t, "Tab does not reach "+selector)
	}
	const first = "document.querySelector('section.cell .code').editor.text()"
	var before, text string
	p.eval(first, &before)
	reach("section.exercise .check", tabulator) // through editors without typed text
	p.eval(first, &text)
	assert.Equal(t, before, text)
	p.eval("document.activeElement.blur()", nil)
	reach("section.exercise .code", tabulator)
	p.press("q", 3)
	p.eval("document.querySelector('section.exercise .code').editor.text()", &text)
	assert.Contains(t, text, "qqq")
	p.eval(fmt.Sprintf("document.querySelector('section.exercise .code').editor.fill('ptx', %s)", answer), nil) // as if pasted
	// After typing, Tab indents unless Escape is pressed first.
	reach("section.exercise .check", escape, tabulator)
	p.press(enter, 1)
	wait(t, p, "document.querySelector('section.exercise .result .verdict')")
	p.eval("document.querySelector('section.exercise .result .verdict').textContent", &text)
	assert.Equal(t, "✓ Solved", text)
}

// The pages fit 400 pixels, and axe-core finds nothing serious. KEPLERSIM_AXE names axe.min.js of the npm package axe-core.
func TestPagesForEverybody(t *testing.T) {
	axe := ""
	if name := os.Getenv("KEPLERSIM_AXE"); name != "" {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		axe = string(text)
	}
	watch := func(p tab) { watchFully(t, p) }
	simple := func(p tab) { click(p, "section.cell", "Watch") }
	settings := func(p tab) { p.eval("document.querySelector('section.cell details').open = true", nil) }
	follow := func(p tab) { p.eval("document.querySelector('.view .warp').click()", nil) }
	inBrowsers(t, 400, 800, func(t *testing.T, p tab) {
		base := served(t, p)
		for _, page := range []struct {
			address, ready string
			do             func(tab) // nil for nothing
			then           string
		}{
			{address: "/", ready: ".lessons"}, {address: "/#lesson=coalescing", ready: "section.exercise .check"},
			{"/#lesson=shared-memory", "section.scene .drawing svg", simple, ".watch .drawing svg"},
			{"/?embed=1&scene=coalescing", "section.scene .drawing svg", nil, ""},
			{"/#bench", "section.cell .bar", settings, ".knobs select"},
			{"/#lesson=divergence", "section.cell .bar", watch, ".view .warp"},
			{"", ".view .warp", follow, ".lanes h4"},
		} {
			name := page.address + " " + page.then
			if page.address != "" {
				p.open(base + page.address)
			}
			if strings.HasPrefix(page.ready, "section.scene") { // it runs when it is scrolled into view
				wait(t, p, there("section.scene"))
				p.eval("document.querySelector('section.scene').scrollIntoView({ behavior: 'instant' })", nil)
			}
			wait(t, p, there(page.ready))
			if page.do != nil {
				page.do(p)
				wait(t, p, there(page.then))
			}
			var width int
			p.eval("document.documentElement.scrollWidth", &width)
			assert.LessOrEqual(t, width, 400, name)
			if axe == "" {
				continue
			}
			var found []string
			p.eval("(() => {"+axe+"; return axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))"+
				".map((v) => v.id + ': ' + v.nodes[0].html))})()", &found)
			assert.Empty(t, found, name)
		}
	})
}
