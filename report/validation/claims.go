package validation

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/keplersim/keplersim/validation"
)

// claim is a claim as JSON.
type claim struct {
	Name    string     `json:"claim"`
	Section string     `json:"section"`
	Says    string     `json:"says"`
	Shows   string     `json:"shows"`
	Holds   bool       `json:"holds"`
	Figure  string     `json:"figure"`
	Runs    []claimRun `json:"runs"`
}

type claimRun struct {
	Label   string   `json:"run"`
	Value   *float64 `json:"value"`
	Command string   `json:"command"`
}

// WriteClaims writes the tuning guide's claims with the figures that show them and the commands that repeat them, as text, json or csv.
func WriteClaims(out io.Writer, format string, results []validation.ClaimResult) error {
	switch format {
	case "json":
		return writeClaimsJSON(out, results)
	case "csv":
		return writeClaimsCSV(out, results)
	}
	hold := 0
	for _, r := range results {
		verdict := "does not hold"
		if r.Holds {
			verdict = "holds"
			hold++
		}
		fmt.Fprintf(out, "%s (section %s): %s\n", r.Claim.Name, r.Claim.Section, verdict)
		fmt.Fprintf(out, "  the guide:  %s\n  to be seen: %s\n", r.Claim.Says, r.Claim.Shows)
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for i, run := range r.Claim.Runs {
			fmt.Fprintf(table, "    %s\t%s %s\t%s\n", run.Label, numberText(r.Figures[i]), r.Claim.Figure, run.Command())
		}
		if err := table.Flush(); err != nil {
			return fmt.Errorf("write the claims: %w", err)
		}
		fmt.Fprintln(out)
	}
	_, err := fmt.Fprintf(out, "%d of %d claims hold\n", hold, len(results))
	return err
}

func writeClaimsJSON(out io.Writer, results []validation.ClaimResult) error {
	document := []claim{}
	for _, r := range results {
		c := claim{r.Claim.Name, r.Claim.Section, r.Claim.Says, r.Claim.Shows, r.Holds, r.Claim.Figure, nil}
		for i, run := range r.Claim.Runs {
			c.Runs = append(c.Runs, claimRun{run.Label, finite(r.Figures[i]), run.Command()})
		}
		document = append(document, c)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// writeClaimsCSV writes a line for each run.
func writeClaimsCSV(out io.Writer, results []validation.ClaimResult) error {
	lines := [][]string{{"claim", "section", "holds", "run", "figure", "value", "command"}}
	for _, r := range results {
		for i, run := range r.Claim.Runs {
			lines = append(lines, []string{r.Claim.Name, r.Claim.Section, strconv.FormatBool(r.Holds), run.Label, r.Claim.Figure,
				strconv.FormatFloat(r.Figures[i], 'g', 8, 64), run.Command()})
		}
	}
	if err := csv.NewWriter(out).WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
