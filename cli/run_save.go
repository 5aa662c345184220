package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/workload"
)

// saveWorkload writes a made-up workload to the file of --save-workload.
func (o *runOptions) saveWorkload(job *host.Job) error {
	switch {
	case o.save == "":
		return nil
	case job.Workload.Path != "":
		return fmt.Errorf("--save-workload: the launch comes from the workload file %s, which can be copied", job.Workload.Path)
	case slices.ContainsFunc(append([]string{job.Workload.Module}, o.link...), func(file string) bool {
		return strings.HasPrefix(file, pipedName)
	}):
		return errors.New(
			"--save-workload: the workload file would have to name the file that is piped to standard input; write it to a file first",
		)
	case !slices.Contains(workload.Extensions, strings.ToLower(filepath.Ext(o.save))):
		return fmt.Errorf("--save-workload %s: a workload file's name ends in %s", o.save, strings.Join(workload.Extensions, ", "))
	}
	w := *job.Workload
	w.Module, w.Config, w.Link, w.Buffers = o.fromSaved(w.Module), o.config, nil, slices.Clone(w.Buffers)
	if strings.Contains(w.Config, ",") {
		w.Config = "" // a workload file names one configuration
	}
	if _, err := os.Stat(o.config); o.config != "" && err == nil {
		w.Config = o.fromSaved(o.config)
	}
	for _, file := range o.link {
		w.Link = append(w.Link, o.fromSaved(file))
	}
	for i := range w.Buffers {
		if init := &w.Buffers[i].Init; init.File != "" {
			init.File = o.fromSaved(init.File)
		}
	}
	if err := files.Write(o.save, func(out io.Writer) error { _, err := io.WriteString(out, w.YAML()); return err }); err != nil {
		return fmt.Errorf("--save-workload: %w", err)
	}
	return nil
}

// fromSaved returns a path relative to the saved workload file's folder.
func (o *runOptions) fromSaved(path string) string {
	here, errHere := filepath.Abs(filepath.Dir(o.save))
	file, errFile := filepath.Abs(path)
	if relative, err := filepath.Rel(here, file); errHere == nil && errFile == nil && err == nil {
		return relative
	}
	return path
}
