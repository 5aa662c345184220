package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/study"
)

// cutRows splits TABLE.csv#ROWS. ok is false for a report: an argument that is a file's name as a whole, or has no #.
func cutRows(argument string) (file, rows string, ok bool) {
	if _, err := os.Stat(argument); err == nil {
		return argument, "", false
	}
	at := strings.Index(argument, ".csv#")
	if at < 0 {
		return argument, "", false
	}
	return argument[:at+len(".csv")], argument[at+len(".csv#"):], true
}

// readCompared reads the arguments: reports, and rows of tables.
func readCompared(arguments []string) ([]report.Saved, error) {
	all := make([]report.Saved, len(arguments))
	var reports []string
	var places []int
	tables := map[string]*study.Table{}
	for i, argument := range arguments {
		file, rows, ok := cutRows(argument)
		if !ok {
			if strings.EqualFold(filepath.Ext(argument), ".csv") {
				return nil, fmt.Errorf("%s: say which rows of the table, as in %s#1 or %s#board=k40", argument, argument, argument)
			}
			reports, places = append(reports, argument), append(places, i)
			continue
		}
		if tables[file] == nil {
			table, err := readTable(file)
			if err != nil {
				return nil, err
			}
			tables[file] = table
		}
		saved, err := savedRows(tables[file], rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all[i] = saved
	}
	nameRows(arguments, all, len(tables) > 1)
	if len(reports) == 0 {
		return all, nil
	}
	saved, err := report.ReadSaved(reports)
	if err != nil {
		return nil, err
	}
	for k, i := range places {
		all[i] = saved[k]
	}
	return all, nil
}

// nameRows names the compared rows by their parts of the arguments that are not common to all. If there are several tables, names include
// the table.
func nameRows(arguments []string, all []report.Saved, several bool) {
	in := map[string]int{} // the number of arguments with each part
	for _, argument := range arguments {
		_, rows, _ := cutRows(argument)
		for _, part := range strings.Split(rows, ",") {
			in[part]++
		}
	}
	for i, argument := range arguments {
		file, rows, ok := cutRows(argument)
		if !ok {
			continue
		}
		own := slices.DeleteFunc(strings.Split(rows, ","), func(part string) bool { return in[part] == len(arguments) })
		if len(own) > 0 {
			rows = strings.Join(own, ",")
		}
		if all[i].Name = rows; several {
			all[i].Name = study.Title(file) + "#" + rows
		}
	}
}

// readTable reads a study's table.
func readTable(file string) (*study.Table, error) {
	text, err := files.ReadNamed(file, "read a table", report.MostSaved)
	if err != nil {
		return nil, err
	}
	table, err := study.ReadTable(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return table, nil
}

// savedRows returns the rows that a text selects, as a report.
func savedRows(table *study.Table, text string) (report.Saved, error) {
	chosen, err := table.Choose(text)
	if err != nil {
		return report.Saved{}, err
	}
	var rows []report.Row
	for _, i := range chosen {
		axes, metrics := table.Point(i)
		r := report.Row{Workload: table.Rows[i][0], Board: table.Rows[i][1], Axes: axes, Metrics: metrics}
		switch status, reason := table.Ended(i); status {
		case study.OK:
		case study.Wrong:
			r.Failure = "is wrong: " + reason
		default:
			r.Failure = "failed: " + reason
		}
		rows = append(rows, r)
	}
	return report.SavedRows(text, rows), nil
}
