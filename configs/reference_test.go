package configs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the reference of keys into docs/configs.md")

const (
	reference      = "../docs/configs.md"
	referenceBegin = "<!-- keys: written by go test ./configs -run Reference -update -->\n"
)

// The reference of keys is made from the structs: their comments, their tags, and the values of gk110.
func TestReferenceIsInStep(t *testing.T) {
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	intro, _, found := strings.Cut(string(text), referenceBegin)
	require.True(t, found)
	want := intro + referenceBegin + referenceOfKeys(t)
	if *update {
		require.NoError(t, os.WriteFile(reference, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(text), "run: go test ./configs -run Reference -update")
}

// referenceOfKeys returns a table of keys for each section.
func referenceOfKeys(t *testing.T) string {
	comments := fieldComments(t)
	page, err := os.ReadFile("../docs/advice.md") // it has the keys of ideal
	require.NoError(t, err)
	advice := string(page)
	gk110, err := Load("gk110", nil)
	require.NoError(t, err)
	values := map[string]string{}
	for _, line := range flatten(gk110) {
		key, value, _ := strings.Cut(line, "=")
		values[key] = value
	}
	var b strings.Builder
	sections := reflect.TypeFor[Config]()
	section, first := "", map[string]string{} // first has the key in whose row a field's meaning is
	var rows []referenceRow
	for _, k := range Keys() {
		head, tail, nested := strings.Cut(k.Path, ".")
		if !nested {
			head, tail = "The chip", k.Path
		}
		switch {
		case strings.HasPrefix(k.Path, "pipelines.units.core."):
			tail = strings.Replace(tail, "core", "UNIT", 1)
		case strings.HasPrefix(k.Path, "pipelines.operations.move."):
			tail = strings.Replace(tail, "move", "CLASS", 1)
		case strings.HasPrefix(k.Path, "pipelines.units."), strings.HasPrefix(k.Path, "pipelines.operations."):
			continue
		}
		if head != section {
			b.WriteString(referenceTable(rows))
			section, rows = head, nil
			fmt.Fprintf(&b, "\n### %s\n\n", section)
			for i := range sections.NumField() {
				if f := sections.Field(i); f.Tag.Get("yaml") == section {
					fmt.Fprintf(&b, "%s\n\n", meaningOf(comments[f.Type.Name()], true))
				}
			}
			if section == "ideal" {
				b.WriteString("[Advice](advice.md#the-keys) says what each key lifts and what it keeps.\n")
			} else {
				b.WriteString("| key | on gk110 (possible) | meaning |\n|---|---|---|\n")
			}
		}
		comment, ok := comments[k.Field]
		require.True(t, ok && comment != "", "%s has no doc comment", k.Field)
		if section == "ideal" {
			assert.Contains(t, advice, "`"+k.Path, "docs/advice.md has no row for it")
			continue
		}
		meaning := meaningOf(comment, false)
		if where, seen := first[k.Field]; seen {
			meaning = "as `" + where + "`"
		} else {
			first[k.Field] = k.Path
		}
		value := values[k.Path]
		if strings.Contains(tail, "UNIT") || strings.Contains(tail, "CLASS") {
			value = ""
		}
		of := slices.IndexFunc(rows, func(r referenceRow) bool { return r.field == k.Field })
		if of >= 0 { // the levels of a cache share their rows
			rows[of].keys += ", `" + tail + "`"
			rows[of].values += ", " + value
			continue
		}
		rows = append(rows, referenceRow{k.Field, "`" + tail + "`", value, possible(k), meaning})
	}
	return b.String() + referenceTable(rows)
}

// referenceRow is a row of the reference: the keys in a section that share a field.
type referenceRow struct{ field, keys, values, possible, meaning string }

// referenceTable returns the rows of a section.
func referenceTable(rows []referenceRow) string {
	var b strings.Builder
	for _, r := range rows {
		value := r.values
		if r.possible != "bool" {
			value = strings.TrimSpace(value + " (" + r.possible + ")")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.keys, value, strings.ReplaceAll(r.meaning, "|", `\|`))
	}
	return b.String()
}

// meaningOf returns a doc comment without the name at its beginning, as a sentence or as a phrase.
func meaningOf(comment string, sentence bool) string {
	_, comment, _ = strings.Cut(comment, " ")
	comment = strings.TrimPrefix(strings.TrimPrefix(comment, "is "), "are ")
	if sentence {
		comment, _, _ = strings.Cut(strings.TrimSuffix(comment, "."), ". ")
		comment += "."
		return strings.ToUpper(comment[:1]) + comment[1:]
	}
	if strings.Count(comment, ". ") == 0 {
		comment = strings.TrimSuffix(comment, ".")
	}
	comment = strings.TrimPrefix(comment, "the ")
	if strings.HasPrefix(comment, "time from ") {
		comment = strings.TrimPrefix(comment, "time ")
	}
	return comment
}

// possible describes a key's check tag and unit.
func possible(k Key) string {
	if k.Check == "" {
		return k.Kind
	}
	r := parseRule(k.Check)
	if r.policy != "" {
		return r.policy
	}
	if words := r.words(); words != nil {
		return strings.Join(words, ", ")
	}
	unit := k.Unit
	if unit == "cycles" { // the page says so above the tables
		unit = ""
	}
	words := []string{strings.TrimSpace(plain(r.min) + "–" + plain(r.max) + " " + unit)}
	if strings.HasPrefix(k.Unit, "bytes") {
		words[0] = sizeText(int(r.min)) + "–" + sizeText(int(r.max)) + " " + k.Unit
	}
	if r.powerOfTwo {
		words = append(words, "2ⁿ")
	}
	if r.multiple > 0 {
		words = append(words, fmt.Sprintf("%d·n", r.multiple))
	}
	if strings.HasSuffix(k.Kind, "list") {
		words = append(words, "a list")
	}
	return strings.Join(words, ", ")
}

// flatten lists KEY=VALUE of the leaves; lists of sections contribute their first element.
func flatten(c *Config) []string {
	var lines []string
	path := []string{}
	for _, line := range strings.Split(c.Resolved(), "\n") {
		body, _, _ := strings.Cut(line, " #")
		key, value, ok := strings.Cut(strings.TrimSpace(body), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		depth := (len(body) - len(strings.TrimLeft(body, " "))) / 2
		for len(path) <= depth {
			path = append(path, "")
		}
		path = append(path[:depth], key)
		if value = strings.TrimSpace(value); value != "" {
			lines = append(lines, strings.ReplaceAll(strings.Join(path, "."), "..", "[].")+"="+value)
		}
	}
	return lines
}

// fieldComments returns the doc comments of structs and fields, each on one line. Keys are STRUCT or STRUCT.FIELD.
func fieldComments(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	comments := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if one, ok := n.(*ast.GenDecl); ok && len(one.Specs) == 1 {
				if spec, ok := one.Specs[0].(*ast.TypeSpec); ok {
					comments[spec.Name.Name] = strings.Join(strings.Fields(one.Doc.Text()), " ")
				}
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						comments[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
					}
				}
			}
			return true
		})
	}
	return comments
}
