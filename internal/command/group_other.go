//go:build !unix

package command

import "os/exec"

func setProcessGroup(*exec.Cmd) {}
