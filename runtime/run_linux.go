package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/keplersim/keplersim/internal/command"
)

// patience is how long a program may take to end before it is killed: less than the simulator's own grace period.
const patience = 700 * time.Millisecond

// Run runs the program to its end and serves it. The exit code is the program's, or 128 plus the number of the signal that ended it. When
// the context ends, the program is asked to end.
func (s *Session) Run(ctx context.Context, p Process) (code int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("socket to the program: %w", err)
	}
	own, theirs := os.NewFile(uintptr(pair[0]), "program"), os.NewFile(uintptr(pair[1]), "simulator")
	defer own.Close()
	program := command.Program(ctx, p.Path, p.Arguments...)
	program.Args[0] = p.Name
	program.Stdin, program.Stdout, program.Stderr = p.Stdin, p.Stdout, p.Stderr
	program.ExtraFiles = []*os.File{theirs, s.arena.file}
	program.Env = append(os.Environ(), "KEPLERSIM_SOCKET=3", "KEPLERSIM_ARENA=4")
	if own, err := os.Executable(); err == nil && os.Getenv("KEPLERSIM") == "" {
		program.Env = append(program.Env, "KEPLERSIM="+own) // which NVRTC compiles with
	}
	program.Cancel = func() error { return program.Process.Signal(syscall.SIGTERM) }
	program.WaitDelay = patience
	if _, err := own.Write([]byte{1}); err != nil { // for the process of the program that calls CUDA first
		return 0, fmt.Errorf("socket to the program: %w", err)
	}
	err = program.Start()
	theirs.Close()
	if err != nil {
		return 0, fmt.Errorf("start the program: %w", err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, own) }()
	waited := program.Wait()
	// Children of the program may still hold the socket, but no requests can come.
	_ = unix.Shutdown(pair[0], unix.SHUT_RD)
	err = <-served
	var exit *exec.ExitError
	switch {
	case waited == nil, errors.Is(waited, exec.ErrWaitDelay):
	case errors.As(waited, &exit):
		status, ok := exit.Sys().(syscall.WaitStatus)
		if ok && status.Signaled() {
			return 128 + int(status.Signal()), err
		}
		return exit.ExitCode(), err
	default:
		return 0, fmt.Errorf("run the program: %w", waited)
	}
	return program.ProcessState.ExitCode(), err
}

// whenHungUp calls a function when the other end of a socket is closed, also if nothing reads it then. stop ends the wait, and reading.
func whenHungUp(socket *os.File, do func()) (stop func()) {
	number, ended := int(socket.Fd()), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if n, err := unix.Poll([]unix.PollFd{{Fd: int32(number), Events: unix.POLLRDHUP}}, -1); n > 0 || !errors.Is(err, unix.EINTR) {
				break
			}
		}
		do()
	}()
	return func() {
		_ = unix.Shutdown(number, unix.SHUT_RD)
		<-ended
	}
}
