package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/stats"
)

// jsonWork is how much a launch did, whatever time it took: thread instructions, bytes that threads asked of global memory, and
// floating-point operations as nvprof counts them.
type jsonWork struct {
	Instructions uint64 `json:"thread_inst_executed"`
	Loaded       uint64 `json:"bytes_loaded"`
	Stored       uint64 `json:"bytes_stored"` // with atomics and reductions
	Single       uint64 `json:"flop_count_sp"`
	Double       uint64 `json:"flop_count_dp"`
}

func workJSON(l *stats.Launch) jsonWork {
	t := &l.Total
	return jsonWork{
		Instructions: t.ThreadInstExecuted,
		Loaded:       t.GlobalLoad.Bytes + t.ReadOnlyLoad.Bytes + t.Texture.Bytes,
		Stored:       t.GlobalStore.Bytes + t.Atomics.Bytes + t.Reductions.Bytes,
		Single:       uint64(metric(l, "flop_count_sp")), Double: uint64(metric(l, "flop_count_dp")),
	}
}

// workKinds are the kinds of work that a comparison looks at.
var workKinds = []struct {
	what string
	of   func(*jsonWork) uint64
}{
	{"thread instructions", func(w *jsonWork) uint64 { return w.Instructions }},
	{"bytes loaded", func(w *jsonWork) uint64 { return w.Loaded }},
	{"bytes stored", func(w *jsonWork) uint64 { return w.Stored }},
	{"single-precision operations", func(w *jsonWork) uint64 { return w.Single }},
	{"double-precision operations", func(w *jsonWork) uint64 { return w.Double }},
}

// workOf returns the total work of launches. ok is false if a report does not have it.
func workOf(launches []*SavedLaunch) (sum jsonWork, ok bool) {
	for _, l := range launches {
		if l.Work == nil {
			return jsonWork{}, false
		}
		sum.Instructions += l.Work.Instructions
		sum.Loaded += l.Work.Loaded
		sum.Stored += l.Work.Stored
		sum.Single += l.Work.Single
		sum.Double += l.Work.Double
	}
	return sum, len(launches) > 0
}

// workDifference says how the work of launches differs from that of the first report's, "" if it does not or is unknown.
func workDifference(base, other []*SavedLaunch) string {
	a, known := workOf(base)
	b, otherKnown := workOf(other)
	if !known || !otherKnown {
		return ""
	}
	var parts []string
	for _, kind := range workKinds {
		if was, is := kind.of(&a), kind.of(&b); was != is {
			parts = append(parts, fmt.Sprintf("%s %s (%s)", count(is), kind.what, against(was, is)))
		}
	}
	return strings.Join(parts, ", ")
}

// against says how a count differs from another.
func against(was, is uint64) string {
	switch factor := ratio(float64(is), float64(was)); {
	case was == 0 || is == 0:
		return "not " + count(was)
	case factor >= 2:
		return significant(factor) + " times as many"
	case factor > 1.0005 || factor < 0.9995:
		return signed(100*(factor-1), 1, " %")
	case is > was:
		return count(is-was) + " more"
	}
	return count(was-is) + " fewer"
}

// storesNothing reports whether launches are known to have stored nothing.
func storesNothing(launches []*SavedLaunch) bool {
	sum, ok := workOf(launches)
	return ok && sum.Stored == 0
}

// failures returns what failed in the run of a report, a sentence each.
func (s *Saved) failures() []string {
	all := slices.Clone(s.rows)
	if s.Failure != "" {
		all = append(all, "the run ended early: "+firstLine(s.Failure))
	}
	for i := range s.Checks {
		if c := &s.Checks[i]; !c.Passed {
			text := c.Buffer + " is not as expected"
			if c.Compared > 0 {
				text += fmt.Sprintf(" in %s of %s elements", count(uint64(c.Differing)), count(uint64(c.Compared)))
			}
			all = append(all, text)
		}
	}
	hazards := 0
	for i := range s.Hazards {
		if s.Hazards[i].Severity != finding.Warning.String() {
			hazards++
		}
	}
	if hazards > 0 {
		all = append(all, fmt.Sprintf("--check found mistakes at %s", plural(uint64(hazards), "place")))
	}
	if len(all) == 0 && s.Passed != nil && !*s.Passed {
		all = append(all, "the run failed")
	}
	return all
}

// resultDifferences says which buffers of two runs have different final contents.
func resultDifferences(base, other *Saved) []string {
	var all []string
	if len(base.Results) == 0 || len(other.Results) == 0 {
		return nil
	}
	var differing []string
	for _, b := range base.Results {
		i := slices.IndexFunc(other.Results, func(r jsonResult) bool { return r.Buffer == b.Buffer })
		if i >= 0 && other.Results[i].SHA256 != b.SHA256 {
			differing = append(differing, b.Buffer)
		}
	}
	if len(differing) > 0 {
		all = append(all, fmt.Sprintf("%s and %s end with other contents of %s", base.Name, other.Name, strings.Join(differing, ", ")))
	}
	names := func(s *Saved) (list []string) {
		for _, r := range s.Results {
			list = append(list, r.Buffer)
		}
		slices.Sort(list)
		return list
	}
	if a, b := names(base), names(other); !slices.Equal(a, b) {
		all = append(all, fmt.Sprintf(
			"%s has the buffers %s, %s has %s", base.Name, strings.Join(a, ", "), other.Name, strings.Join(b, ", "),
		))
	}
	return all
}
