package programs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/keplersim/keplersim/configs"
)

//go:embed registers/*.yaml
var registerFiles embed.FS

// buildLog is a published log of a compilation: the resources that NVIDIA's compiler gave a program's kernels. Its kernels are never run.
type buildLog struct {
	Program      string            `yaml:"program"`
	Repository   string            `yaml:"repository"` // OWNER/NAME on GitHub
	Commit       string            `yaml:"commit"`
	Source       string            `yaml:"source"` // where the log is published
	Method       string            `yaml:"method"` // who printed the registers, and nvcc's version and flags if known
	Files        map[string]string `yaml:"files"`  // source files, with their SHA-256
	Include      []string          `yaml:"include"`
	Defines      []string          `yaml:"defines"`
	FastMath     bool              `yaml:"fast_math"`
	MaxRegisters int               `yaml:"maxrregcount"`
	Kernels      []loggedKernel    `yaml:"kernels"`
}

// loggedKernel is an entry of a log: a kernel as compiled for one chip.
type loggedKernel struct {
	Name        string   `yaml:"name"`
	File        string   `yaml:"file"`
	Entry       string   `yaml:"entry"`  // the kernel's name, in C++ or mangled
	Config      string   `yaml:"config"` // a chip of the target architecture
	Registers   float64  `yaml:"registers"`
	Frame       *float64 `yaml:"frame"`        // bytes of stack frame or local memory a thread, with spilled registers
	SpillStores *float64 `yaml:"spill_stores"` // bytes
	SpillLoads  *float64 `yaml:"spill_loads"`  // bytes
	Shared      *float64 `yaml:"shared"`       // bytes of static shared memory a block
	Constants   []int    `yaml:"cmem"`         // bytes in banks 0 and 2
}

// RegisterRows returns the kernels of all build logs as rows to compile and never run, by file and place.
func RegisterRows() ([]*Row, error) { return rowsIn(registerFiles, "registers", ParseBuildLog) }

// ParseBuildLog reads one file of the folder registers; name is for errors.
func ParseBuildLog(name string, data []byte) ([]*Row, error) {
	var log buildLog
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&log); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &Program{
		File: name, Name: log.Program, Repository: log.Repository, Commit: log.Commit,
		Source: log.Source, Method: log.Method, Files: log.Files,
	}
	var rows []*Row
	for i := range log.Kernels {
		k := &log.Kernels[i]
		if err := log.check(k); err != nil {
			return nil, fmt.Errorf("%s: kernel %s: %w", name, k.Name, err)
		}
		r := log.row(p, k)
		if slices.ContainsFunc(rows, func(other *Row) bool { return other.Name == r.Name }) {
			return nil, fmt.Errorf("%s: two kernels are called %s", name, r.Name)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// check returns an error for an incomplete entry.
func (log *buildLog) check(k *loggedKernel) error {
	switch {
	case k.Name == "" || k.Entry == "" || k.Registers <= 0:
		return fmt.Errorf("a kernel has a name, an entry and registers")
	case len(log.Files[k.File]) != 2*sha256.Size:
		return fmt.Errorf("file %q has no SHA-256 under files", k.File)
	case k.Frame == nil && k.SpillStores != nil:
		return fmt.Errorf("spilled registers are in the frame: frame is missing")
	}
	_, err := configs.Load(k.Config, nil)
	return err
}

// row makes an entry's row.
func (log *buildLog) row(p *Program, k *loggedKernel) *Row {
	return &Row{
		Name: p.Name + "/" + k.Name + "@" + k.Config, Program: p, Config: k.Config, Defines: log.Defines,
		Kernel:   &Kernel{Name: k.Name, Files: []string{k.File}, Entry: k.Entry, Include: log.Include},
		FastMath: log.FastMath, MaxRegisters: log.MaxRegisters, Repeat: 1, Part: 1,
		Measured: Measured{Registers: k.Registers, Local: k.Frame, Shared: k.Shared},
	}
}
