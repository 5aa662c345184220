//go:build unix

package command

import (
	"os/exec"
	"syscall"
	"time"
)

// apart has a tool and what it starts be a group of processes of their own, which ends with the context.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second / 2 // for pipes that others still hold
}
