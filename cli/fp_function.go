package cli

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/report/numerics"
	"github.com/keplersim/keplersim/sim"
)

// functionsPTX is functions.cu compiled by keplersim nvcc --ptx: a kernel for each function and format.
//
//go:embed fpfunctions/functions.ptx
var functionsPTX []byte

func newFPFunctionCommand(f *numerics.Function) *cobra.Command {
	example, note := "2.5", ""
	if f.Name == "cos" {
		example = "5992555"
		note = `
By the x87's FCOS, too, which reduces its argument with 66 bits of π. 5992555 is the example of NVIDIA's document "Precision and
Performance: Floating Point and IEEE 754 Compliance for NVIDIA GPUs", Figure 6.`
	}
	return &cobra.Command{
		Use:   f.Name + " [X]",
		Short: fmt.Sprintf("%s, %sf and __%sf of the GPU beside the correctly rounded double", f.Name, f.Name, f.Name),
		Long: fmt.Sprintf(`Set the GPU's three versions of %[1]s side by side, with their errors: %[1]s of a double, %[1]sf of a float, and the
fast __%[1]sf, which %[1]sf becomes with -use_fast_math. Without X, of %[2]s.
`, f.Name, example) + note,
		Example: fmt.Sprintf("  keplersim fp %s\n  keplersim fp %s 0.1", f.Name, f.Name),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := example
			if len(args) == 1 {
				text = args[0]
			}
			x, err := numerics.ParseValue(&fp.Double, text)
			if err != nil {
				return err
			}
			gpu, err := functionOnGPU(functionsPTX, f.Name, math.Float64frombits(x))
			if err != nil {
				return err
			}
			return f.Write(cmd.OutOrStdout(), x, gpu)
		},
	}
}

// functionOnGPU runs the kernels of a function.
func functionOnGPU(ptx []byte, name string, x float64) (results numerics.OnGPU, err error) {
	config, err := configs.Load(host.DefaultConfig, nil)
	if err != nil {
		return results, err
	}
	gpu, err := sim.New(config, sim.Options{Functional: true, Threads: 1})
	if err != nil {
		return results, err
	}
	if _, err := gpu.Load("functions.ptx", ptx); err != nil {
		return results, err
	}
	for _, kernel := range []struct {
		format   string
		argument any
		into     any
	}{{"f64", x, &results.Double}, {"f32", float32(x), &results.Single}, {"fast", float32(x), &results.Fast}} {
		place, err := gpu.Upload("y", []float64{0})
		if err != nil {
			return results, err
		}
		if _, err := gpu.Call(kernel.format+"_"+name, [3]int{1}, [3]int{1}, kernel.argument, place); err != nil {
			return results, runFailure{err}
		}
		if err := gpu.Download(place, kernel.into); err != nil {
			return results, runFailure{err}
		}
	}
	return results, nil
}
