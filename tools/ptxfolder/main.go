//go:build unix

// Command ptxfolder runs keplersim over folders of other people's PTX files, and reports which files it rejects and why:
//
//	go build -o keplersim ./cmd/keplersim
//	go run ./tools/ptxfolder -binary ./keplersim FOLDER...
//
// It inspects and lowers each file, and runs the first kernels with made-up arguments. Broken promises are listed last and make the command
// fail: a panic, an exit code other than 0 and 2, more than 20 seconds of processor time, more than 1 GB of memory. A run may also end with
// code 1, if the launch fails.
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

// all processes every file.
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
