package configs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
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
	gk110, err := Load("gk110", nil)
	require.NoError(t, err)
	values := map[string]string{}
	for _, line := range flatten(gk110) {
		key, value, _ := strings.Cut(line, "=")
		values[key] = value
	}
	var b strings.Builder
	section := ""
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
			section = head
			fmt.Fprintf(&b, "\n### %s\n\n| key | unit | possible | gk110 | what it is |\n|---|---|---|---|---|\n", section)
		}
		comment, ok := comments[k.Field]
		require.True(t, ok && comment != "", "%s has no doc comment", k.Field)
		_, comment, _ = strings.Cut(comment, " ")
		comment = strings.TrimPrefix(strings.TrimPrefix(comment, "is "), "are ")
		value := values[k.Path]
		if strings.Contains(tail, "UNIT") || strings.Contains(tail, "CLASS") {
			value = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", tail, k.Unit, possible(k), value, strings.ReplaceAll(comment, "|", `\|`))
	}
	return b.String()
}

// possible puts a check tag into words.
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
	words := []string{plain(r.min) + " to " + plain(r.max)}
	if strings.HasPrefix(k.Unit, "bytes") {
		words[0] = sizeText(int(r.min)) + " to " + sizeText(int(r.max))
	}
	if r.powerOfTwo {
		words = append(words, "a power of two")
	}
	if r.multiple > 0 {
		words = append(words, fmt.Sprintf("a multiple of %d", r.multiple))
	}
	if strings.HasSuffix(k.Kind, "list") {
		words = append(words, "a list")
	}
	return strings.Join(words, ", ")
}

// flatten lists KEY=VALUE of the leaves; of lists of sections the first element.
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

// fieldComments returns the doc comments of the package's struct fields, on one line, by struct and field.
func fieldComments(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	comments := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
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
