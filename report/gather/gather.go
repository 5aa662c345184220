// Package gather makes a report's content of a job that ran: the command line and the lab write reports of the same content.
package gather

import (
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/report"
)

// Run returns what the report tells of a job, its result, and the error that its run ended with, nil for none. What the host took,
// colours and the choice of metrics are left to the caller.
func Run(job *host.Job, result *host.Result, failure error) *report.Run {
	r := &report.Run{
		Workload: job.Workload.Name, Config: job.Config.Name, ConfigHash: job.Config.Hash(), Program: version.This().Short(),
		Overrides: job.Config.Overrides(), Notes: job.Notes,
		Launches: result.Launches, More: result.More, Power: result.Power, Mistakes: result.Mistakes,
		Timeline: &report.Timeline{Intervals: result.Timeline, More: result.Later, HostUS: result.HostUS, DeviceUS: result.DeviceUS},
	}
	r.Incomplete = result.Incomplete
	if failure != nil {
		r.Failure = failure.Error()
	}
	for _, name := range result.Checked {
		c := report.Check{Buffer: name}
		for _, m := range result.Mismatches {
			if m.Buffer == name {
				c.Mismatch = m
			}
		}
		r.Checks = append(r.Checks, c)
	}
	return r
}

// Results returns what the buffers of a job that ran hold in the end.
func Results(job *host.Job) ([]report.Result, error) {
	hashes, err := job.Contents()
	if err != nil {
		return nil, err
	}
	all := make([]report.Result, len(hashes))
	for i := range hashes {
		b := &job.Workload.Buffers[i]
		all[i] = report.Result{Buffer: b.Name, Bytes: b.Bytes(), SHA256: hashes[i]}
	}
	return all, nil
}
