package host

import (
	"bytes"
	"context"
	"fmt"

	"github.com/keplersim/keplersim/sim/check/finding"
)

// Orders runs the job again in n other legal orders of warps and blocks, with seeds from 1. It returns findings of the checks that the
// result lacks, and one for each buffer whose final contents differ. open opens the job with an order's seed. An order that fails is also a
// finding.
func (j *Job) Orders(ctx context.Context, n int, r *Result, open func(seed uint64) (*Job, error)) (more []*finding.Finding, err error) {
	known := map[string]bool{}
	for _, f := range r.Mistakes {
		known[f.Key()] = true
	}
	usual := make([][]byte, len(j.Workload.Buffers))
	for i := range usual {
		if usual[i], err = j.Buffer(j.Workload.Buffers[i].Name); err != nil {
			return nil, err
		}
	}
	told := map[string]bool{}
	for seed := uint64(1); seed <= uint64(n); seed++ {
		other, err := open(seed)
		if err != nil {
			return more, err
		}
		result, failure := other.Run(ctx)
		if ctx.Err() != nil {
			return more, ctx.Err()
		}
		for _, f := range result.Mistakes {
			if !known[f.Key()] {
				known[f.Key()] = true
				f.Detail = joined(f.Detail, fmt.Sprintf("seen in order %d of warps and blocks", seed))
				more = append(more, f)
			}
		}
		if failure != nil {
			if !told[""] {
				told[""] = true
				more = append(more, &finding.Finding{Rule: finding.OrderDependent, Count: 1,
					Detail: fmt.Sprintf("in order %d it ends with: %v", seed, failure)})
			}
			continue
		}
		for i := range usual {
			b := &j.Workload.Buffers[i]
			now, err := other.Buffer(b.Name)
			if err != nil {
				return more, err
			}
			if told[b.Name] || bytes.Equal(now, usual[i]) {
				continue
			}
			told[b.Name] = true
			more = append(more, differing(b.Name, b.Type.Size(), usual[i], now, b.Type.Text, seed))
		}
	}
	return more, nil
}

// differing is the finding for a buffer with two outcomes.
func differing(name string, size int, usual, now []byte, text func([]byte) string, seed uint64) *finding.Finding {
	first, count := -1, 0
	for at := 0; at < len(usual); at += size {
		if !bytes.Equal(usual[at:at+size], now[at:at+size]) {
			if count++; first < 0 {
				first = at
			}
		}
	}
	return &finding.Finding{Rule: finding.OrderDependent, Name: name, Count: 1, Detail: fmt.Sprintf(
		"%s[%d] is %s in the usual order and %s in order %d; %d elements differ", name, first/size, text(usual[first:first+size]),
		text(now[first:first+size]), seed, count)}
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
