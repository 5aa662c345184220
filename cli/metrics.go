package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/sim/stats"
)

// newMetricsCommand prints the glossary of metrics.
func newMetricsCommand() *cobra.Command {
	format := "text"
	command := &cobra.Command{
		Use: "metrics [NAME...]",
		RunE: func(cmd *cobra.Command, names []string) error {
			list, err := selectMetrics(names)
			if err != nil {
				return err
			}
			switch format {
			case "text":
				return writeGlossary(cmd.OutOrStdout(), list)
			case "json":
				return writeGlossaryJSON(cmd.OutOrStdout(), list)
			}
			return fmt.Errorf("--format %s: choose one of text, json", format)
		},
	}
	command.Flags().StringVar(&format, "format", format, "text or json")
	return command
}

// selectMetrics returns the metrics that names select; * in a name matches anything. Without names it returns all metrics.
func selectMetrics(names []string) ([]stats.Definition, error) {
	if len(names) == 0 {
		return stats.Metrics(), nil
	}
	var list []stats.Definition
	for _, name := range names {
		found := false
		for _, d := range stats.Metrics() {
			if matches, err := path.Match(renamed(name), d.Name); err == nil && matches || name == "all" {
				list, found = append(list, d), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no metric %q; 'keplersim metrics' lists them%s", name, metricsLike(name))
		}
	}
	return list, nil
}

// chooseMetrics returns the names of the metrics that --metrics selects, nil without --metrics.
func chooseMetrics(patterns []string, format string) ([]string, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	if format == "source" {
		return nil, errors.New("--metrics: a table of source lines has none; --format text, json and csv have")
	}
	list, err := selectMetrics(patterns)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Name
	}
	return names, nil
}

// renamings maps beginnings of metric names of other profiler versions to ours: flops_sp_add is flop_count_sp_add.
var renamings = [][2]string{
	{"flops_", "flop_count_"}, {"l2_tex_read_", "l2_texture_read_"}, {"l2_tex_hit_rate", "l2_texture_read_hit_rate"},
}

// renamed returns the current name of a metric.
func renamed(name string) string {
	for _, r := range renamings {
		if rest, ok := strings.CutPrefix(name, r[0]); ok {
			return r[1] + rest
		}
	}
	return name
}

// metricsLike lists the metrics that share a word with a name.
func metricsLike(name string) string {
	for _, a := range stats.Absent {
		if strings.HasPrefix(name, a.Prefix) {
			return "; " + a.Why
		}
	}
	var names, similar []string
	for _, d := range stats.Metrics() {
		names = append(names, d.Name)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	for _, word := range strings.Split(name, "_") {
		for _, other := range names {
			if len(word) > 2 && strings.Contains(other, word) && !slices.Contains(similar, other) {
				similar = append(similar, other)
			}
		}
	}
	if len(similar) == 0 || len(similar) > 12 {
		return ""
	}
	return "; similar are " + strings.Join(similar, ", ")
}

func writeGlossary(w io.Writer, list []stats.Definition) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tUNIT\tKIND\tMEANING")
	for _, d := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", d.Name, d.Unit, d.Kind, d.Meaning)
	}
	return t.Flush()
}

// metricJSON is a metric of the glossary.
type metricJSON struct {
	Name    string     `json:"name"`
	Unit    stats.Unit `json:"unit"`
	Kind    stats.Kind `json:"kind"`
	Meaning string     `json:"meaning"`
	Timed   bool       `json:"needs_timing"`
}

func init() {
	jsonschema.Publish[[]metricJSON]("metrics", "The metrics, as keplersim metrics --format json lists them.", 1)
}

func writeGlossaryJSON(w io.Writer, list []stats.Definition) error {
	entries := make([]metricJSON, len(list))
	for i, d := range list {
		entries[i] = metricJSON{d.Name, d.Unit, d.Kind, d.Meaning, d.Timed}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(entries)
}
