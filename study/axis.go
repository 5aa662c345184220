package study

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/spelling"
)

// options describes the axes that are not keys of the configuration. A macro of CUDA C is define.NAME.
var options = map[string]string{
	"block": "threads per block, as many threads in all", "grid": "blocks, as in 64 or 16,16", "shared": "bytes of dynamic shared memory",
	"maxrregcount": "registers that a thread may have", "cache_config": "the split of shared memory and L1",
	"bank_mode": "the width of shared memory's banks", "dlcm": "where global loads go", "use_fast_math": "true or false",
	"fmad": "true or false",
}

// definePrefix begins the name of an axis that is a macro.
const definePrefix = "define."

// parseAxis reads the values of an axis: a list, or a mapping that describes a range.
func parseAxis(name string, value any) (Axis, error) {
	a := Axis{Name: strings.ReplaceAll(name, "-", "_")}
	if strings.HasPrefix(name, definePrefix) {
		a.Name = name
	}
	if err := checkName(a.Name); err != nil {
		return a, err
	}
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			a.Values = append(a.Values, toText(e))
		}
	case yaml.MapSlice:
		return a, a.span(v)
	case map[string]any:
		var items yaml.MapSlice
		for k, e := range v {
			items = append(items, yaml.MapItem{Key: k, Value: e})
		}
		return a, a.span(items)
	default:
		a.Values = []string{toText(v)}
	}
	if len(a.Values) == 0 {
		return a, errors.New("has no values")
	}
	for i, v := range a.Values {
		if slices.Contains(a.Values[:i], v) {
			return a, fmt.Errorf("has the value %s twice", v)
		}
	}
	return a, nil
}

// checkName returns an error if an axis is neither a key of the configuration nor an option.
func checkName(name string) error {
	_, option := options[name]
	if option || strings.HasPrefix(name, definePrefix) && len(name) > len(definePrefix) {
		return nil
	}
	var known []string
	for _, k := range configs.Keys() {
		list, _, isList := strings.Cut(k.Path, "[]")
		if k.Path == name || k.TakesParameters() && strings.HasPrefix(name, k.Path+".") || isList && strings.HasPrefix(name, list) {
			return nil
		}
		known = append(known, k.Path)
	}
	for o := range options {
		known = append(known, o)
	}
	slices.Sort(known)
	near := ""
	if suggestion := spelling.Nearest(name, known); suggestion != "" {
		near = "; " + suggestion + " is one"
	}
	return fmt.Errorf("this is neither a key of the configuration (docs/configs.md) nor an option of a study%s", near)
}

// span fills in the values of a range. It has from and to, and either step, or powers: from times powers of that number.
func (a *Axis) span(items yaml.MapSlice) error {
	given := map[string]float64{}
	for _, item := range items {
		key := fmt.Sprint(item.Key)
		n, err := parseNumber(toText(item.Value))
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !slices.Contains([]string{"from", "to", "step", "powers"}, key) {
			return fmt.Errorf("there is no %s; a range has from, to, and step or powers", key)
		}
		given[key] = n
	}
	from, okFrom := given["from"]
	to, okTo := given["to"]
	step, linear := given["step"]
	base, powers := given["powers"]
	switch {
	case !okFrom || !okTo || from > to:
		return errors.New("a range needs from and to, the first not above the second")
	case linear == powers:
		return errors.New("a range needs either step: NUMBER or powers: NUMBER, as in powers: 2")
	case linear && step <= 0 || powers && (base <= 1 || from <= 0):
		return errors.New("step is above 0, powers above 1, and from above 0 with powers")
	}
	const tolerance = 1e-9 // of a step, for rounding errors in sums
	for i := 0; ; i++ {
		v := from + float64(i)*step
		if powers {
			v = from * math.Pow(base, float64(i))
		}
		if v > to*(1+tolerance) || linear && v > to+step*tolerance {
			return nil
		}
		if len(a.Values) == mostPoints {
			return fmt.Errorf("has more than %d values", mostPoints)
		}
		a.Values = append(a.Values, strconv.FormatFloat(v, 'g', 12, 64))
	}
}

// parseNumber reads a number that may end in K, M or G for powers of 1,024.
func parseNumber(text string) (float64, error) {
	factor := 1.0
	for suffix, f := range map[string]float64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if short, ok := strings.CutSuffix(text, suffix); ok {
			text, factor = short, f
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return n * factor, nil
}

// toText returns a value as on a command line, with sizes as plain numbers.
func toText(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, toText(e))
		}
		return strings.Join(parts, ",")
	case map[string]any: // a policy with its parameters
		name := fmt.Sprint(v["name"])
		if len(v) == 1 {
			return name
		}
		text := "{name: " + name
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "name" {
				text += ", " + key + ": " + toText(v[key])
			}
		}
		return text + "}"
	case string:
		if n, err := parseNumber(v); err == nil && len(v) > 1 && v[len(v)-1] > '9' {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		return v
	}
	return fmt.Sprint(v)
}

func toInt(v any) (int64, bool) {
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	return n, err == nil
}
