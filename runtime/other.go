//go:build !linux

package runtime

import (
	"context"
	"errors"
	"os"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/memory"
)

// errSystem explains why programs do not run on this system.
var errSystem = errors.New("whole programs run on Linux, which can share memory at given addresses; elsewhere kernels run alone " +
	"(--kernel), or in a Linux container")

func openArena(*os.File, []*configs.Config) (*arena, error) { return nil, errSystem }
func (a *arena) at(_, _ uint64) []byte                      { return nil }
func (a *arena) close()                                     {}
func (a *arena) of(int) *memory.Arena                       { return nil }

func whenHungUp(*os.File, func()) (stop func()) { return func() {} }

// Run fails on this system.
func (s *Session) Run(context.Context, Process) (code int, err error) { return 0, errSystem }
