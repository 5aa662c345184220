// Command build compiles the CUDA C of the lab's lessons to PTX next to them (make lab-lessons). It needs clang.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/lessons"
)

func main() {
	if err := build("lab/lessons/text"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// build compiles the CUDA C of lessons, and deletes outputs that no lesson uses.
func build(folder string) error {
	all, err := lessons.ReadAll(os.DirFS(folder))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, "compiled"), 0o755); err != nil {
		return fmt.Errorf("the folder of what is compiled: %w", err)
	}
	wanted := map[string]bool{}
	for _, l := range all {
		for _, c := range l.Codes() {
			name := lessons.CompiledName(c)
			wanted[filepath.Base(name)] = true
			ptx, err := engine.Compile(context.Background(), c.Text)
			if err != nil {
				return fmt.Errorf("lesson %s: %w", l.Slug, err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(ptx), 0o644); err != nil {
				return fmt.Errorf("write what is compiled: %w", err)
			}
		}
	}
	there, err := filepath.Glob(filepath.Join(folder, "compiled", "*.ptx"))
	if err != nil {
		return fmt.Errorf("list what is compiled: %w", err)
	}
	for _, name := range there {
		if !wanted[filepath.Base(name)] {
			if err := os.Remove(name); err != nil {
				return fmt.Errorf("remove what no lesson has: %w", err)
			}
		}
	}
	return nil
}
