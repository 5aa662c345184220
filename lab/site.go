package lab

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/lab/lessons"
)

// WriteSite writes the lab as plain files for any web host. engine is the WebAssembly program of cmd/lab-engine, loader the wasm_exec.js
// of the Go release that built it; both are files.
func WriteSite(folder string, all []*lessons.Lesson, version, engine, loader string) error {
	pages, err := contents(all, version, false)
	if err != nil {
		return err
	}
	program, err := files.Read(engine, 1<<28)
	if err != nil {
		return fmt.Errorf("the engine: %w", err)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("pack the engine: %w", err)
	}
	if _, err = z.Write(program); err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("pack the engine: %w", err)
	}
	pages["engine.wasm.gz"] = packed.Bytes()
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
