package main

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

	"github.com/keplersim/keplersim/sim/stats"
)

// newMetricsCommand prints the glossary of metrics.
func newMetricsCommand() *cobra.Command {
	format := "text"
	command := &cobra.Command{
		Use:   "metrics [NAME...]",
		Short: "Print the glossary of metrics and events with their units",
		Long: `Print the metrics and events that reports have, with unit and meaning: nvprof's names with nvprof's definitions for
compute capability 3.x, and a few of the simulator's own. Counters are summed over all SMXs. In a NAME * stands for anything.
'keplersim run --metrics NAME,…' reports the metrics of a run.`,
		Example: "  keplersim metrics\n  keplersim metrics gld_efficiency 'stall_*'\n  keplersim metrics --format json",
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

// selectMetrics finds metrics by name, in which * stands for anything; all of them where there is no name.
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

// chooseMetrics are the names of the metrics that --metrics asks for; nil where it does not.
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

// renamed is today's name of a metric that older profilers called otherwise: flops_sp_add is flop_count_sp_add.
func renamed(name string) string {
	if rest, ok := strings.CutPrefix(name, "flops_"); ok {
		return "flop_count_" + rest
	}
	return name
}

// elsewhere says of counters that profilers have and the simulator has not, by the beginning of their names, what serves instead.
var elsewhere = []struct{ prefix, what string }{
	{"sysmem_", "kernels reach no memory of the host here"}, {"prof_trigger_", "pmevent is carried out and not counted"},
	{"fb_subp", "it counts one partition; see dram_read_transactions and dram_write_transactions"},
	{"l2_subp", "it counts one slice; see l2_read_transactions, l2_write_transactions and l2_read_hit_rate"},
	{"tex0_", "it counts one texture unit; see tex_cache_transactions and tex_cache_hit_rate"}, {"tex1_", "it counts one texture unit; see tex_cache_transactions and tex_cache_hit_rate"},
	{"rocache_", "see nc_gld_requested_throughput and nc_cache_global_hit_rate"}, {"gld_inst_", "see gld_request and gld_requested_throughput"}, {"gst_inst_", "see gst_request and gst_requested_throughput"},
	{"l1_shared_bank_conflict", "see shared_load_replay and shared_store_replay"}, {"global_cache_replay_overhead", "see global_replay_overhead"},
}

// metricsLike lists the metrics that have a word of the name in theirs.
func metricsLike(name string) string {
	for _, e := range elsewhere {
		if strings.HasPrefix(name, e.prefix) {
			return "; " + e.what
		}
	}
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
