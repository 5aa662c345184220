package configs

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/internal/spelling"
)

// decoder fills a Config from a merged tree and collects all errors.
type decoder struct {
	errors  Errors
	origins map[string]position
	missing position // the position for errors about missing keys: the configuration that was asked for
}

func (d *decoder) fail(at position, key, format string, args ...any) {
	d.errors = append(d.errors, &Error{File: at.file, Line: at.line, Column: at.column, Key: key, Message: fmt.Sprintf(format, args...)})
}

// section fills a struct from a map.
func (d *decoder) section(prefix string, v *value, into reflect.Value) {
	fields := fieldsOf(into.Type())
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	if !d.isMap(prefix, v, names) {
		return
	}
	for _, f := range fields {
		path := joinKey(prefix, f.key)
		target := into.Field(f.index)
		item, ok := v.items[f.key]
		if !ok {
			d.reportMissing(path, f, target.Type())
			continue
		}
		switch t := target.Type(); {
		case t.Kind() == reflect.Struct:
			d.section(path, item, target)
		case t.Kind() == reflect.Array:
			d.table(path, item, target)
		case t.Kind() == reflect.Slice:
			d.list(path, item, target, f)
		case t == policyType && item.shape == shapeMap:
			d.policy(path, item, target, f)
		default:
			d.scalar(path, item, target, f)
		}
	}
}

// policy fills in a policy written as a section, with parameters.
func (d *decoder) policy(path string, v *value, into reflect.Value, f structField) {
	d.origins[path] = v.position
	name, ok := v.items["name"]
	if !ok || name.shape != shapeText {
		d.fail(v.position, path, "has no name; write {name: NAME, PARAMETER: NUMBER}")
		return
	}
	choice := registry.Choice{Name: name.text}
	if problem := f.rule.word(name.text); problem != "" {
		d.fail(name.position, joinKey(path, "name"), "%s", problem)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(v.items)) {
		if key == "name" {
			continue
		}
		item := v.items[key]
		number, ok := parseNumber(item)
		if !ok {
			d.fail(item.position, joinKey(path, key), "is %s, and must be a number", item.shape)
			continue
		}
		given := registry.Setting{Name: key, Value: number}
		if f.rule.words() != nil { // nil if the package that registers the policies is not part of this program
			if problem := registry.CheckParameter(f.rule.policy, choice.Name, given); problem != "" {
				d.fail(item.position, joinKey(path, key), "%s", problem)
			}
		}
		choice.Given = append(choice.Given, given)
	}
	into.SetString(choice.String())
}

// isMap reports an error unless a value is a section with known keys only.
func (d *decoder) isMap(prefix string, v *value, names []string) bool {
	if v.shape != shapeMap {
		d.fail(v.position, prefix, "is %s, and must be a section with the keys %s", v.shape, strings.Join(names, ", "))
		return false
	}
	for _, key := range v.keys {
		if key == "" || !slices.Contains(names, key) {
			d.fail(v.items[key].key, joinKey(prefix, key), "unknown key%s", suggestKey(prefix, key, names))
		}
	}
	return true
}

// renamed maps keys of earlier versions to what replaced them.
var renamed = map[string]string{
	"smx.scheduler_policy": "smx.scheduler", "smx.fetch_group": "smx.scheduler: {name: two-level, group: N}",
	"l2.prefetch_degree":         "l2.prefetcher: {name: NAME, degree: N}",
	"instruction_cache.prefetch": "instruction_cache.prefetcher: {name: NAME, degree: N}",
}

// suggestKey names the key that a wrong key probably meant: a near one in the same section, or the same name in another section.
func suggestKey(prefix, key string, names []string) string {
	if now := renamed[joinKey(prefix, key)]; now != "" {
		return fmt.Sprintf("; it is %s now", now)
	}
	near, ok := nearest(key, names)
	if ok && spelling.Distance(key, near) <= 2 {
		return fmt.Sprintf("; did you mean %s?", joinKey(prefix, near))
	}
	for _, k := range Keys() {
		if strings.HasSuffix(k.Path, "."+key) || strings.Contains(k.Path, "."+key+".") {
			return fmt.Sprintf("; did you mean %s?", k.Path)
		}
	}
	if ok {
		return fmt.Sprintf("; did you mean %s?", joinKey(prefix, near))
	}
	return ""
}

// reportMissing reports a key or a whole section that no file gives.
func (d *decoder) reportMissing(path string, f structField, t reflect.Type) {
	what := "key"
	switch t.Kind() {
	case reflect.Struct, reflect.Array:
		what = "section"
	}
	unit := ""
	if f.unit != "" {
		unit = " (" + f.unit + ")"
	}
	d.fail(d.missing, path, "missing %s%s; give it, or extend a chip that has it", what, unit)
}

// table fills an array of structs. The keys are the names of the array's indices.
func (d *decoder) table(path string, v *value, into reflect.Value) {
	names := arrayKeys(into.Type())
	if !d.isMap(path, v, names) {
		return
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		key := joinKey(path, name)
		if item, ok := v.items[name]; ok {
			d.section(key, item, into.Index(i))
		} else {
			d.reportMissing(key, structField{}, into.Type().Elem())
		}
	}
}

// list fills a slice.
func (d *decoder) list(path string, v *value, into reflect.Value, f structField) {
	if v.shape != shapeList {
		d.fail(v.position, path, "is %s, and must be a list", v.shape)
		return
	}
	if size := f.rule.size; size > 0 && len(v.list) != size {
		d.fail(v.position, path, "has %d elements, and must have %d", len(v.list), size)
		return
	}
	if len(v.list) == 0 {
		d.fail(v.position, path, "is empty, and must have an element at least")
		return
	}
	d.origins[path] = v.position
	items := reflect.MakeSlice(into.Type(), len(v.list), len(v.list))
	for i, item := range v.list {
		element := fmt.Sprintf("%s[%d]", path, i)
		if items.Index(i).Kind() == reflect.Struct {
			d.section(element, item, items.Index(i))
		} else {
			d.scalar(element, item, items.Index(i), f)
		}
	}
	into.Set(items)
}

// scalar fills a number, a truth value or a word.
func (d *decoder) scalar(path string, v *value, into reflect.Value, f structField) {
	d.origins[path] = v.position
	if v.shape == shapeNull || v.shape == shapeList || v.shape == shapeMap {
		d.fail(v.position, path, "is %s, and must be %s", v.shape, wanted(into.Type(), f.unit))
		return
	}
	if problem := assign(v, into, f); problem != "" {
		d.fail(v.position, path, "%s", problem)
	}
}

// wanted describes the values that a key takes.
func wanted(t reflect.Type, unit string) string {
	text := map[string]string{"int": "a whole number", "float": "a number", "bool": "true or false", "text": "text"}[kindName(t)]
	if text == "" {
		text = "a word: the " + kindName(t)
	}
	if unit != "" {
		text += " (" + unit + ")"
	}
	return text
}

// assign parses a scalar into its field. It returns what is wrong with it, "" if nothing is.
func assign(v *value, into reflect.Value, f structField) string {
	wrong := func() string {
		return fmt.Sprintf("%q is %s, and must be %s", v.text, v.shape, wanted(into.Type(), f.unit))
	}
	switch {
	case into.Type() == capabilityType:
		c, err := arch.ParseCapability(v.text)
		if err != nil {
			return err.Error()
		}
		into.SetInt(int64(c))
	case into.Type() == unitType:
		for i, name := range executionUnitNames {
			if name == v.text {
				into.SetUint(uint64(i))
				return ""
			}
		}
		return rule{oneOf: executionUnitNames[:]}.word(v.text)
	case into.Kind() == reflect.Bool:
		if v.shape != shapeBool {
			return wrong()
		}
		into.SetBool(v.text == "true")
	case into.Kind() == reflect.String:
		if v.shape != shapeText {
			return wrong() + "; put it in quotes if it is meant"
		}
		into.SetString(v.text)
		return f.rule.word(v.text)
	case into.Kind() == reflect.Float64:
		x, ok := parseNumber(v)
		if !ok {
			return wrong()
		}
		into.SetFloat(x)
		return f.rule.number(x, f.unit)
	default:
		n, ok := parseWhole(v, f.unit)
		if !ok {
			return wrong()
		}
		into.SetInt(n)
		return f.rule.number(float64(n), f.unit)
	}
	return ""
}

// parseNumber reads a finite number.
func parseNumber(v *value) (float64, bool) {
	x, err := strconv.ParseFloat(v.text, 64)
	return x, err == nil && v.shape == shapeNumber && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// parseWhole reads a whole number. A number of bytes may end in K, M or G: 1,024, 1,024² or 1,024³ bytes.
func parseWhole(v *value, unit string) (int64, bool) {
	text, scale := strings.ReplaceAll(v.text, "_", ""), int64(1)
	if v.shape == shapeText {
		if !strings.HasPrefix(unit, "bytes") || text == "" {
			return 0, false
		}
		shift := strings.IndexByte("KMG", text[len(text)-1])
		if shift < 0 {
			return 0, false
		}
		scale, text = 1<<(10*(shift+1)), text[:len(text)-1]
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n > math.MaxInt64/scale || n < math.MinInt64/scale {
		return 0, false
	}
	return n * scale, v.shape == shapeNumber || v.shape == shapeText
}
