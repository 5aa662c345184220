package configs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/arch"
	_ "github.com/keplersim/keplersim/arch/all" // registers the generations, with their capabilities
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/yamllimits"
)

//go:embed *.yaml
var embedded embed.FS

// isFamily reports whether an embedded file is no chip, but what all chips of a generation have in common.
func isFamily(name string) bool {
	return slices.ContainsFunc(arch.Generations(), func(g *arch.Generation) bool { return g.Family() == name })
}

// Entry is one configuration that comes with the simulator.
type Entry struct {
	// Name is the name for --config.
	Name string
	// Extends is the name of the configuration that it extends.
	Extends string
	// Config is the resolved configuration.
	Config *Config
}

// List returns every chip and board that comes with the simulator, sorted by name.
func List() ([]Entry, error) {
	var list []Entry
	for _, name := range EmbeddedNames() {
		config, err := Load(name, nil)
		if err != nil {
			return nil, err
		}
		entry := Entry{Name: name, Config: config}
		if len(config.files) > 1 {
			entry.Extends = strings.TrimSuffix(config.files[1], ".yaml")
		}
		list = append(list, entry)
	}
	return list, nil
}

// EmbeddedNames returns the chips and boards that come with the simulator, sorted.
func EmbeddedNames() []string {
	files, err := fs.Glob(embedded, "*.yaml")
	if err != nil {
		panic(err) // the pattern is ours
	}
	var names []string
	for _, file := range files {
		if name := strings.TrimSuffix(file, ".yaml"); !isFamily(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Embedded reports whether a chip or board that comes with the simulator has the name. It ignores files in the working directory.
func Embedded(name string) bool { return slices.Contains(EmbeddedNames(), name) }

// Load finds, resolves and checks a configuration. The name is an embedded one (gk110, gk110.yaml) or a file's path; for a name with .yaml,
// a file in the working directory wins. Each override is KEY=VALUE, as in smx.count=13 or smx.max_grid_dim[2]=700; the last one for a key
// wins. The error is an Errors, or says that there is no such configuration.
func Load(nameOrPath string, overrides []string) (*Config, error) {
	start, err := find(nameOrPath, "")
	if err != nil {
		return nil, err
	}
	if family, embedded := strings.CutPrefix(start.identity, "embedded:"); embedded && isFamily(family) {
		return nil, fmt.Errorf(
			"config %s: it is what the chips have in common, not a chip; take one of %s", family, strings.Join(EmbeddedNames(), ", "),
		)
	}
	tree, origin, err := resolve(start, nil)
	if err != nil {
		return nil, err
	}
	for _, override := range overrides {
		if err := setOverride(tree, override); err != nil {
			return nil, err
		}
	}
	d := &decoder{origins: make(map[string]position, 700), missing: position{file: start.shown, line: 1, column: 1}}
	config := &Config{}
	d.section("", tree, reflect.ValueOf(config).Elem())
	if len(d.errors) == 0 {
		d.crossCheck(config)
	}
	if len(d.errors) > 0 {
		return nil, d.errors
	}
	config.origins, config.files, config.set = d.origins, origin, lastOfEach(overrides)
	if !start.disk {
		config.base = strings.TrimSuffix(start.shown, ".yaml")
	}
	return config, nil
}

// file is a configuration's file that was found.
type file struct {
	shown    string // its name in messages
	identity string // equal for two names of one file
	dir      string // the folder from which a relative extends is looked up; empty for an embedded file
	disk     bool
}

// find finds the file or the embedded configuration of a name. Relative paths start at dir.
func find(name, dir string) (file, error) {
	base := strings.TrimSuffix(name, ".yaml")
	bare := !strings.ContainsAny(name, `/\`)
	if !bare || name != base || strings.HasSuffix(name, ".yml") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, name)
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			absolute, err := filepath.Abs(path)
			if err != nil {
				return file{}, fmt.Errorf("config %s: %w", name, err)
			}
			return file{shown: path, identity: absolute, dir: filepath.Dir(path), disk: true}, nil
		} else if !bare || err == nil {
			if err == nil {
				err = errors.New("is a folder")
			}
			return file{}, fmt.Errorf("config %s: %w", name, err)
		}
	}
	if _, err := fs.Stat(embedded, base+".yaml"); err == nil {
		return file{shown: base + ".yaml", identity: "embedded:" + base}, nil
	}
	names := EmbeddedNames()
	message := fmt.Sprintf("config %s: no such file, and none of that name comes with the simulator", name)
	if near, ok := nearest(base, names); ok {
		return file{}, fmt.Errorf("%s; did you mean %s?", message, near)
	}
	return file{}, fmt.Errorf("%s (%s)", message, strings.Join(names, ", "))
}

// read returns the file's text.
func (f file) read() (string, error) {
	read := embedded.ReadFile
	if f.disk {
		read = func(path string) ([]byte, error) { return files.Read(path, yamllimits.MostBytes) }
	}
	text, err := read(f.shown)
	if err != nil {
		return "", fmt.Errorf("config %s: %w", f.shown, err)
	}
	return string(text), nil
}

// parsed caches parsed embedded files, by name.
var parsed sync.Map

// parse returns the file's tree, a copy that the caller may change. Embedded files are cached, since validation loads a board for each of
// hundreds of rows.
func (f file) parse() (*value, error) {
	if tree, ok := parsed.Load(f.shown); ok && !f.disk {
		return tree.(*value).clone(), nil
	}
	text, err := f.read()
	if err != nil {
		return nil, err
	}
	tree, err := parseDocument(f.shown, text)
	if err != nil {
		return nil, asErrors(err)
	}
	if !f.disk {
		parsed.Store(f.shown, tree.clone())
	}
	return tree, nil
}

// resolve reads a file and what it extends, and merges them. files are their names, the extending one first. above are the files that
// extend this one, to detect cycles.
func resolve(f file, above []file) (tree *value, files []string, err error) {
	if tree, err = f.parse(); err != nil {
		return nil, nil, err
	}
	if tree.shape != shapeMap {
		return nil, nil, Errors{
			{File: f.shown, Line: tree.line, Column: tree.column, Message: "is " + tree.shape.String() + ", and must be sections of keys"},
		}
	}
	if _, ok := tree.items["name"]; !ok {
		name := strings.TrimSuffix(filepath.Base(f.shown), filepath.Ext(f.shown))
		tree.put("name", position{file: f.shown, line: 1, column: 1}, &value{
			position: position{file: f.shown, line: 1, column: 1}, shape: shapeText, text: name,
		})
	}
	parentName, ok := tree.items["extends"]
	if !ok {
		return tree, []string{f.shown}, nil
	}
	refuse := func(format string, args ...any) (*value, []string, error) {
		at := parentName.position
		return nil, nil, Errors{{File: at.file, Line: at.line, Column: at.column, Key: "extends", Message: fmt.Sprintf(format, args...)}}
	}
	if parentName.shape != shapeText {
		return refuse("is %s, and must be the name or the path of a configuration", parentName.shape)
	}
	parent, err := find(parentName.text, f.dir)
	if err != nil {
		return refuse("%v", err)
	}
	above = append(above, f)
	for i, a := range above {
		if a.identity == parent.identity {
			var circle []string
			for _, c := range above[i:] {
				circle = append(circle, c.shown)
			}
			return refuse("goes in a circle: %s extends %s", strings.Join(circle, " extends "), parent.shown)
		}
	}
	base, files, err := resolve(parent, above)
	if err != nil {
		return nil, nil, err
	}
	merge(base, tree)
	delete(base.items, "extends")
	base.keys = slices.DeleteFunc(base.keys, func(key string) bool { return key == "extends" })
	return base, append([]string{f.shown}, files...), nil
}

func asErrors(err error) error {
	var one *Error
	if errors.As(err, &one) {
		return Errors{one}
	}
	return err
}

// merge lays one map over another: sections key by key, everything else whole. A section with a name is a policy and replaces the one below
// whole, because its parameters mean nothing to another policy.
func merge(base, over *value) {
	for _, key := range over.keys {
		item := over.items[key]
		_, named := item.items["name"]
		if below, ok := base.items[key]; ok && below.shape == shapeMap && item.shape == shapeMap && !named {
			merge(below, item)
			continue
		}
		base.put(key, item.key, item)
	}
}
