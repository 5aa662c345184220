package configs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setOverride applies one KEY=VALUE to a merged tree. Whether the key exists and the value fits is checked later, when the tree is decoded,
// as for a file.
func setOverride(tree *value, override string) error {
	shown := "--set " + shortened(override)
	refuse := func(format string, args ...any) error {
		return Errors{{File: shown, Message: fmt.Sprintf(format, args...)}}
	}
	key, text, ok := strings.Cut(override, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return refuse("write KEY=VALUE, as in smx.count=13")
	}
	path, err := splitKey(key)
	if err != nil {
		return refuse("%v", err)
	}
	item, err := parseDocument(shown, text)
	if err != nil {
		return refuse("%q is not a value", shortened(text))
	}
	if strings.TrimSpace(text) == "" {
		return refuse("the value is missing")
	}
	relocate(item, position{file: shown})
	if path[0] == "extends" {
		return refuse("extends is set in a file, or by --config")
	}
	at := tree
	for i, step := range path {
		last := i == len(path)-1
		if at.shape == shapeList {
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(at.list) {
				return refuse("%s has the elements 0 to %d, not %s", strings.Join(path[:i], "."), len(at.list)-1, step)
			}
			if last {
				at.list[n] = item
			}
			at = at.list[n]
			continue
		}
		if at.shape == shapeText && isPolicy(path[:i]) { // a parameter of a policy that is written as its name alone
			name := *at
			*at = *newMap(at.position)
			at.put("name", name.position, &name)
		}
		if at.shape != shapeMap {
			return refuse("%s is a value, not a section", strings.Join(path[:i], "."))
		}
		if last {
			at.put(step, position{file: shown}, item)
			break
		}
		next, ok := at.items[step]
		if !ok {
			next = newMap(position{file: shown})
			at.put(step, position{file: shown}, next)
		}
		at = next
	}
	return nil
}

// isPolicy reports whether a path is that of a key that takes a policy.
func isPolicy(path []string) bool {
	name := strings.Join(path, ".")
	return slices.ContainsFunc(Keys(), func(k Key) bool { return k.Path == name && k.TakesParameters() })
}

// lastOfEach returns overrides without blanks around key and value. If a key has several, only the last is kept, in its place.
func lastOfEach(overrides []string) []string {
	var kept []string
	seen := map[string]bool{}
	for _, override := range slices.Backward(overrides) {
		key, value, _ := strings.Cut(override, "=")
		key = strings.TrimSpace(key)
		path, _ := splitKey(key) // setOverride has checked the key
		if canonical := strings.Join(path, "."); !seen[canonical] {
			seen[canonical] = true
			kept = append(kept, key+"="+strings.TrimSpace(value))
		}
	}
	slices.Reverse(kept)
	return kept
}

// shortened cuts a text that is too long for a message.
func shortened(s string) string {
	const most = 100
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// splitKey splits a key: smx.max_grid_dim[1] and smx.max_grid_dim.1 both give smx, max_grid_dim, 1.
func splitKey(key string) ([]string, error) {
	plain := strings.NewReplacer("[", ".", "]", "").Replace(key)
	path := strings.Split(plain, ".")
	for _, step := range path {
		if step == "" {
			return nil, fmt.Errorf("%q is not a key", key)
		}
	}
	return path, nil
}

// relocate sets the position of every node of a tree.
func relocate(v *value, at position) {
	v.position = at
	for _, item := range v.list {
		relocate(item, at)
	}
	for _, item := range v.items {
		item.key = at
		relocate(item, at)
	}
}
