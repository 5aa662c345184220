//go:build !linux

package runtime

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/memory"
)

// errSystem is why no program runs here.
var errSystem = errors.New("whole programs run on Linux, which can share memory at given addresses; elsewhere kernels run alone " +
	"(--kernel), or in a Linux container")

// deviceStride is the addresses that each device has.
const (
	deviceStride = uint64(0x4_0000_0000)
	pageBytes    = 4096
)

type arena struct {
	file  *os.File
	base  uint64
	bytes []byte
}

func openArena(*os.File, []*configs.Config) (*arena, error) { return nil, errSystem }
func (a *arena) at(_, _ uint64) []byte                      { return nil }
func (a *arena) close()                                     {}
func (a *arena) of(int) *memory.Arena                       { return nil }

// Process is a program to run, with what it reads and writes.
type Process struct {
	Path, Name string
	Arguments  []string
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
}

// Run refuses.
func (s *Session) Run(context.Context, Process) (code int, err error) { return 0, errSystem }
