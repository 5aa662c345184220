package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/internal/registry"
)

// Files returns the names of the files that the configuration was loaded from: the one that was asked for, then those that it extends.
func (c *Config) Files() []string { return append([]string(nil), c.files...) }

// Overrides returns the overrides that apply, each as KEY=VALUE in the order given. If a key had several, only the last one is listed.
func (c *Config) Overrides() []string { return append([]string(nil), c.set...) }

// Base returns the name of the embedded configuration that this one is, overrides aside; "" for a file of the user's own.
func (c *Config) Base() string { return c.base }

// Title returns the configuration's name with its overrides: gk110 with smx.count=13 and smx.warps=32.
func (c *Config) Title() string { return TitleOf(c.Name, c.set) }

// TitleOf returns a configuration's name with overrides, as Title does.
func TitleOf(name string, overrides []string) string {
	if len(overrides) == 0 {
		return name
	}
	return name + " with " + JoinOverrides(overrides)
}

// JoinOverrides returns overrides as a sentence lists them: a=1, b=2 and c=3.
func JoinOverrides(overrides []string) string {
	last := len(overrides) - 1
	if last < 1 {
		return strings.Join(overrides, "")
	}
	return strings.Join(overrides[:last], ", ") + " and " + overrides[last]
}

// Origin returns where a key's value was written: file:line, or the override that set it.
func (c *Config) Origin(key string) string { return c.origins[key].String() }

// String returns file:line, or the override.
func (p position) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

// Resolved returns the configuration as YAML that Load reads back, with the unit, the origin and the source of each value in a comment.
func (c *Config) Resolved() string {
	w := &resolvedWriter{config: c}
	fmt.Fprintf(&w.text, "# %s: %s\n", c.Name, strings.Join(c.files, " extends "))
	w.section(0, "", reflect.ValueOf(c).Elem())
	for _, file := range c.files {
		if family, ok := strings.CutSuffix(file, ".yaml"); ok && isFamily(family) {
			w.text.WriteString("\n" + sourceNames(file))
		}
	}
	return w.text.String()
}

// sourceNames returns the head of a family's file, which explains the abbreviations of sources.
func sourceNames(file string) string {
	text, err := embedded.ReadFile(file)
	if err != nil {
		panic(err) // the file is ours
	}
	head, _, _ := strings.Cut(string(text), "\n\n")
	_, names, _ := strings.Cut(head, "\n#\n")
	return names + "\n"
}

// Values returns the configuration as YAML without comments. Equal texts are equal configurations, whatever files they came from.
func (c *Config) Values() string {
	w := &resolvedWriter{config: &Config{}}
	w.section(0, "", reflect.ValueOf(c).Elem())
	return w.text.String()
}

// Hash identifies the configuration by its values: the first sixteen hexadecimal digits of the SHA-256 of Values.
func (c *Config) Hash() string {
	sum := sha256.Sum256([]byte(c.Values()))
	return hex.EncodeToString(sum[:8])
}

// resolvedWriter writes keys and values. If its config has the origin of a key, it adds a comment.
type resolvedWriter struct {
	config *Config
	text   strings.Builder
}

// commentColumn is the column where comments start, unless the value is longer.
const commentColumn = 40

// line writes a key with its value and its comment.
func (w *resolvedWriter) line(depth int, text, path, unit string) {
	text = strings.Repeat("  ", depth) + text
	at, ok := w.config.origins[path]
	if !ok {
		fmt.Fprintln(&w.text, text)
		return
	}
	parts := []string{at.String()}
	if unit != "" {
		parts = []string{unit, at.String()}
	}
	if source := sourceOf(at.comment()); source != "" {
		parts = append(parts, source)
	}
	fmt.Fprintf(&w.text, "%-*s # %s\n", commentColumn, text, strings.Join(parts, "; "))
}

// sourceOf returns a comment without the unit at its beginning.
func sourceOf(comment string) string {
	if before, after, ok := strings.Cut(comment, "; "); ok && !strings.Contains(before, ":") {
		return after
	}
	return comment
}

func (w *resolvedWriter) section(depth int, prefix string, v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		path, item := joinKey(prefix, f.key), v.Field(f.index)
		switch {
		case item.Kind() == reflect.Struct:
			w.line(depth, f.key+":", "", "")
			w.section(depth+1, path, item)
		case item.Kind() == reflect.Array:
			w.line(depth, f.key+":", "", "")
			for i, name := range arrayKeys(item.Type()) {
				if name != "" {
					w.line(depth+1, name+":", "", "")
					w.section(depth+2, joinKey(path, name), item.Index(i))
				}
			}
		case item.Kind() == reflect.Slice && item.Type().Elem().Kind() == reflect.Struct:
			w.line(depth, f.key+":", "", "")
			for i := range item.Len() {
				w.line(depth+1, "-", "", "")
				w.section(depth+2, fmt.Sprintf("%s[%d]", path, i), item.Index(i))
			}
		default:
			w.line(depth, f.key+": "+leafText(item, f.unit), path, f.unit)
		}
	}
}

// scalarText returns a value in the form that the loader reads.
func scalarText(v reflect.Value, unit string) string {
	switch x := v.Interface().(type) {
	case arch.Capability:
		return x.String()
	case ExecutionUnit:
		return x.String()
	case Policy:
		if choice := registry.ParseChoice(string(x)); len(choice.Given) > 0 {
			return string(x)
		}
		return quoted(string(x))
	case float64:
		return plain(x)
	case int:
		if strings.HasPrefix(unit, "bytes") {
			return sizeText(x)
		}
		return strconv.Itoa(x)
	default:
		if v.Kind() == reflect.String {
			return quoted(v.String())
		}
		return fmt.Sprint(x)
	}
}

// sizeText returns a number of bytes with K, M or G if it is a whole number of them.
func sizeText(n int) string {
	for _, scale := range []struct {
		bytes int
		name  string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n != 0 && n%scale.bytes == 0 {
			return strconv.Itoa(n/scale.bytes) + scale.name
		}
	}
	return strconv.Itoa(n)
}

// quoted quotes a text that YAML would otherwise read back differently.
func quoted(s string) string {
	if v, err := parseDocument("", s); err == nil && v.shape == shapeText && v.text == s && !strings.ContainsAny(s, "#\n") {
		return s
	}
	return strconv.Quote(s)
}

// Leaves returns the values of all keys as a file has them, by full key name.
func (c *Config) Leaves() map[string]string {
	all := map[string]string{}
	for _, l := range leavesOf(c) {
		all[l.Key] = l.A
	}
	return all
}
