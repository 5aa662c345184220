package report

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// reuse writes a histogram of reuse distances: for each power of two, the share of requests to L2 whose line was last requested fewer than
// that many other lines ago. An LRU cache of that size would hit them.
func (p *printer) reuse(r *stats.Reuse) {
	total := r.Total()
	if total == 0 {
		return
	}
	rows := [][]string{{"reuse at L2", "requests", "a cache of so much would hit"}}
	for bucket, n := range r.Counts {
		if n == 0 {
			continue
		}
		lines := "the line before"
		if bucket > 0 {
			lines = fmt.Sprintf("within %s", scaled(float64(uint64(configs.LineBytes)<<bucket), 1024, "B", "KB", "MB", "GB"))
		}
		rows = append(rows, []string{lines, count(n), percent(float64(r.Below(bucket)) / float64(total))})
	}
	rows = append(rows, []string{"first use", count(r.First), ""})
	p.table(rows)
	p.line("")
}

// reuseJSON returns the histogram as JSON; nil if not asked for.
func reuseJSON(r *stats.Reuse) *jsonReuse {
	if r == nil {
		return nil
	}
	out := &jsonReuse{Buckets: []jsonReuseBucket{}, First: r.First}
	for bucket, n := range r.Counts {
		if n != 0 {
			out.Buckets = append(out.Buckets, jsonReuseBucket{Below: 1 << bucket, Requests: n})
		}
	}
	return out
}
