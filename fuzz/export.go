package fuzz

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/keplersim/keplersim/internal/files"
)

// driver runs exported programs on a GPU.
//
//go:embed driver/check.cc
var driver []byte

// Export writes programs and their input (in.bin) into a folder. It adds a line for each program with its number, its kind and a hash of
// the simulator's output (expected.txt), and a C++ program that runs them on a GPU and compares (check.cc).
func Export(ctx context.Context, folder, config string, seed, count uint64, threads int) error {
	if err := os.MkdirAll(filepath.Join(folder, "ptx"), 0o777); err != nil {
		return err
	}
	hashes := make([]string, count)
	var next atomic.Uint64
	failures := make([]error, threads)
	var wait sync.WaitGroup
	for t := range threads {
		r, err := NewRunner(config)
		if err != nil {
			return err
		}
		wait.Go(func() {
			for n := next.Add(1) - 1; n < count && ctx.Err() == nil && failures[t] == nil; n = next.Add(1) - 1 {
				p := Make(seed + n)
				output, _, err := r.Run(ctx, p.Text, Ways[1])
				if err != nil {
					failures[t] = fmt.Errorf("seed %d: %w", p.Seed, err)
					continue
				}
				hash := fnv.New64a()
				hash.Write(output)
				hashes[n] = fmt.Sprintf("%d %s %016x\n", p.Seed, p.Kind, hash.Sum64())
				failures[t] = write(filepath.Join(folder, "ptx", fmt.Sprintf("%d.ptx", p.Seed)), []byte(p.Text))
			}
		})
	}
	wait.Wait()
	for _, err := range append(failures, ctx.Err()) {
		if err != nil {
			return err
		}
	}
	var expected bytes.Buffer
	for _, line := range hashes {
		expected.WriteString(line)
	}
	for name, content := range map[string][]byte{"in.bin": Input(), "expected.txt": expected.Bytes(), "check.cc": driver} {
		if err := write(filepath.Join(folder, name), content); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, content []byte) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
