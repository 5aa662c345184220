//go:build unix

package command

import (
	"os/exec"
	"syscall"
	"time"
)

// setProcessGroup puts a tool and its children into a process group of their own, which is killed when the context ends.
func setProcessGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second / 2 // in case other processes still hold its pipes
}
