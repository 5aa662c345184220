package report

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// nested writes the tree of launches from a launch's kernels: by depth, parent and kernel.
func (p *printer) nested(l *stats.Launch) {
	n := l.Nested
	if n == nil || len(n.Kernels)+len(n.Errors) == 0 {
		return
	}
	if len(n.Kernels) > 0 {
		rows := [][]string{{"kernel and who launched it", "launches", "blocks", "threads", "instructions", "to the start", "start to end"}}
		rows = append(rows, hostsKernel(l))
		for i := range n.Kernels {
			k := &n.Kernels[i]
			wait, took := "", ""
			if !l.Functional {
				each := float64(k.Launches)
				wait, took = microseconds(k.WaitUS/each), microseconds(k.TimeUS/each)
			}
			name := strings.Repeat("  ", k.Depth) + cut(k.Kernel) + " by " + cut(k.Parent)
			rows = append(rows, []string{
				name, count(k.Launches), count(k.Blocks), count(k.Threads), count(k.Instructions), wait, took,
			})
		}
		p.table(rows)
		p.line("")
	}
	if share := l.LaunchShare(); share > 0 {
		p.wrapped("  launches: ", fmt.Sprintf("%s in calls of the device's runtime, waits for children not among them, which is %s of "+
			"the time that warps were resident; %s", plural(n.CallCycles, "cycle"), percent(share), plural(n.Waits, "wait")))
		p.line("")
	}
	for i := range n.Errors {
		e := &n.Errors[i]
		p.wrapped("  failed: ", fmt.Sprintf("%s, error %d (%s), %s; first block and thread: %s",
			e.Call, e.Number, e.Name, plural(e.Count, "time"), e.First))
	}
	if len(n.Errors) > 0 {
		p.line("")
	}
}

// withChildren returns a note if a launch's figures include other grids than its own.
func withChildren(l *stats.Launch) string {
	if l.Nested == nil || l.Nested.Launches == 0 {
		return ""
	}
	return ", those of " + counted(count(l.Nested.Launches), "launch") + " from kernels included"
}

// hostsKernel returns the row of the launch's own grid: the launch's figures minus those of launches from its kernels.
func hostsKernel(l *stats.Launch) []string {
	executed, took := l.Total.InstExecuted, ""
	for i := range l.Nested.Kernels {
		executed -= l.Nested.Kernels[i].Instructions
	}
	if !l.Functional {
		took = microseconds(l.TimeUS)
	}
	blocks := l.BlocksTotal()
	threads := count(blocks * uint64(l.ThreadsPerBlock()))
	return []string{cut(l.DisplayName()) + " by the host", "1", count(blocks), threads, count(executed), "", took}
}

// jsonNested has the launches from a launch's kernels. Times are in microseconds, means over the launches.
type jsonNested struct {
	Launches   uint64             `json:"launches"`
	Waits      uint64             `json:"waits"`
	CallCycles uint64             `json:"call_cycles"`
	Kernels    []jsonNestedKernel `json:"kernels"`
	Errors     []jsonNestedError  `json:"errors,omitempty"`
}

type jsonNestedKernel struct {
	Kernel       string  `json:"kernel"`
	Parent       string  `json:"parent"`
	Depth        int     `json:"depth"`
	Launches     uint64  `json:"launches"`
	Blocks       uint64  `json:"blocks"`
	Threads      uint64  `json:"threads"`
	Instructions uint64  `json:"warp_instructions"`
	Wait         float64 `json:"launch_to_start_us"`
	Took         float64 `json:"start_to_end_us"`
}

type jsonNestedError struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Call   string `json:"call"`
	First  string `json:"first"`
	Count  uint64 `json:"count"`
}

func nestedJSON(l *stats.Launch) *jsonNested {
	n := l.Nested
	if n == nil {
		return nil
	}
	out := &jsonNested{Launches: n.Launches, Waits: n.Waits, CallCycles: n.CallCycles, Kernels: []jsonNestedKernel{}}
	for i := range n.Kernels {
		k := &n.Kernels[i]
		out.Kernels = append(out.Kernels, jsonNestedKernel{
			k.Kernel, k.Parent, k.Depth, k.Launches, k.Blocks, k.Threads, k.Instructions,
			k.WaitUS / float64(k.Launches), k.TimeUS / float64(k.Launches),
		})
	}
	for _, e := range n.Errors {
		out.Errors = append(out.Errors, jsonNestedError(e))
	}
	return out
}
