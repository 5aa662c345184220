//go:build unix

// Command ptxfolder runs keplersim over a folder of PTX files that somebody else wrote, and says what was refused and why:
//
//	go build -o keplersim ./cmd/keplersim
//	go run ./tools/ptxfolder -binary ./keplersim FOLDER...
//
// Each file is inspected and lowered, and its first kernels are run with arguments that are made up. What no file may bring about is
// listed last, and makes the command fail: a panic, an exit code other than 0 and 2 (of a run also 1, where the launch fails), more
// than 20 seconds of a processor, more than 1 GB of memory.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

func main() {
	binary := flag.String("binary", "./keplersim", "the keplersim to run")
	workers := flag.Int("workers", 2, "how many files are worked on at once")
	kernels := flag.Int("kernels", 2, "how many kernels of a file are run")
	flag.Parse()
	files, err := find(flag.Args())
	if err != nil || len(files) == 0 {
		fmt.Fprintln(os.Stderr, "ptxfolder: name folders that hold .ptx files;", err)
		os.Exit(2)
	}
	d := &driver{binary: *binary, kernels: *kernels, limits: promised}
	t := d.all(files, *workers)
	t.write(os.Stdout)
	if len(t.broken) > 0 {
		os.Exit(1)
	}
}

// find lists the PTX files in folders.
func find(folders []string) ([]string, error) {
	var files []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(path), ".ptx") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// all drives every file.
func (d *driver) all(files []string, workers int) *tally {
	t := newTally()
	work := make(chan string)
	var waiting sync.WaitGroup
	for range workers {
		waiting.Go(func() {
			for path := range work {
				t.add(path, d.file(path))
			}
		})
	}
	for _, path := range files {
		work <- path
	}
	close(work)
	waiting.Wait()
	return t
}
