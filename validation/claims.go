package validation

import (
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/stats"
)

//go:embed claims/*.ptx
var claimFiles embed.FS

// Claim is a statement of NVIDIA's "Tuning CUDA Applications for Kepler" (DA-06288-001, version 7.0) with the runs that show it.
type Claim struct {
	Name    string
	Section string // of the guide
	Says    string // the guide's statement, in short
	Figure  string // the figure of each run: cycles, or a metric's name
	Runs    []ClaimRun
	// Shows is the condition on the figures under which the claim holds.
	Shows string
	holds func(figures []float64) bool
}

// ClaimRun is one launch of a claim.
type ClaimRun struct {
	Label       string
	Config      string
	Set         []string
	File        string // of validation/claims
	Kernel      string
	Blocks      int // of the grid
	Threads     int // of a block
	Arguments   []ClaimArgument
	BankMode    memorymode.BankMode
	CacheConfig string // the split of shared memory and L1; "" is the chip's default
	CacheLoads  bool   // global loads go through L1 if the chip allows it
}

// ClaimArgument is a buffer of zero words of 4 bytes or, if Words is 0, a number.
type ClaimArgument struct {
	Words  int
	Number uint32
}

// ClaimResult is the outcome of a claim.
type ClaimResult struct {
	Claim   *Claim
	Figures []float64 // one for each run, in order
	Holds   bool
}

// Command is the command line that repeats a run.
func (r *ClaimRun) Command() string {
	words := []string{"keplersim run validation/claims/" + r.File, "--kernel", r.Kernel, "--config", r.Config}
	for _, s := range r.Set {
		words = append(words, "--set", s)
	}
	words = append(words, "--grid", strconv.Itoa(r.Blocks), "--block", strconv.Itoa(r.Threads))
	if r.BankMode != 0 {
		words = append(words, "--bank-mode", strconv.Itoa(int(r.BankMode)))
	}
	if r.CacheConfig != "" {
		words = append(words, "--cache-config", r.CacheConfig)
	}
	if r.CacheLoads {
		words = append(words, "--dlcm", "ca")
	}
	for _, a := range r.Arguments {
		text := strconv.FormatUint(uint64(a.Number), 10)
		if a.Words > 0 {
			text = fmt.Sprintf("u32[%d]", a.Words)
		}
		words = append(words, "--arg", text)
	}
	return strings.Join(words, " ")
}

// measure runs the launch on its own board and returns the figure. overrides change the board further.
func (r *ClaimRun) measure(ctx context.Context, figure string, overrides ...string) (float64, error) {
	config, err := configs.Load(r.Config, append(append([]string(nil), r.Set...), overrides...))
	if err != nil {
		return 0, err
	}
	loads := memorymode.LoadsDefault
	if r.CacheLoads {
		loads = memorymode.LoadsThroughL1
	}
	b, err := newBench(config, sim.Options{BankMode: r.BankMode, CacheConfig: r.CacheConfig, GlobalLoads: loads})
	if err != nil {
		return 0, err
	}
	text, err := claimFiles.ReadFile("claims/" + r.File)
	if err != nil {
		return 0, fmt.Errorf("the claim's PTX: %w", err)
	}
	module, err := b.gpu.Load(r.File, text)
	if err != nil {
		return 0, err
	}
	var addresses []uint64
	var words []uint32
	for i, a := range r.Arguments {
		if a.Words == 0 {
			words = append(words, a.Number)
			continue
		}
		address, err := b.gpu.Allocate(fmt.Sprintf("argument %d", i), uint64(4*a.Words))
		if err != nil {
			return 0, err
		}
		addresses = append(addresses, address)
	}
	l, err := b.launch(ctx, module, r.Kernel, [3]int{r.Blocks}, [3]int{r.Threads}, addresses, words...)
	if err != nil {
		return 0, err
	}
	if figure == "cycles" {
		return float64(l.Cycles), nil
	}
	d, ok := stats.Find(figure)
	if !ok {
		return 0, fmt.Errorf("there is no metric %q", figure)
	}
	return d.Value(l), nil
}

// RunClaims runs all claims, one after another.
func RunClaims(ctx context.Context, o Options) ([]ClaimResult, error) {
	var results []ClaimResult
	claims := Claims()
	for i := range claims {
		c := &claims[i]
		if o.Progress != nil {
			o.Progress(Progress{Done: i, Total: len(claims), Row: c.Name})
		}
		result := ClaimResult{Claim: c}
		for j := range c.Runs {
			v, err := c.Runs[j].measure(ctx, c.Figure)
			if err != nil {
				return results, fmt.Errorf("claim %s, %s: %w", c.Name, c.Runs[j].Label, err)
			}
			result.Figures = append(result.Figures, v)
		}
		result.Holds = c.holds(result.Figures)
		results = append(results, result)
	}
	return results, nil
}
