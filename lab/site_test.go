package lab_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/engine"
)

// mostTransferred bounds the bytes for the first screen and the engine, as web hosts send them.
const mostTransferred = 6_000_000

// mostRecorded bounds a scene's recording.
const mostRecorded = 200_000

// The site has the first picture of each scene: the response to the run that the page would request.
func TestSiteRecordsScenes(t *testing.T) {
	all, err := lab.Lessons()
	require.NoError(t, err)
	all = all[:2]
	folder := t.TempDir()
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	require.NoError(t, lab.WriteSite(folder, all, "test", empty, empty))
	for n, l := range all {
		s := l.Scenes[0]
		packed, err := os.Open(filepath.Join(folder, s.Recorded))
		require.NoError(t, err)
		defer packed.Close()
		text, err := gzip.NewReader(packed)
		require.NoError(t, err)
		var got struct {
			Report struct {
				Kernels []struct {
					Cycles uint64 `json:"kernel_cycles"`
				}
			}
			Watched *engine.Watched
		}
		require.NoError(t, json.NewDecoder(text).Decode(&got))
		value := []string{"32", "2"}[n] // as in the lesson's text
		_, workload := s.Turned(l.Cell(s.Cell), value)
		own, err := engine.Run(t.Context(), &engine.Request{Run: "w.yaml", Files: map[string]string{
			"w.yaml": workload, "kernel.ptx": l.Cell(s.Cell).PTX}}, engine.Limits{})
		require.NoError(t, err)
		assert.Equal(t, own.Launches[0].KernelCycles, got.Report.Kernels[0].Cycles, l.Slug)
		require.NotNil(t, got.Watched)
		assert.Len(t, got.Watched.Warps, own.Launches[0].WarpsPerBlock(), l.Slug)
	}
}

// The lab as plain files is small enough to transfer, and a kernel runs and is graded in the browser itself.
func TestSite(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the browser's engine")
	}
	program, loader := browsersEngine(t)
	folder := t.TempDir()
	all, err := lab.Lessons()
	require.NoError(t, err)
	require.NoError(t, lab.WriteSite(folder, all, "test", program, loader))
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	total := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if strings.HasPrefix(filepath.Base(name), "scene-") {
			assert.Less(t, len(text), mostRecorded, name)
			continue // fetched when it is scrolled into view
		}
		if filepath.Ext(name) == ".gz" {
			total += len(text)
			continue
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		total += packed.Len()
	}
	t.Logf("%d bytes on the wire", total)
	assert.LessOrEqual(t, total, mostTransferred)

	host := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(host.Close)
	some := all[3:4]
	if everyLesson() {
		some = all
	}
	l := all[3]
	inBrowsers(t, 1280, 1000, func(t *testing.T, p tab) {
		begin := time.Now()
		p.open(host.URL + "/#lesson=" + l.Slug)
		wait(t, p, there("section.cell .bar"))
		shown := time.Since(begin)
		wait(t, p, "document.getElementById('engine').textContent.startsWith('Kernels run in this browser')")
		t.Logf("shown after %v, the engine ready after %v", shown, time.Since(begin))
		click(p, "section.cell", "Run")
		wait(t, p, "document.querySelector('section.cell .out .good')?.textContent === '✓ result as expected'")
		judged := 0
		for _, l := range some { // the reader's CUDA C compiles in the browser
			p.open(host.URL + "/#lesson=" + l.Slug)
			wait(t, p, there("section.exercise .check"))
			for n, e := range l.Exercises {
				place := fmt.Sprintf("document.querySelectorAll('section.exercise')[%d]", n)
				for _, c := range []struct {
					text, verdict string
				}{{e.Wrong.Text, "✗ Not yet"}, {e.Answer.Text, "✓ Solved"}} {
					text, err := json.Marshal(c.text)
					require.NoError(t, err)
					p.eval(place+".querySelector('.result').replaceChildren()", nil)
					p.eval(fmt.Sprintf("%s.querySelector('.code').editor.fill(%q, %s)", place, e.Answer.Language, text), nil)
					p.eval(place+".querySelector('.check').click()", nil)
					wait(t, p, place+".querySelector('.result .verdict')")
					var verdict string
					p.eval(place+".querySelector('.result .verdict').textContent", &verdict)
					assert.Equal(t, c.verdict, verdict, "%s/%s", l.Slug, e.Name)
					judged++
				}
			}
			t.Logf("%v: %s, %d answers so far", time.Since(begin), l.Slug, judged)
		}
	})
}
