// Package gather collects the contents of a report from a job that ran, so that the command line and the lab write equal reports.
package gather

import (
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/report"
)

// Run returns the report of a job. failure is the error that its run ended with, nil for none. The caller adds the host's figures, colours
// and the choice of metrics.
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

// Results returns the final contents of a job's buffers.
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
