package lab

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/lessons"
)

// WriteSite writes the lab as plain files for any web host. program is the WebAssembly program of cmd/lab-engine, loader the wasm_exec.js
// of the Go release that built it; both are files. It records each scene's first picture, so that a page shows it before the engine has
// started; the lessons then name the files.
func WriteSite(folder string, all []*lessons.Lesson, version, program, loader string) error {
	recorded, err := recordings(all)
	if err != nil {
		return err
	}
	pages, err := contents(all, version, false)
	if err != nil {
		return err
	}
	maps.Copy(pages, recorded)
	wasm, err := files.Read(program, 1<<28)
	if err != nil {
		return fmt.Errorf("the engine: %w", err)
	}
	if pages["engine.wasm.gz"], err = packed(wasm); err != nil {
		return fmt.Errorf("pack the engine: %w", err)
	}
	if pages["wasm_exec.js"], err = files.Read(loader, 1<<20); err != nil {
		return fmt.Errorf("the loader of WebAssembly: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("the folder of the site: %w", err)
	}
	for name, text := range pages {
		err := files.Write(filepath.Join(folder, name), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recordings runs the lessons' scenes at the first value of their handles, and returns the engine's responses by file. It leaves out scenes
// whose first value changes the kernel's text.
func recordings(all []*lessons.Lesson) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, l := range all {
		for n, s := range l.Scenes {
			q, kernel := s.Request(l.Cell(s.Cell), s.Begin())
			if kernel.PTX == "" {
				continue
			}
			r, err := engine.Run(context.Background(), q, serverLimits)
			if err != nil {
				return nil, fmt.Errorf("record a scene of lesson %s: %w", l.Slug, err)
			}
			if r.Error != "" {
				return nil, fmt.Errorf("record a scene of lesson %s: %s", l.Slug, r.Error)
			}
			r.Text = ""
			text, err := json.Marshal(r)
			if err != nil {
				return nil, fmt.Errorf("record a scene of lesson %s: %w", l.Slug, err)
			}
			s.Recorded = fmt.Sprintf("scene-%s-%d.json.gz", l.Slug, n+1)
			if out[s.Recorded], err = packed(text); err != nil {
				return nil, fmt.Errorf("record a scene of lesson %s: %w", l.Slug, err)
			}
		}
	}
	return out, nil
}

// packed returns a text compressed by gzip.
func packed(text []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}
