package exercise

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/format"
)

// DefaultPoints are the points of an exercise that does not set them.
const DefaultPoints = 10

// award gives points: an equal part for each check, but none if the results are wrong, however fast they were.
func (g *Grade) award(points int) {
	g.Of = float64(points)
	if g.Of == 0 {
		g.Of = DefaultPoints
	}
	right := !slices.ContainsFunc(g.Checks, func(c Check) bool { return !c.Passed && c.Bound == nil })
	for i := range g.Checks {
		c := &g.Checks[i]
		if c.Of = g.Of / float64(len(g.Checks)); c.Passed && right {
			c.Points = c.Of
			g.Points += c.Points
		}
	}
	if g.Passed {
		g.Points = g.Of // exact, whereas the sum of the parts is rounded
	}
}

// Refuse grades an answer that does not compile, with the compiler's message.
func (e *Exercise) Refuse(why string) *Grade {
	g := &Grade{Exercise: e.Name, Error: why, Checks: []Check{{Name: "compiles", Detail: why}}}
	g.award(e.Points)
	return g
}

// formats are the formats of grades, for systems that collect them.
var formats = format.Table[Grade]{
	{Name: "text", Write: text}, {Name: "json", Write: func(w io.Writer, g *Grade) error { return indented(w, g) }},
	{Name: "gradescope", Write: gradescope}, {Name: "junit", Write: junit}, {Name: "classroom", Write: classroom},
}

// Formats returns the names of the formats of grades.
func Formats() []string { return formats.Names() }

// CheckFormat returns an error for a name that is no format of grades.
func CheckFormat(name string) error { return formats.Check(name) }

// Write prints a grade in one of Formats.
func (g *Grade) Write(w io.Writer, name string) error {
	if err := formats.Write(w, name, g); err != nil {
		return fmt.Errorf("write the grade: %w", err)
	}
	return nil
}

func indented(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

func text(w io.Writer, g *Grade) error {
	for _, c := range g.Checks {
		if _, err := fmt.Fprintf(w, "%s  %-24s  %s\n", word(c.Passed, "passed", "failed"), c.Name, c.Detail); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s of %s points\n", number(g.Points), number(g.Of))
	return err
}

func word(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// gradescope writes results.json as Gradescope's autograders do
// (https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format).
func gradescope(w io.Writer, g *Grade) error {
	type test struct {
		Name   string  `json:"name"`
		Score  float64 `json:"score"`
		Most   float64 `json:"max_score"`
		Status string  `json:"status"`
		Output string  `json:"output"`
	}
	out := struct {
		Score  float64 `json:"score"`
		Output string  `json:"output"`
		Tests  []test  `json:"tests"`
	}{g.Points, g.Exercise, nil}
	for _, c := range g.Checks {
		out.Tests = append(out.Tests, test{c.Name, c.Points, c.Of, word(c.Passed, "passed", "failed"), c.Detail})
	}
	return indented(w, out)
}

// junit writes the XML that test reporters read: a suite for the exercise, a case for each check.
func junit(w io.Writer, g *Grade) error {
	type failure struct {
		Message string `xml:"message,attr"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *failure `xml:"failure"`
	}
	out := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testcase `xml:"testcase"`
	}{Name: "keplersim: " + g.Exercise, Tests: len(g.Checks)}
	for _, c := range g.Checks {
		one := testcase{Class: g.Exercise, Name: c.Name}
		if !c.Passed {
			one.Failure = &failure{c.Detail}
			out.Failures++
		}
		out.Cases = append(out.Cases, one)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// classroom writes the step output of GitHub Classroom's graders, result=BASE64, for >> $GITHUB_OUTPUT. The reporter's action reads it
// (https://github.com/classroom-resources/autograding-grading-reporter).
func classroom(w io.Writer, g *Grade) error {
	type test struct {
		Name    string  `json:"name"`
		Status  string  `json:"status"`
		Score   float64 `json:"score"`
		Message string  `json:"message"`
	}
	out := struct {
		Version int     `json:"version"`
		Status  string  `json:"status"`
		Most    float64 `json:"max_score"`
		Tests   []test  `json:"tests"`
	}{1, word(g.Passed, "pass", "fail"), g.Of, nil}
	for _, c := range g.Checks {
		out.Tests = append(out.Tests, test{c.Name, word(c.Passed, "pass", "fail"), c.Points, c.Detail})
	}
	var packed strings.Builder
	if err := json.NewEncoder(&packed).Encode(out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "result=%s\n", base64.StdEncoding.EncodeToString([]byte(packed.String())))
	return err
}
