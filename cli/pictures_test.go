package cli

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/testkit/browser"
	"github.com/keplersim/keplersim/testkit/need"
)

const (
	// pictures is the folder of the README's pictures; make pictures takes them again.
	pictures = "../docs/pictures"
	// mostPicture bounds a picture's bytes.
	mostPicture = 300_000
	// mostColours bounds the animation's colours: fewer make it smaller, but coarsen the edges of letters.
	mostColours = 32
	// watched is how many cycles the animation shows, watchedFrom the first of them.
	watched, watchedFrom = 14, 950
)

// The README shows the page and the lab's Watch, in light and dark. Fonts and browsers differ, so the pictures are not compared. Instead
// make pictures also writes the report of the run that the page shows, and the run must still give that report.
func TestReadmeShowsPictures(t *testing.T) {
	if os.Getenv("KEPLERSIM_PICTURES") != "" {
		require.NoError(t, os.MkdirAll(pictures, 0o755))
		for _, scheme := range []string{"light", "dark"} {
			t.Run(scheme, func(t *testing.T) {
				takeWatch(t, scheme)
				takePage(t, scheme)
			})
		}
	}
	shown, err := os.ReadFile(filepath.Join(pictures, "page.txt"))
	require.NoError(t, err)
	_, report := pictured(t)
	assert.Equal(t, string(shown), report, "the README's picture is of another report: make pictures")
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, name := range []string{"page-light.png", "page-dark.png", "watch-light.gif", "watch-dark.gif"} {
		assert.Contains(t, string(readme), `"docs/pictures/`+name+`"`)
		data, err := os.ReadFile(filepath.Join(pictures, name))
		require.NoError(t, err, "make pictures takes it")
		assert.LessOrEqual(t, len(data), mostPicture, name)
		shown, _, err := image.Decode(bytes.NewReader(data))
		require.NoError(t, err, name)
		assert.GreaterOrEqual(t, shown.Bounds().Dx(), 800, name)
		r, g, b, _ := shown.At(2, shown.Bounds().Dy()-3).RGBA()
		assert.Equal(t, strings.Contains(name, "light"), r+g+b > 3*0x8000, "%s is light or dark", name)
		if strings.HasSuffix(name, ".gif") {
			all, err := gif.DecodeAll(bytes.NewReader(data))
			require.NoError(t, err, name)
			assert.Len(t, all.Image, watched, name)
		}
	}
}

// screen opens a tab of Chromium with a preferred colour scheme.
func screen(t *testing.T, scheme string, width, height int64) context.Context {
	t.Helper()
	ctx := browser.Chromium(t, 4*time.Minute)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, height), browser.Prefer(scheme)))
	return ctx
}

// pictured runs a transposition from CUDA, and returns the folder with its page, and its report.
func pictured(t *testing.T) (folder, report string) {
	t.Helper()
	need.ClangVersion(t, 19) // other versions compile to code with other times
	folder = t.TempDir()
	for name, old := range map[string]string{"transpose.cu": "", "transpose.yaml": "module: transpose.ptx"} {
		text, err := os.ReadFile(filepath.Join("../workloads/transpose", name))
		require.NoError(t, err)
		text = bytes.ReplaceAll(text, []byte(old), []byte(strings.ReplaceAll(old, ".ptx", ".cu")))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o644))
	}
	back, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(folder)) // the report has file names as given
	defer func() { require.NoError(t, os.Chdir(back)) }()
	code, report, errOut := keplersim(t, "run", "--report", "page.html", "transpose.yaml")
	require.Equal(t, exitRan, code, errOut)
	report, _, _ = strings.Cut(report, "\nsimulated in") // drop the host's time
	return folder, report
}

// takePage takes a picture of the top of a transposition's page: its verdict, its launches, and its hottest line in CUDA, PTX and machine
// operations.
func takePage(t *testing.T, scheme string) {
	folder, report := pictured(t)
	require.NoError(t, os.WriteFile(filepath.Join(pictures, "page.txt"), []byte(report), 0o644))
	host := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(host.Close)
	ctx := screen(t, scheme, 1200, 1240)
	var taken []byte
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(host.URL+"/page.html"), chromedp.WaitVisible("main svg"),
		chromedp.Sleep(500*time.Millisecond), browser.Into(&taken, chromedp.CaptureScreenshot())))
	require.NoError(t, os.WriteFile(filepath.Join(pictures, "page-"+scheme+".png"), taken, 0o644))
}

// takeWatch takes a picture of the lab's lesson on shared memory, cycle by cycle.
func takeWatch(t *testing.T, scheme string) {
	lessons, err := lab.Lessons()
	require.NoError(t, err)
	handler, err := lab.Handler(lessons, "")
	require.NoError(t, err)
	host := httptest.NewServer(handler)
	t.Cleanup(host.Close)
	ctx := screen(t, scheme, 1080, 900)
	const full = `[...document.querySelectorAll(".watch button")].find((b) => b.textContent === "Full").click()`
	const watch = `[...document.querySelectorAll("section.cell button")].find((b) => b.textContent === "Watch").click()`
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(host.URL+"/#lesson=shared-memory"), chromedp.WaitVisible("section.cell .bar"),
		chromedp.Evaluate[chromedp.Void](watch), chromedp.WaitVisible(".watch button"), chromedp.Evaluate[chromedp.Void](full),
		chromedp.WaitVisible(".view .warp"), chromedp.Focus(".view"), chromedp.KeyEvent(kb.Home)))
	var at int
	for at < watchedFrom {
		require.NoError(t, chromedp.Do(ctx, chromedp.KeyEvent(kb.PageDown),
			browser.Evaluate(`Number(document.querySelector(".view .slider input").value)`, &at)))
	}
	var frames []image.Image
	for range watched {
		var taken []byte
		require.NoError(t, chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			var box struct{ X, Y, Width, Height float64 }
			_, err := browser.Evaluate(`(() => {
				const [view, warps, machine] = [".view", ".schedulers", ".machine"].map((name) => document.querySelector(name).getBoundingClientRect());
				return {X: view.x + scrollX + 3, Y: warps.y + scrollY, Width: view.width - 6, Height: machine.bottom - warps.y};
			})()`, &box)(ctx, tab)
			if err != nil {
				return err
			}
			shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true),
				Clip: &page.Viewport{X: box.X, Y: box.Y, Width: box.Width, Height: box.Height, Scale: 1}})
			taken = shot.Data
			return err
		}), chromedp.KeyEvent(kb.ArrowRight)))
		frame, err := png.Decode(bytes.NewReader(taken))
		require.NoError(t, err)
		frames = append(frames, frame)
	}
	var out bytes.Buffer
	require.NoError(t, gif.EncodeAll(&out, animation(frames)))
	require.NoError(t, os.WriteFile(filepath.Join(pictures, "watch-"+scheme+".gif"), out.Bytes(), 0o644))
}

// animation makes an animation of pictures, in the most frequent colours. Each frame after the first has only the changes.
func animation(frames []image.Image) *gif.GIF {
	counts := map[color.RGBA]int{}
	bounds := frames[0].Bounds()
	at := func(f image.Image, x, y int) color.RGBA { return color.RGBAModel.Convert(f.At(x, y)).(color.RGBA) }
	for _, f := range frames {
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				counts[at(f, x, y)]++
			}
		}
	}
	colours := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int { return counts[b] - counts[a] })
	palette := color.Palette{color.RGBA{}} // transparent: no change
	for _, c := range colours[:min(len(colours), mostColours)] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	film := &gif.GIF{}
	for n, f := range frames {
		changed := bounds
		if n > 0 {
			changed = image.Rectangle{}
			for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
				for x := bounds.Min.X; x < bounds.Max.X; x++ {
					if at(f, x, y) != at(frames[n-1], x, y) {
						changed = changed.Union(image.Rect(x, y, x+1, y+1))
					}
				}
			}
			if changed.Empty() {
				changed = image.Rect(0, 0, 1, 1)
			}
		}
		frame := image.NewPaletted(changed, palette)
		for y := changed.Min.Y; y < changed.Max.Y; y++ {
			for x := changed.Min.X; x < changed.Max.X; x++ {
				c := at(f, x, y)
				if n > 0 && c == at(frames[n-1], x, y) {
					continue
				}
				index, known := nearest[c]
				if !known {
					index = uint8(palette[1:].Index(c) + 1)
					nearest[c] = index
				}
				frame.SetColorIndex(x, y, index)
			}
		}
		film.Image, film.Delay, film.Disposal = append(film.Image, frame), append(film.Delay, 40), append(film.Disposal, gif.DisposalNone)
	}
	film.Delay[len(film.Delay)-1] = 200
	return film
}
