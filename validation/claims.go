package validation

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/yamllimits"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/stats"
)

//go:embed claims
var claimFiles embed.FS

// Claim is a statement of NVIDIA's tuning guide with the runs that show it: a part of claims/claims.yaml, which says what the keys are.
type Claim struct {
	Name, Section, Says, Figure string
	All                         ClaimRun
	Runs                        []ClaimRun
	Shows                       string
	Holds                       string
	condition                   *vm.Program // of Holds
}

// ClaimRun is one launch of a claim.
type ClaimRun struct {
	Label       string
	Config      string
	Set         []string
	File        string // of validation/claims
	Kernel      string
	Blocks      int                 // of the grid
	Threads     int                 // of a block
	Arguments   []string            // numbers, and u32[COUNT] for buffers of zeros
	BankMode    memorymode.BankMode `yaml:"bank_mode"`
	CacheConfig string              `yaml:"cache_config"` // the split of shared memory and L1; "" is the chip's default
	CacheLoads  bool                `yaml:"cache_loads"`  // global loads go through L1 if the chip allows it
}

// Claims returns the claims in the order of their file. A mistake in it is a bug of ours.
func Claims() []Claim {
	text, err := claimFiles.ReadFile("claims/claims.yaml")
	var claims []Claim
	if err = cmp.Or(err, yamllimits.Unmarshal(text, &claims)); err != nil {
		panic(err)
	}
	for i := range claims {
		c := &claims[i]
		if c.condition, err = expr.Compile(c.Holds, expr.Env(conditionOn(nil)), expr.AsBool()); err != nil {
			panic(err)
		}
		for j := range c.Runs {
			c.Runs[j].complete(&c.All)
		}
	}
	return claims
}

// complete sets what the run leaves out as all runs of its claim have it.
func (r *ClaimRun) complete(all *ClaimRun) {
	r.Config, r.File, r.Kernel = cmp.Or(r.Config, all.Config), cmp.Or(r.File, all.File), cmp.Or(r.Kernel, all.Kernel)
	r.Blocks, r.Threads = cmp.Or(r.Blocks, all.Blocks), cmp.Or(r.Threads, all.Threads)
	if r.Set == nil {
		r.Set = all.Set
	}
	if r.Arguments == nil {
		r.Arguments = all.Arguments
	}
}

// conditionOn returns the variables of a claim's condition.
func conditionOn(figures []float64) map[string]any { return map[string]any{"f": figures} }

// holds reports whether the figures fulfil the claim's condition.
func (c *Claim) holds(figures []float64) (bool, error) {
	result, err := expr.Run(c.condition, conditionOn(figures))
	if err != nil {
		return false, fmt.Errorf("claim %s: %w", c.Name, err)
	}
	return result.(bool), nil
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
		words = append(words, "--arg", a)
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
		count, buffer := strings.CutPrefix(a, "u32[")
		n, err := strconv.ParseUint(strings.TrimSuffix(count, "]"), 10, 32)
		if err != nil {
			return 0, fmt.Errorf("the claim's argument %q: %w", a, err)
		}
		if !buffer {
			words = append(words, uint32(n))
			continue
		}
		address, err := b.gpu.Allocate(fmt.Sprintf("argument %d", i), 4*n)
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
		var err error
		if result.Holds, err = c.holds(result.Figures); err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}
