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
			return fmt.Errorf("--format %s: choose one of text, json", format)
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

// chooseMetrics returns the names of the metrics that --metrics asks for; nil where it does not.
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

// renamings are beginnings of names that profilers of other years had for a metric: flops_sp_add is flop_count_sp_add.
var renamings = [][2]string{
	{"flops_", "flop_count_"}, {"l2_tex_read_", "l2_texture_read_"}, {"l2_tex_hit_rate", "l2_texture_read_hit_rate"},
}

// renamed is today's name of a metric.
func renamed(name string) string {
	for _, r := range renamings {
		if rest, ok := strings.CutPrefix(name, r[0]); ok {
			return r[1] + rest
		}
	}
	return name
}

// laterUnits says what serves in place of metrics of single arithmetic units, which came with compute capability 5.0.
const laterUnits = "later chips have it; here alu_fu_utilization is that of the busiest arithmetic unit, and --format json has all units"

// elsewhere says of counters that profilers have and the simulator has not, by the beginning of their names, what serves instead.
var elsewhere = []struct{ prefix, what string }{
	{"prof_trigger_", "pmevent is carried out and not counted"},
	{"fb_subp", "it counts one partition; see dram_read_transactions and dram_write_transactions"},
	{"l2_subp", "it counts one slice; see l2_read_transactions, l2_write_transactions and l2_read_hit_rate"},
	{"tex0_", "it counts one texture unit; see tex_cache_transactions and tex_cache_hit_rate"},
	{"tex1_", "it counts one texture unit; see tex_cache_transactions and tex_cache_hit_rate"},
	{"rocache_", "see nc_gld_requested_throughput and nc_cache_global_hit_rate"},
	{"gld_inst_", "see gld_request and gld_requested_throughput"}, {"gst_inst_", "see gst_request and gst_requested_throughput"},
	{"l1_shared_bank_conflict", "see shared_load_replay and shared_store_replay"},
	{"atom_cas_count", "see atom_count, which counts it with the others"},
	{"ipc_instance", "it is ipc of each SMX; --format json has active_cycles and inst_executed of each"},
	{"sm_efficiency_instance", "it is sm_efficiency of each SMX; --format json has active_cycles of each"},
	{"single_precision_fu_utilization", laterUnits}, {"double_precision_fu_utilization", laterUnits},
	{"special_fu_utilization", laterUnits},
	{"inst_executed_", "later chips have it; see gld_request, gst_request, shared_load, local_load, atom_count and relatives"},
	{"l1_local_store_", "see local_store_transactions"}, {"__l1_global_", "see gld_transactions and gst_transactions"},
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
