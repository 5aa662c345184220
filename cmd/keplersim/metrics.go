package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/sim/stats"
)

// newMetricsCommand prints the glossary of metrics.
func newMetricsCommand() *cobra.Command {
	format := "text"
	command := &cobra.Command{
		Use:   "metrics [NAME...]",
		Short: "Print the glossary of metrics and events with their units",
		Long: `Print the metrics and events that reports have, with unit and meaning: nvprof's names with nvprof's definitions for
compute capability 3.x, and a few of the simulator's own. Counters are summed over all SMXs.`,
		Example: "  keplersim metrics\n  keplersim metrics gld_efficiency stall_sync\n  keplersim metrics --format json",
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
			return fmt.Errorf("--format %s is none of text, json", format)
		},
	}
	command.Flags().StringVar(&format, "format", format, "text or json")
	return command
}

// selectMetrics finds metrics by name; all of them where there is no name.
func selectMetrics(names []string) ([]stats.Definition, error) {
	if len(names) == 0 {
		return stats.Metrics(), nil
	}
	var list []stats.Definition
	for _, name := range names {
		d, ok := stats.Find(name)
		if !ok {
			return nil, fmt.Errorf("there is no metric %q; 'keplersim metrics' lists them%s", name, metricsLike(name))
		}
		list = append(list, d)
	}
	return list, nil
}

// metricsLike lists the metrics that have a word of the name in theirs.
func metricsLike(name string) string {
	var like []string
	for _, word := range strings.Split(name, "_") {
		for _, d := range stats.Metrics() {
			if len(word) > 2 && strings.Contains(d.Name, word) && !slices.Contains(like, d.Name) {
				like = append(like, d.Name)
			}
		}
	}
	if len(like) == 0 || len(like) > 12 {
		return ""
	}
	return "; similar are " + strings.Join(like, ", ")
}

func writeGlossary(w io.Writer, list []stats.Definition) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tUNIT\tKIND\tMEANING")
	for _, d := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", d.Name, d.Unit, d.Kind, d.Meaning)
	}
	return t.Flush()
}

func writeGlossaryJSON(w io.Writer, list []stats.Definition) error {
	type entry struct {
		Name    string     `json:"name"`
		Unit    stats.Unit `json:"unit"`
		Kind    stats.Kind `json:"kind"`
		Meaning string     `json:"meaning"`
		Timed   bool       `json:"needs_timing"`
	}
	entries := make([]entry, len(list))
	for i, d := range list {
		entries[i] = entry{d.Name, d.Unit, d.Kind, d.Meaning, d.Timed}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(entries)
}
