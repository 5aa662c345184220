package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/page"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/record"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/testkit/browser"
	"github.com/keplersim/keplersim/testkit/need"
)

// written runs a workload or a file, and returns its page and JSON report.
func written(t testing.TB, workload string, o record.Options) (text []byte, object map[string]any) {
	t.Helper()
	recorder := record.New(o)
	file := workload
	if filepath.Ext(file) == "" {
		file += "/" + workload + ".yaml"
	}
	job, err := host.Open(context.Background(), "../../workloads/"+file, host.Options{
		Config: "gk110", Simulator: sim.Options{Threads: 2, Observer: recorder},
	})
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	r, err := recorder.Recording(&record.About{Workload: job.Workload.Name, Config: job.Config, Launches: result.Launches})
	require.NoError(t, err)
	run := &report.Run{
		Workload: job.Workload.Name, Config: job.Config.Name, Launches: result.Launches,
		Timeline: &report.Timeline{Intervals: result.Timeline, HostUS: result.HostUS, DeviceUS: result.DeviceUS},
	}
	var object0 bytes.Buffer
	require.NoError(t, report.JSON(&object0, run))
	var out bytes.Buffer
	require.NoError(t, page.Write(&out, &page.Input{Run: run, Recording: r, Line: job.Line, Baselines: []page.Baseline{{Name: "itself",
		JSON: object0.Bytes()}}}))
	require.NoError(t, json.Unmarshal(object0.Bytes(), &object))
	return out.Bytes(), object
}

// A page fetches from no address, and stays below 2 MB even for a run of many launches.
func TestPagesNeedNothingElse(t *testing.T) {
	workloads := []string{"transpose", "bfs", "multi-gpu"}
	if testing.Short() {
		workloads = workloads[:1]
	}
	for _, name := range workloads {
		if name == "multi-gpu" {
			continue // of a board with two GPUs
		}
		text, _ := written(t, name, record.Options{LivesAlone: true})
		assert.Less(t, len(text), page.MostBytes, name)
		for _, fetched := range []string{"src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("} {
			assert.NotContains(t, string(text), fetched, name)
		}
		assert.Contains(t, string(text), "default-src 'none'")
	}
}

// tab opens a page of a given size in pixels in a headless browser, and collects the console's messages.
func tab(t *testing.T, file string, width, height int64, dark bool) (context.Context, func() []string) {
	t.Helper()
	ctx := browser.Chromium(t, 90*time.Second, chromedp.Flag("disable-gpu", true))
	var lock sync.Mutex
	var said []string
	require.NoError(t, chromedp.Listen(ctx, func(e any) {
		lock.Lock()
		defer lock.Unlock()
		switch e := e.(type) {
		case *cdpruntime.EventExceptionThrown:
			said = append(said, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		case *cdpruntime.EventConsoleAPICalled:
			said = append(said, string(e.Type))
		}
	}))
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, height), browser.Prefer(scheme), chromedp.Navigate("file://"+file),
		chromedp.WaitVisible("#timeline canvas")))
	return ctx, func() []string {
		lock.Lock()
		defer lock.Unlock()
		return said
	}
}

func text(t *testing.T, ctx context.Context, selector string) (s string) {
	t.Helper()
	require.NoError(t, chromedp.Do(ctx, browser.Into(&s, chromedp.Text(chromedp.CSS(selector)))))
	return strings.TrimSpace(s)
}

// plain converts a figure of the page to a number.
func plain(t *testing.T, s string) float64 {
	t.Helper()
	s = strings.ReplaceAll(strings.Fields(s)[0], ",", "")
	f, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err, s)
	return f
}

// The page works in a browser, at 1280 and 400 pixels, light and dark: no error, every section, the figures of the JSON report.
// KEPLERSIM_SCREENSHOTS names a folder for pictures of the sections; KEPLERSIM_AXE names axe.min.js of the npm package axe-core.
func TestPageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	need.Chromium(t)
	content, object := written(t, "transpose", record.Options{SMXs: []int{0}, Window: recording.Window{From: 2000, To: 2300}})
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, content, 0o644))
	launch := object["kernels"].([]any)[0].(map[string]any) // the longest
	metrics := launch["metrics"].(map[string]any)
	for _, width := range []int64{1280, 400} {
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, dark %v", width, dark), func(t *testing.T) {
				ctx, said := tab(t, file, width, 900, dark)
				for _, id := range []string{"verdict", "launches", "roofline", "stalls", "source", "memory",
					"occupancy", "mix", "advice", "baselines", "timeline"} {
					assert.NotEmpty(t, text(t, ctx, "#"+id+" h2"), id)
					assert.NotEmpty(t, strings.TrimSpace(strings.TrimPrefix(text(t, ctx, "#"+id), text(t, ctx,
						"#"+id+" h2"))), id)
				}
				assert.Equal(t, strings.ReplaceAll(launch["findings"].([]any)[0].(string), "`", ""), text(t, ctx, "#finding"))
				assert.InDelta(t, launch["time_us"], plain(t, text(t, ctx, "#time")), 0.05)
				for _, c := range stats.CycleCounts {
					assert.Equal(t, launch[c.Name], plain(t, text(t, ctx, "#"+c.Name)))
				}
				assert.InDelta(t, 100*launch["occupancy"].(map[string]any)["achieved"].(float64), plain(t, text(t,
					ctx, "#achieved")), 0.05)
				assert.Equal(t, metrics["inst_executed"], plain(t, text(t, ctx, "#instructions")))
				assert.InDelta(t, metrics["issue_slot_utilization"], plain(t, text(t, ctx, "#slots")), 0.05)
				assert.Contains(t, text(t, ctx, "#operations"), "ST.E", "machine operations are beside the hottest line")
				assert.Contains(t, text(t, ctx, "#baselines"), "itself")

				var cold, overlaps bool
				require.NoError(t, chromedp.Do(ctx, browser.Evaluate(hottestIsHidden, &cold), browser.Evaluate(textsOverlap, &overlaps)))
				assert.False(t, cold, "the hottest line and its operations are out of sight")
				assert.False(t, overlaps, "words of the memory chart overlap, or leave their boxes")
				var wide bool
				require.NoError(t, chromedp.Do(ctx,
					browser.Evaluate("document.documentElement.scrollWidth > innerWidth", &wide)))
				assert.False(t, wide, "the page is wider than the screen")
				require.NoError(t, chromedp.Do(ctx, browser.Evaluate(memoryScrolls, &wide)))
				assert.False(t, wide, "the memory chart and its table fit the screen")
				screenshots(t, ctx, fmt.Sprintf("%d-%v", width, dark))
				byKeyboard(t, ctx)
				accessible(t, ctx)
				assert.Empty(t, said(), "the console is silent")
			})
		}
	}
}

// hottestIsHidden is a script that returns true if a pane of the source has no marked row, or its marked row is out of sight.
const hottestIsHidden = `(() => { document.getElementById("source").scrollIntoView(); return [...document.querySelectorAll("#source .pane")].some((box) => {
	const row = box.querySelector("tr.on")?.getBoundingClientRect(), around = box.getBoundingClientRect();
	return !row || row.top < around.top || row.bottom > around.bottom; }); })()`

// memoryScrolls is a script that returns true if a part of the section Memory is too wide.
const memoryScrolls = `[...document.querySelectorAll("#memory, #memory .scroll, #memory svg")].some((e) =>
	e.scrollWidth > e.clientWidth + 1)`

// textsOverlap is a script that returns true if two texts of the memory chart overlap, or a box cuts one.
const textsOverlap = `(() => { const boxes = (what) => [...document.querySelectorAll("#memory svg " + what)].map((e) => e.getBoundingClientRect());
	const texts = boxes("text"), meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1;
	const within = (a, b) => a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
	return texts.some((a, i) => texts.some((b, j) => j > i && meet(a, b)) || boxes("rect").some((b) => meet(a, b) && !within(a, b))); })()`

// The page's parts: timelines with the host's row, kernels waiting and running, and launches from kernels on the SMXs. The memory chart has
// shared memory. Kernels without floating point have an instruction roofline. A search finds metrics and lines.
func TestPageOfSeveralStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	need.Chromium(t)
	for _, workload := range []string{"hyperq", "mariani-silver", "bitonic"} {
		content, _ := written(t, workload, record.Options{LivesAlone: true})
		file := filepath.Join(t.TempDir(), "page.html")
		require.NoError(t, os.WriteFile(file, content, 0o644))
		ctx, said := tab(t, file, 1280, 900, false)
		var rows []string
		var waits, runs, children int
		require.NoError(t, chromedp.Do(ctx, browser.Evaluate("spans().rows.map((r) => r[0])", &rows),
			browser.Evaluate("spans().rows.flatMap((r) => r[1]).filter((x) => x[3].includes('waiting for its first block'))"+
				".length", &waits),
			browser.Evaluate("spans().rows.flatMap((r) => r[1]).filter((x) => x[3].includes('running')).length", &runs),
			browser.Evaluate("spans().rows.filter((r) => r[0].startsWith('SMX')).flatMap((r) => r[1])"+
				".filter((x) => x[3].includes('launched by')).length", &children)))
		assert.Equal(t, "host", rows[0], workload)
		assert.Positive(t, waits, workload)
		assert.Positive(t, runs, workload)
		assert.Equal(t, workload == "mariani-silver", children > 100, "%d children on the SMXs of %s", children, workload)
		var overlaps bool
		require.NoError(t, chromedp.Do(ctx, browser.Evaluate(textsOverlap, &overlaps), chromedp.SendKeys("#search", "stall_sync")))
		assert.False(t, overlaps, workload)
		assert.Contains(t, text(t, ctx, "#hits"), "stall_sync: ", workload)
		if workload != "mariani-silver" {
			assert.Contains(t, text(t, ctx, "#roofline"), "Points of instructions", workload)
		}
		assert.Empty(t, said())
	}
}

// CUDA C, its PTX and its machine operations are side by side at the hottest line. Choosing a line in one of them moves all.
func TestSourceInStep(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	need.Chromium(t)
	need.Clang(t)
	content, _ := written(t, "sgemm-tiled/sgemm-tiled.cu", record.Options{LivesAlone: true})
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, content, 0o644))
	ctx, said := tab(t, file, 1280, 900, false)
	const store = `[...document.querySelectorAll("#operations button.line")].find((b) => b.textContent.includes("ST.E")).click()`
	for _, choose := range []string{"0", store} {
		var cold bool
		var on []string
		require.NoError(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](choose+";0"), browser.Evaluate(hottestIsHidden, &cold),
			browser.Evaluate(`["lines", "ptx", "operations"].map((id) => document.querySelector("#" + id + " tr.on .line")`+
				`.textContent)`, &on)))
		assert.False(t, cold, "%v", on)
		if choose == "0" {
			assert.Contains(t, on[0], "fmaf(")
			assert.Contains(t, on[1], "ld.shared.f32")
		} else {
			assert.Contains(t, on[0], "= sum;")
		}
	}
	assert.Empty(t, said())
}

// byKeyboard zooms and moves the timeline, and chooses another launch and a line, by keyboard alone.
func byKeyboard(t *testing.T, ctx context.Context) {
	t.Helper()
	before := text(t, ctx, "#where")
	require.NoError(t, chromedp.Do(ctx, chromedp.Focus("#chart"), chromedp.KeyEvent("+"), chromedp.KeyEvent("+")))
	zoomed := text(t, ctx, "#where")
	assert.NotEqual(t, before, zoomed)
	require.NoError(t, chromedp.Do(ctx, chromedp.KeyEvent("0")))
	assert.Equal(t, before, text(t, ctx, "#where"))
	require.NoError(t, chromedp.Do(ctx, chromedp.Focus("#source tbody tr:nth-child(2) button.line"), chromedp.KeyEvent("\r")))
	assert.True(t, strings.HasPrefix(text(t, ctx, "#detail h3"), "Line "))
	require.NoError(t, chromedp.Do(ctx, chromedp.Focus("#timeline .tools button:last-child"), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible("#timeline ul"),
		chromedp.Poll[chromedp.Void]("document.getElementById('where').textContent.includes('cycles')")))
}

// accessible runs axe-core on the page, if KEPLERSIM_AXE names it.
func accessible(t *testing.T, ctx context.Context) {
	t.Helper()
	script := os.Getenv("KEPLERSIM_AXE")
	if script == "" {
		return
	}
	axe, err := os.ReadFile(script)
	require.NoError(t, err)
	var found []string
	require.NoError(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](string(axe)+";0"), browser.Evaluate(
		"axe.run().then((r) => r.violations.map((v) => v.impact + ' ' + v.id + ': ' + v.nodes[0].html.slice(0, 120)))", &found,
		chromedp.EvalAwaitPromise)))
	assert.Empty(t, found, "axe-core")
}

func screenshots(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	folder := os.Getenv("KEPLERSIM_SCREENSHOTS")
	if folder == "" {
		return
	}
	for _, id := range []string{"verdict", "launches", "roofline", "stalls", "source", "memory", "occupancy", "mix", "baselines",
		"timeline"} {
		var png []byte
		require.NoError(t, chromedp.Do(ctx, browser.Into(&png, chromedp.Screenshot(chromedp.CSS("#"+id)))))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+"-"+id+".png"), png, 0o644))
	}
}
