package main

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// Tables of rows written by hand. A section begins with
//
//	=== NAME | group=GROUP words=N target=TARGET shared=BYTES block=THREADS alone
//
// and holds instructions. Optional parts come first: `--- module`, `--- local`, `--- param DECLARATION | ARGUMENT` and `--- texture NAME
// GEOMETRY FORMAT CHANNELS` (with `changed` if the row writes to it); then `--- body` begins the instructions. The words of the first line
// have defaults, except the name: the group is the file's name, 1 word, target kepler.
//
//go:embed tables/*.txt
var tables embed.FS

// unassembled are forms in real programs that today's assemblers reject, with the reason. No kernel has them.
var unassembled = map[string]string{
	"div.rn.u64":      "illegal rounding modifier",
	"cvt.rzi.f32.f64": "illegal rounding modifier",
}

var heading = regexp.MustCompile(`(?m)^=== `)

// writtenRows returns the rows of the embedded tables.
func writtenRows() ([]row, error) {
	var rows []row
	files, err := fs.Glob(tables, "tables/*.txt")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := tables.ReadFile(file)
		if err != nil {
			return nil, err
		}
		group := strings.TrimSuffix(strings.TrimPrefix(file, "tables/"), ".txt")
		for _, section := range heading.Split(string(text), -1)[1:] {
			r, err := parseSection(group, section)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// parseSection reads one section without its ===.
func parseSection(group, section string) (row, error) {
	first, rest, _ := strings.Cut(section, "\n")
	name, options, _ := strings.Cut(first, "|")
	r := row{group: group, name: strings.TrimSpace(name), words: 1, target: kepler}
	for _, option := range strings.Fields(options) {
		key, text, _ := strings.Cut(option, "=")
		number := 0
		var err error
		switch key {
		case "group":
			r.group = text
		case "target":
			t, ok := targets[text]
			if !ok {
				return r, fmt.Errorf("%s: no target %s", r.name, text)
			}
			r.target = t
		case "alone":
			r.alone = true
		default:
			number, err = strconv.Atoi(text)
		}
		if err != nil {
			return r, fmt.Errorf("%s: %s: %w", r.name, option, err)
		}
		switch key {
		case "words":
			r.words = number
		case "shared":
			r.shared = number
		case "block":
			r.block = number
		}
	}
	part := &r.body
	for line := range strings.Lines(rest) {
		if words, ok := strings.CutPrefix(line, "--- "); ok {
			words = strings.TrimSpace(words)
			switch key, argument, _ := strings.Cut(words, " "); key {
			case "module":
				part = &r.module
			case "local":
				part = &r.local
			case "body":
				part = &r.body
			case "param":
				declaration, value, _ := strings.Cut(argument, "|")
				r.params = append(r.params, parameter{strings.TrimSpace(declaration), strings.TrimSpace(value)})
			case "texture":
				words := append(strings.Fields(argument), "", "", "", "")
				channels, err := strconv.Atoi(words[3])
				if err != nil {
					return r, fmt.Errorf("%s: %s: %w", r.name, line, err)
				}
				o := textureObject(words[0], words[1], texelFormat{words[2], channels, ""})
				r.objects = append(r.objects, o)
				if words[4] == "changed" {
					r.changed = append(r.changed, "texels_"+o.name)
				}
			default:
				return r, fmt.Errorf("%s: no part %s", r.name, key)
			}
			continue
		}
		*part += line
	}
	if strings.TrimSpace(r.body) == "" {
		return r, fmt.Errorf("%s has no body", r.name)
	}
	return r, nil
}
