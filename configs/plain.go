package configs

import "strings"

// The chips that come with the simulator are written in a small part of YAML: sections by indentation, with a scalar, a list or a map in
// braces behind a key, and lists of maps in braces, a dash before each. It is read here in a tenth of the time that a reader of all of YAML
// takes, which would be a fourth of a small run's. Whatever is beyond it is left to that reader.

// plainLine is a line with something in it.
type plainLine struct {
	number, indent int
	text, comment  string // without indentation, comment and the blanks at the end
}

// plainReader reads a text, line by line.
type plainReader struct {
	file  string
	lines []plainLine // that are still to be read
}

// readPlain makes a tree of an embedded text, the same that parseDocument makes; false for a text that is not plain.
func readPlain(file, text string) (*value, bool) {
	r := &plainReader{file: file, lines: make([]plainLine, 0, strings.Count(text, "\n")+1)}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.ContainsAny(line, "\x00\t\r") {
			return nil, false
		}
		content, comment, commented := strings.Cut(strings.TrimSuffix(line, "\n"), " #")
		if commented {
			content = strings.TrimRight(content, " ")
		}
		bare := strings.TrimLeft(content, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		r.lines = append(r.lines, plainLine{number, len(content) - len(bare), bare, strings.TrimSpace(comment)})
	}
	if len(r.lines) == 0 || r.lines[0].indent != 0 {
		return nil, false
	}
	tree, ok := r.section()
	return tree, ok && len(r.lines) == 0
}

// at returns the position of a line's part.
func (r *plainReader) at(line *plainLine, part string) position {
	column := line.indent + len(line.text) - len(part) + 1
	return position{file: r.file, line: line.number, column: column, comment: line.comment}
}

// section reads the lines of a section: as far as they stand where the first does, or deeper.
func (r *plainReader) section() (*value, bool) {
	indent := r.lines[0].indent
	m := newMap(r.at(&r.lines[0], r.lines[0].text))
	for len(r.lines) > 0 && r.lines[0].indent >= indent {
		line := &r.lines[0]
		key, rest, ok := plainKey(line.text)
		if !ok || line.indent > indent || m.items[key] != nil {
			return nil, false
		}
		r.lines = r.lines[1:]
		at := r.at(line, line.text)
		var item *value
		if rest != "" {
			item, rest, ok = r.scalarOrFlow(line, rest, "")
			ok = ok && rest == ""
		} else if ok = len(r.lines) > 0 && r.lines[0].indent > indent; ok {
			item, ok = r.below()
		}
		if !ok {
			return nil, false
		}
		m.put(key, at, item)
	}
	return m, true
}

// below reads what stands below a key: a section, or a list.
func (r *plainReader) below() (*value, bool) {
	first := &r.lines[0]
	if !strings.HasPrefix(first.text, "- ") {
		return r.section()
	}
	list := &value{position: r.at(first, first.text), shape: shapeList}
	for len(r.lines) > 0 && r.lines[0].indent >= first.indent {
		line := &r.lines[0]
		text, dash := strings.CutPrefix(line.text, "- ")
		if !dash || line.indent > first.indent || !strings.HasPrefix(text, "{") {
			return nil, false
		}
		item, rest, ok := r.scalarOrFlow(line, text, "")
		if !ok || rest != "" {
			return nil, false
		}
		list.list = append(list.list, item)
		r.lines = r.lines[1:]
	}
	return list, true
}

// plainKey parts a key, of letters, digits and _, from what stands behind its colon and the blanks after that.
func plainKey(text string) (key, rest string, ok bool) {
	key, rest, ok = strings.Cut(text, ":")
	if key == "" || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || key[0] >= '0' && key[0] <= '9' || isReserved(key) {
		return "", "", false
	}
	bare := strings.TrimLeft(rest, " ")
	return key, bare, ok && (rest == "" || bare != rest)
}

// scalarOrFlow reads one value at the beginning of a line's part; rest is what follows. Within brackets or braces a scalar ends with one of
// the characters in ends.
func (r *plainReader) scalarOrFlow(line *plainLine, text, ends string) (v *value, rest string, ok bool) {
	switch {
	case text == "":
		return nil, "", false
	case text[0] == '{':
		return r.flow(line, text, newMap(position{}), "},")
	case text[0] == '[':
		return r.flow(line, text, &value{position: r.at(line, text), shape: shapeList}, "],")
	case text[0] == '"' && ends == "":
		content, end, closed := strings.Cut(text[1:], `"`)
		return &value{position: r.at(line, text), shape: shapeText, text: content}, "", closed && end == "" && isPlain(content)
	}
	scalar, rest := text, ""
	if n := strings.IndexAny(text, ends); n >= 0 {
		scalar, rest = text[:n], text[n:]
	}
	s, ok := plainShape(scalar)
	return &value{position: r.at(line, text), shape: s, text: scalar}, rest, ok && !strings.HasSuffix(scalar, " ")
}

// flow reads a list in brackets or a map in braces into v; ends are the character that closes it and the comma.
func (r *plainReader) flow(line *plainLine, text string, v *value, ends string) (_ *value, rest string, ok bool) {
	for text[0] != ends[0] {
		text = strings.TrimLeft(text[1:], " ")
		var key string
		at := r.at(line, text)
		if v.shape == shapeMap {
			if key, text, ok = plainKey(text); !ok || v.items[key] != nil {
				return nil, "", false
			}
		}
		item, rest, ok := r.scalarOrFlow(line, text, ends)
		if text = strings.TrimLeft(rest, " "); !ok || text == "" || !strings.Contains(ends, text[:1]) {
			return nil, "", false
		}
		if v.shape == shapeList {
			v.list = append(v.list, item)
			continue
		}
		if len(v.keys) == 0 {
			v.position = at // as of every map
		}
		v.put(key, at, item)
	}
	return v, text[1:], true
}

// plainShape returns what a scalar without quotes is; false for one that is not plain.
func plainShape(s string) (shape, bool) {
	switch {
	case s == "true", s == "false":
		return shapeBool, true
	case !isPlain(s) || isReserved(s) || strings.Contains(s, ": ") || strings.HasSuffix(s, ":"):
		return shapeNull, false
	case s[0] >= 'a' && s[0] <= 'z', s[0] >= 'A' && s[0] <= 'Z':
		return shapeText, true
	}
	whole, part, point := strings.Cut(s, ".")
	const digits = "0123456789"
	switch leading := len(whole) > 1 && whole[0] == '0'; {
	case whole == "" || leading:
		return shapeNull, false
	case strings.Trim(whole, digits) == "" && strings.Trim(part, digits) == "" && point == (part != ""):
		return shapeNumber, true
	case !point && strings.Trim(whole[:len(whole)-1], digits) == "" && strings.Contains("KMG", whole[len(whole)-1:]):
		return shapeText, true
	}
	return shapeNull, false
}

// isPlain tells whether a text has characters that mean nothing but themselves, and one at least.
func isPlain(s string) bool {
	return s != "" && strings.TrimFunc(s, func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(" ,:./()_-", c)
	}) == ""
}

// isReserved tells whether YAML takes a word, in whatever case, for something else than text.
func isReserved(word string) bool {
	switch len(word) {
	case 3, 4, 5:
		switch strings.ToLower(word) {
		case "null", "true", "false", "nan", "inf":
			return true
		}
	}
	return false
}
