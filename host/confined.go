package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/yamllimits"
	"github.com/keplersim/keplersim/workload"
)

// confine rejects names outside the folder of an untrusted file, before anything looks for them. Configurations must be built-in: one in
// the folder could extend any other file.
func (j *Job) confine(path string) error {
	o := &j.options
	if !o.Confined {
		return nil
	}
	o.Code.Compile.Confined, j.quotes.own = true, true
	configurations := []string{o.Config}
	described, ok := path, slices.Contains(workload.Extensions, strings.ToLower(filepath.Ext(path)))
	if !ok {
		described, ok = workload.Beside(path)
	}
	if ok {
		text, err := files.Read(described, yamllimits.MostBytes)
		if err != nil {
			return fmt.Errorf("workload file: %w", err)
		}
		w, err := workload.Parse(described, text)
		if err != nil {
			return err
		}
		for _, name := range w.Names() {
			if filepath.IsAbs(name) || name != filepath.Base(name) || !filepath.IsLocal(name) {
				return fmt.Errorf("%s: %q is not a file of this run: name one that came with it", described, name)
			}
		}
		configurations = append(configurations, w.Config)
	}
	for _, name := range configurations {
		if name != "" && !configs.Embedded(name) {
			return fmt.Errorf("%q is not a configuration that comes with the simulator: here it is one of %s", name,
				strings.Join(configs.EmbeddedNames(), ", "))
		}
	}
	return nil
}
