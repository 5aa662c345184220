package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/study/bundle"
)

// docs/schema agrees with the types of the reports. KEPLERSIM_UPDATE=1 writes it anew, but fails on a change that readers of the committed
// schema would not understand if the number in $id stays.
func TestSchemasArePublished(t *testing.T) {
	committed, err := filepath.Glob("../docs/schema/*.json")
	require.NoError(t, err)
	assert.Len(t, committed, len(jsonschema.Names()), "docs/schema has the schema of every kind of document and no others")
	for _, name := range jsonschema.Names() {
		file := filepath.Join("../docs/schema", name+".json")
		code, made, errOut := keplersim(t, "schema", name)
		require.Equal(t, exitRan, code, errOut)
		before, err := os.ReadFile(file)
		if err == nil {
			for _, broken := range breaks(t, string(before), made) {
				t.Errorf("%s: %s: give its Publish a greater version", name, broken)
			}
		}
		if os.Getenv("KEPLERSIM_UPDATE") != "" && !t.Failed() {
			require.NoError(t, os.WriteFile(file, []byte(made), 0o644))
			continue
		}
		assert.Equal(t, made, string(before), "%s: KEPLERSIM_UPDATE=1 go test ./cli -run SchemasArePublished writes it anew", file)
	}
}

// Schemas with one number keep their promise: no member disappears, changes its type or becomes optional.
func TestSchemasKeepTheirPromise(t *testing.T) {
	_, before, _ := keplersim(t, "schema", "comparison")
	for _, change := range []struct{ from, to, says string }{
		{`"quantity": {`, `"amount": {`, "quantity is gone"},
		{"\"failures\",\n", "", "failures may be left out"},
		{"\"quantity\": {\n          \"type\": \"string\"", "\"quantity\": {\n          \"type\": \"integer\"",
			"quantity changes its type"},
		{`"unit": {`, `"further": {}, "unit": {`, ""},
		{"keplersim:comparison:1", "keplersim:comparison:2", ""},
	} {
		after := strings.Replace(before, change.from, change.to, 1)
		require.NotEqual(t, before, after, change.from)
		found := breaks(t, before, after)
		if change.says == "" {
			assert.Empty(t, found, change.to)
		} else if assert.Len(t, found, 1, change.to) {
			assert.Contains(t, found[0], change.says)
		}
	}
	code, _, errOut := keplersim(t, "schema", "raport")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "did you mean report?")
}

// breaks lists the changes between two schemas of the same number that break the promise.
func breaks(t *testing.T, before, after string) (found []string) {
	var was, is map[string]any
	require.NoError(t, json.Unmarshal([]byte(before), &was))
	require.NoError(t, json.Unmarshal([]byte(after), &is))
	if was["$id"] != is["$id"] {
		return nil
	}
	var compare func(path string, was, is map[string]any)
	compare = func(path string, was, is map[string]any) {
		for _, key := range []string{"type", "$ref", "minItems", "maxItems", "const"} {
			if fmt.Sprint(was[key]) != fmt.Sprint(is[key]) {
				found = append(found, fmt.Sprintf("%s changes its %s", path, key))
			}
		}
		for _, name := range list(was["required"]) {
			if !slices.Contains(list(is["required"]), name) && object(is["properties"])[name.(string)] != nil {
				found = append(found, fmt.Sprintf("%s.%s may be left out", path, name))
			}
		}
		for _, within := range []string{"properties", "$defs"} {
			now := object(is[within])
			for name, member := range object(was[within]) {
				if now[name] == nil {
					found = append(found, fmt.Sprintf("%s.%s is gone", path, name))
					continue
				}
				compare(path+"."+name, object(member), object(now[name]))
			}
		}
		for _, within := range []string{"items", "additionalProperties"} {
			compareParts(compare, path+" "+within, was[within], is[within])
		}
	}
	compare("", was, is)
	return found
}

func compareParts(compare func(string, map[string]any, map[string]any), path string, was, is any) {
	if was != nil {
		compare(path, object(was), object(is))
	}
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// schema checks documents against a parsed schema. It supports only what our generator writes.
type schema struct {
	root     map[string]any
	mistakes []string
}

// hold checks a document. An unknown member is a mistake too: its writer did not use the type that the schema is made from.
func (s *schema) hold(path string, o map[string]any, v any) {
	if ref, ok := o["$ref"].(string); ok {
		o = object(object(s.root["$defs"])[strings.TrimPrefix(ref, "#/$defs/")])
	}
	if any := list(o["anyOf"]); any != nil {
		if v != nil {
			s.hold(path, object(any[0]), v)
		}
		return
	}
	wrong := func(format string, args ...any) {
		s.mistakes = append(s.mistakes, path+": "+fmt.Sprintf(format, args...))
	}
	if c, ok := o["const"]; ok && fmt.Sprint(c) != fmt.Sprint(v) {
		wrong("%v is not %v", v, c)
	}
	if e := list(o["enum"]); e != nil && !slices.Contains(e, v) {
		wrong("%v is none of %v", v, e)
	}
	types := list(o["type"])
	if one, ok := o["type"].(string); ok {
		types = []any{one}
	}
	if types != nil && !slices.ContainsFunc(types, func(t any) bool { return hasType(t.(string), v) }) {
		wrong("%v (%T) is no %v", v, v, types)
	}
	if number, ok := v.(float64); ok && o["minimum"] != nil && number < o["minimum"].(float64) {
		wrong("%v is too small", v)
	}
	for i, e := range list(v) {
		s.hold(fmt.Sprintf("%s[%d]", path, i), object(o["items"]), e)
	}
	if most, ok := o["maxItems"].(float64); ok && float64(len(list(v))) != most {
		wrong("%d elements", len(list(v)))
	}
	for _, name := range list(o["required"]) {
		if _, there := object(v)[name.(string)]; !there && v != nil {
			wrong("no %v", name)
		}
	}
	for name, member := range object(v) {
		within := path + "." + name
		switch known, others := object(o["properties"])[name], o["additionalProperties"]; {
		case known != nil:
			s.hold(within, object(known), member)
		case others != nil:
			s.hold(within, object(others), member)
		case o["type"] != nil:
			wrong("the schema has no %s", name)
		}
	}
}

// hasType reports whether a value is of a type of JSON Schema.
func hasType(kind string, v any) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	case []any:
		return kind == "array"
	}
	return kind == "object"
}

// mistakesIn returns the mistakes of a document.
func mistakesIn(t *testing.T, name, document string) []string {
	t.Helper()
	text, err := jsonschema.Text(name)
	require.NoError(t, err)
	var s schema
	require.NoError(t, json.Unmarshal(text, &s.root))
	var v any
	require.NoError(t, json.Unmarshal([]byte(document), &v), document)
	s.hold(name, s.root, v)
	return s.mistakes
}

// Reports of many kinds follow their schemas: timed, estimated, without timing, wrong, interrupted, with findings, over several boards.
func TestReportsHoldToTheirSchemas(t *testing.T) {
	before, after := filepath.Join(t.TempDir(), "before.json"), filepath.Join(t.TempDir(), "after.json")
	for _, test := range []struct {
		schema string
		code   int
		args   []string
	}{
		{"report", exitRan, []string{"run", "testdata/add-right.yaml", "--format", "json", "-o", before}},
		{"report", exitRan, []string{"run", "testdata/add-right.yaml", "--config", "k40", "--format", "json", "-o", after, "--power"}},
		{"report", exitFailed, []string{"run", "testdata/add-wrong.yaml", "--format", "json"}},
		{"report", exitRan, []string{"run", "testdata/add-right.yaml", "--functional", "--format", "json"}},
		{"report", exitRan, []string{"run", "testdata/add-right.yaml", "--metrics", "ipc,gld_*", "--reuse-distance", "--format", "json"}},
		{"report", exitFailed, []string{"run", "testdata/races.ptx", "--kernel", "smear", "--check", "--format", "json"}},
		{"report", exitFailed, []string{"run", "testdata/add-right.yaml", "--max-cycles", "10", "--format", "json"}},
		{"report", exitFailed, []string{"run", "testdata/deadlock.ptx", "--format", "json"}},
		{"report", exitRan, []string{"run", "../workloads/hyperq/hyperq.yaml", "--format", "json"}},
		{"report", exitRan, []string{"run", "../workloads/bfs-nested/bfs-nested.yaml", "--detail", "sample", "--format", "json"}},
		{"comparison", exitRan, []string{"compare", before, after, "--format", "json"}},
		{"occupancy", exitRan, []string{"occupancy", "--registers", "32", "--block", "256", "--format", "json"}},
		{"occupancy", exitRan, []string{"occupancy", "testdata/add.ptx", "--sweep", "block=64..128:64", "--format", "json"}},
		{"advice", exitRan, []string{"advise", "testdata/add-right.yaml", "--format", "json"}},
		{"program", exitRan, []string{"inspect", "testdata/two.ptx", "--format", "json"}},
		{"program", exitRan, []string{"inspect", "../workloads/bfs-nested/bfs-nested.ptx", "--format", "json"}},
		{"metrics", exitRan, []string{"metrics", "--format", "json"}},
		{"validation", exitRan, []string{"validate", "latency", "--row", "add-f32@k20", "--format", "json"}},
	} {
		code, out, errOut := keplersim(t, test.args...)
		require.Equal(t, test.code, code, "%v: %s", test.args, errOut)
		if i := slices.Index(test.args, "-o"); i >= 0 {
			out = mustRead(t, test.args[i+1])
		}
		assert.Empty(t, mistakesIn(t, test.schema, out), "%v", test.args)
	}
	assert.NotEmpty(t, mistakesIn(t, "report", `{"schema": 2, "kernels": [{"grid": [1, 2]}]}`))
}

// So do the lines of tables and the manifests of bundles.
func TestTablesAndBundlesHoldToTheirSchemas(t *testing.T) {
	folder := t.TempDir()
	study := bundleStudy(t, folder)
	t.Chdir(folder)
	code, out, errOut := keplersim(t, "sweep", study, "--store", "results", "--format", "jsonl", "--bundle", "b.tar.gz")
	require.Equal(t, exitFailed, code, errOut)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 8)
	for _, line := range lines {
		assert.Empty(t, mistakesIn(t, "table", line), line)
	}
	m, err := bundle.Unpack("b.tar.gz", t.TempDir())
	require.NoError(t, err)
	manifest, err := json.Marshal(m)
	require.NoError(t, err)
	assert.Empty(t, mistakesIn(t, "bundle", string(manifest)))
}
