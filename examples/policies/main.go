// Command policies is keplersim with its own policies, each in one file of this module:
//
//	go run . run --set smx.scheduler=youngest --set l2.policy=mru ../../workloads/vectoradd/vectoradd.yaml
package main

import "github.com/keplersim/keplersim/cli"

func main() { cli.Main() }
