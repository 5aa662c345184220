package registry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/spelling"
)

// Parameter is a number that a variant takes from the configuration.
type Parameter struct {
	// Name is its key below that of the policy: groups in smx.scheduler.groups.
	Name string
	// Does says what it controls, and its unit.
	Does string
	// Default is its value if the configuration gives none; Min and Max are the least and the greatest possible value.
	Default, Min, Max float64
	// Fraction allows values that are not whole numbers.
	Fraction bool
}

// String returns the name with the possible values and the default.
func (p Parameter) String() string {
	return fmt.Sprintf("%s (%s to %s, %s unless given)", p.Name, number(p.Min), number(p.Max), number(p.Default))
}

// Values are the values of a variant's parameters. Asking for a parameter that the variant did not register panics: it is a bug in the
// variant.
type Values struct {
	of       string
	declared []Parameter
	numbers  []float64
}

// Float returns the value of a parameter.
func (v Values) Float(name string) float64 {
	i := slices.IndexFunc(v.declared, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("policy %s asks for its parameter %q, which it has not registered", v.of, name))
	}
	return v.numbers[i]
}

// Int returns the value of a whole-number parameter.
func (v Values) Int(name string) int { return int(v.Float(name)) }

// check returns the index of the parameter that a setting is for, or what is wrong with the setting.
func (v Values) check(given Setting) (place int, problem string) {
	place = slices.IndexFunc(v.declared, func(p Parameter) bool { return p.Name == given.Name })
	if place < 0 {
		return place, v.unknown(given.Name)
	}
	switch p := v.declared[place]; {
	case given.Value < p.Min || given.Value > p.Max:
		return place, fmt.Sprintf("%s is out of range: %s", number(given.Value), p)
	case !p.Fraction && given.Value != float64(int64(given.Value)):
		return place, fmt.Sprintf("%s is not a whole number", number(given.Value))
	}
	return place, ""
}

// unknown returns the message for an unknown parameter. It lists the parameters that there are.
func (v Values) unknown(name string) string {
	if len(v.declared) == 0 {
		return fmt.Sprintf("unknown parameter; %s takes none", v.of)
	}
	var all, names []string
	for _, p := range v.declared {
		all, names = append(all, p.String()), append(names, p.Name)
	}
	near := ""
	if suggestion := spelling.Nearest(name, names); suggestion != "" {
		near = fmt.Sprintf("; did you mean %s?", suggestion)
	}
	return fmt.Sprintf("unknown parameter; %s takes %s%s", v.of, strings.Join(all, ", "), near)
}

// CheckParameter returns what is wrong with a value for a variant's parameter, "" if nothing is.
func CheckParameter(kind, variant string, given Setting) string {
	_, problem := Values{of: variant, declared: Parameters(kind, variant)}.check(given)
	return problem
}

// Setting is a parameter's name with a value.
type Setting struct {
	Name  string
	Value float64
}

// Choice is a variant's name with settings for its parameters. Its text is the name alone, or {name: owl, group: 2}, which is YAML.
type Choice struct {
	Name  string
	Given []Setting
}

const choiceBegins, choiceEnds = "{name: ", "}"

// String returns the text. Equal choices have equal texts.
func (c Choice) String() string {
	if len(c.Given) == 0 {
		return c.Name
	}
	text := choiceBegins + c.Name
	for _, g := range c.Given {
		text += ", " + g.Name + ": " + number(g.Value)
	}
	return text + choiceEnds
}

// ParseChoice reads a text that String wrote. A text of any other form is a name.
func ParseChoice(text string) Choice {
	inner, ok := strings.CutPrefix(text, choiceBegins)
	if !ok {
		return Choice{Name: text}
	}
	parts := strings.Split(strings.TrimSuffix(inner, choiceEnds), ", ")
	c := Choice{Name: parts[0]}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, ": ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			c.Given = append(c.Given, Setting{name, n})
		}
	}
	return c
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
