package study

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/keplersim/keplersim/internal/format"
	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/sim/stats"
)

// ownColumns are the columns, with their units, that a study may name besides metrics and axes.
var ownColumns = map[string]string{"cycles": "cycles", "time_us": "us", "launches": "count"}

// TableSchema is the version of tables. It grows when a column changes its name or meaning or is removed.
const TableSchema = 1

// provenance are the last columns of a table: the hash of the row's configuration, the keplersim that made the row, and TableSchema. Tables
// of older versions lack them.
var provenance = []string{"config", "keplersim", "schema"}

func init() {
	jsonschema.Publish[jsonRow]("table", "A line of the table that keplersim sweep --format jsonl writes.", TableSchema)
}

// jsonRow is a row of a table in JSON; the study determines its metrics and axes.
type jsonRow struct{}

// JSONSchema describes the row: metrics are numbers or null, everything else is text.
func (jsonRow) JSONSchema(func(reflect.Type) jsonschema.Object) jsonschema.Object {
	properties := jsonschema.Object{}
	required := slices.Concat([]string{"workload", "board", "status", "reason"}, provenance)
	for _, name := range required {
		properties[name] = jsonschema.Object{"type": "string"}
	}
	properties["status"] = jsonschema.Object{"enum": []Status{OK, Wrong, Failed}}
	for name, unit := range ownColumns {
		properties[name] = jsonschema.Object{"type": []string{"number", "null"}, "unit": unit}
	}
	for _, d := range stats.Metrics() {
		properties[d.Name] = jsonschema.Object{"type": []string{"number", "null"}, "unit": d.Unit, "description": d.Meaning}
	}
	return jsonschema.Object{"type": "object", "properties": properties, "required": required,
		"additionalProperties": jsonschema.Object{"type": "string", "description": "an axis of the study"}}
}

// Table is a table with named columns and a row for each point. Values are texts; equal numbers have equal texts. A failed point's metrics
// are "".
type Table struct {
	// Inputs is how many columns describe the point. Behind them are status and reason, then the metrics, then provenance.
	Inputs  int
	Columns []string
	Rows    [][]string
	units   map[string]string // of metrics that are neither the simulator's nor ownColumns
}

// NewTable returns an empty table with the columns workload, board and some axes. Add its metrics before its rows.
func NewTable(axes ...string) *Table {
	return &Table{Columns: slices.Concat([]string{"workload", "board"}, axes, []string{"status", "reason"}, provenance),
		Inputs: 2 + len(axes)}
}

// AddMetric adds a column. Formats with units take unit for a metric that is neither the simulator's nor one of ownColumns.
func (t *Table) AddMetric(name, unit string) {
	t.Columns = slices.Insert(t.Columns, len(t.Columns)-len(provenance), name)
	if unit != "" {
		if t.units == nil {
			t.units = map[string]string{}
		}
		t.units[name] = unit
	}
}

// Add adds a row with the hash of its configuration. Missing metrics stay empty.
func (t *Table) Add(workload, board string, values []string, status Status, reason string, metrics map[string]float64, config string) {
	row := append([]string{workload, board}, values...)
	row = append(row, string(status), reason)
	for _, m := range t.Metrics() {
		cell := ""
		if v, ok := metrics[m]; ok {
			cell = strconv.FormatFloat(v, 'g', -1, 64)
		}
		row = append(row, cell)
	}
	t.Rows = append(t.Rows, append(row, config, version.This().Short(), strconv.Itoa(TableSchema)))
}

// Table returns a study's rows as a table.
func (s *Study) Table(rows []Row) *Table {
	var axes []string
	for _, a := range s.Axes {
		axes = append(axes, a.Name)
	}
	t := NewTable(axes...)
	for _, m := range s.Metrics {
		t.AddMetric(m, "")
	}
	for _, r := range rows {
		metrics := map[string]float64{}
		maps.Copy(metrics, r.Outcome.Metrics)
		if r.Outcome.Status != Failed {
			metrics["launches"] = float64(r.Outcome.Launches)
		}
		t.Add(Title(r.Point.File), r.Point.Board, r.Point.Values, r.Outcome.Status, r.Outcome.Reason, metrics, r.Config)
	}
	return t
}

// formats are the file formats of tables.
var formats = format.Table[Table]{{Name: "csv", Write: writeCSV},
	{Name: "jsonl", Write: writeJSONL}, {Name: "parquet", Write: writeParquet}}

// Formats returns the names of the formats of tables.
func Formats() []string { return formats.Names() }

// CheckFormat returns an error for a name that is no format of tables.
func CheckFormat(name string) error { return formats.Check(name) }

// Write writes the table in a format that Formats lists.
func (t *Table) Write(w io.Writer, name string) error { return formats.Write(w, name, t) }

func writeCSV(w io.Writer, t *Table) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	if err := c.WriteAll(t.Rows); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// number reports whether a column is a metric, so that typed formats write its values as numbers.
func (t *Table) number(column int) bool {
	return column >= t.Inputs+2 && column < t.Inputs+2+len(t.Metrics())
}

// Metrics returns the names of the columns that are metrics.
func (t *Table) Metrics() []string {
	columns := t.Columns[t.Inputs+2:]
	if own := len(columns) - len(provenance); own >= 0 && slices.Equal(columns[own:], provenance) {
		columns = columns[:own]
	}
	return columns
}

func writeJSONL(w io.Writer, t *Table) error {
	out := bufio.NewWriter(w)
	for _, row := range t.Rows {
		out.WriteByte('{')
		for i, column := range t.Columns {
			if i > 0 {
				out.WriteByte(',')
			}
			name, err := json.Marshal(column)
			if err != nil {
				return fmt.Errorf("write the table: %w", err)
			}
			value := []byte("null")
			if !t.number(i) {
				value, err = json.Marshal(row[i])
			} else if row[i] != "" {
				value = []byte(row[i])
				if !json.Valid(value) { // 1e+06 is valid JSON, but not every text of a number is
					value, err = json.Marshal(row[i])
				}
			}
			if err != nil {
				return fmt.Errorf("write the table: %w", err)
			}
			fmt.Fprintf(out, "%s:%s", name, value)
		}
		out.WriteString("}\n")
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// ReadTable reads a table from CSV.
func ReadTable(r io.Reader) (*Table, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("this is not a table of a study in CSV: %w", err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("this is not a table of a study: it is empty")
	}
	t := &Table{Columns: records[0], Rows: records[1:]}
	t.Inputs = slices.Index(t.Columns, "status")
	if t.Inputs < 2 || t.Inputs+1 >= len(t.Columns) || t.Columns[t.Inputs+1] != "reason" {
		return nil, fmt.Errorf("this is not a table of a study: keplersim sweep -o TABLE.csv writes one")
	}
	return t, nil
}

// known reports whether outcomes have a metric.
func known(metric string) bool {
	_, ok := stats.Find(metric)
	return ok || ownColumns[metric] != ""
}
