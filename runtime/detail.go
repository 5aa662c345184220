package runtime

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/sim/stats"
)

// Detail selects the launches of a program to simulate with timing. The others run without timing. Their time is estimated from the
// kernel's timed launches, by microseconds a warp instruction.
type Detail struct {
	// First launches of each kernel are timed, and then each Every-th; both 0 for all.
	First, Every int
	// Kernels are the names, in C++ or PTX, of the only kernels to time; * matches anything; nil for all.
	Kernels []string
	// Budget is the number of warp instructions to time in all; then only each kernel's first launch is timed. 0 for no limit.
	Budget uint64
	// None means that no launch is timed.
	None bool

	launches map[string]int
	spent    uint64
	known    map[string]*rate
	Timed    int // launches so far
	Others   int
	// Estimated counts launches for which sim.Options.Estimate skipped a part. half sums half the widths of their intervals, in µs.
	Estimated int
	half      float64
}

// rate sums the time and instructions of a kernel's timed launches.
type rate struct {
	us           float64
	instructions uint64
}

// defaultBudget is the budget of --detail auto: some minutes on two processors.
const defaultBudget = 100_000_000

// ParseDetail reads --time (all, none, first:3, every:100 and kernel=NAME, separated by commas) and --detail (auto or all).
func ParseDetail(time []string, detail string) (*Detail, error) {
	d := &Detail{}
	switch detail {
	case "", "auto":
		d.Budget = defaultBudget
	case "all", "full":
	case "none":
		d.None = true
	default:
		return nil, fmt.Errorf("--detail %s: choose auto, all or none", detail)
	}
	for _, word := range time {
		if name, ok := strings.CutPrefix(word, "kernel="); ok && name != "" {
			d.Kernels = append(d.Kernels, name)
			continue
		}
		what, number, _ := strings.Cut(word, ":")
		n, err := strconv.Atoi(number)
		switch {
		case word == "all":
		case word == "none":
			d.None = true
		case what == "first" && err == nil && n >= 0:
			d.First = n
		case what == "every" && err == nil && n > 0:
			d.Every = n
		default:
			return nil, fmt.Errorf("--time %s: say first:N, every:N, kernel=NAME, all or none, with commas between them, "+
				"as in first:3,every:100", word)
		}
	}
	return d, nil
}

// wants tells whether to time the next launch of a kernel.
func (d *Detail) wants(kernel string) bool {
	if d.launches == nil {
		d.launches, d.known = map[string]int{}, map[string]*rate{}
	}
	number := d.launches[kernel]
	d.launches[kernel]++
	switch {
	case d.None, len(d.Kernels) > 0 && !d.Names(kernel):
		return false
	case d.First > 0 && number < d.First, d.Every > 0 && number%d.Every == 0:
		return true
	case d.First > 0 || d.Every > 0:
		return false
	}
	return d.Budget == 0 || d.spent < d.Budget || d.known[kernel] == nil
}

// Names tells whether a kernel is among Kernels.
func (d *Detail) Names(kernel string) bool {
	for _, pattern := range d.Kernels {
		if code.Means(pattern, kernel) {
			return true
		}
		for _, spelling := range code.Spellings(kernel) {
			if ok, err := path.Match(pattern, spelling); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// learn adds a timed launch to its kernel's rate.
func (d *Detail) learn(l *stats.Launch) {
	if l.Functional || l.Interrupted || d.known == nil {
		return
	}
	r := d.known[l.Kernel]
	if r == nil {
		r = &rate{}
		d.known[l.Kernel] = r
	}
	d.spent += l.Total.InstExecuted
	r.us += l.TimeUS
	r.instructions += l.Total.InstExecuted
}

// estimate is the estimated time of an untimed launch, in µs; 0 if no launch of its kernel was timed.
func (d *Detail) estimate(l *stats.Launch) float64 {
	r := d.known[l.Kernel]
	if r == nil || r.instructions == 0 {
		return 0
	}
	return r.us / float64(r.instructions) * float64(l.Total.InstExecuted)
}

// note records the uncertainty of a launch's time.
func (d *Detail) note(l *stats.Launch) {
	if e := l.Estimate; e != nil {
		d.Estimated++
		d.half += e.Half / float64(l.Chip.CoreMHz)
	}
}

// String describes the timed part in a report.
func (d *Detail) String() string {
	if d.Estimated > 0 {
		return fmt.Sprintf("%d of %d launches are estimated from blocks or launches that were timed (--sample, --budget): ± %.3g µs in "+
			"all, in 95 of 100 cases", d.Estimated, d.Timed+d.Others, d.half)
	}
	if d.Others == 0 {
		return ""
	}
	if d.Timed == 0 {
		return fmt.Sprintf("none of %d launches was timed", d.Others)
	}
	return fmt.Sprintf("%d of %d launches were timed; the times of the others are estimated from them, by warp instructions",
		d.Timed, d.Timed+d.Others)
}
