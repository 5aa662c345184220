package host

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/sim/stats"
)

// mostQuoted bounds the quoted part of a source line, in characters; mostSource bounds the size of a file read for quotes, in bytes.
const (
	mostQuoted = 100
	mostSource = 16 << 20
)

// quotes finds the text of source lines. Debug information has the files' names from compilation: the files are searched there and next to
// the code.
type quotes struct {
	folders []string            // of the files of code
	texts   map[string][]byte   // of code, by its name in places
	lines   map[string][]string // of files already read; nil for missing files
	quoted  map[quotedLine]string
	own     bool // read only files next to the code
}

// quotedLine identifies a cached line.
type quotedLine struct {
	file string
	line int
}

// keep stores the text of code under its name in places, and remembers the folder of its file.
func (q *quotes) keep(path string, text []byte) {
	if q.texts == nil {
		q.texts, q.lines, q.quoted = map[string][]byte{}, map[string][]string{}, map[quotedLine]string{}
	}
	q.texts[code.PTXName(path)] = text
	q.folders = append(q.folders, filepath.Dir(path))
}

// fill adds the text to each source line of a launch, if available.
func (q *quotes) fill(l *stats.Launch) {
	for i := range l.Source {
		if s := &l.Source[i]; s.File != "" {
			s.Text = q.line(s.Place)
		}
	}
}

// Line returns the text of a line of the code or of its source, with line ends removed; "" if the file is missing.
func (j *Job) Line(at stats.Place) string { return j.quotes.line(at) }

// line is Line.
func (q *quotes) line(at stats.Place) string {
	if q.lines == nil {
		return ""
	}
	key := quotedLine{at.File, at.Line}
	text, known := q.quoted[key] // launches of one kernel ask for the same lines
	if !known {
		text = q.quote(at)
		q.quoted[key] = text
	}
	return text
}

// quote reads and trims the text of a source line.
func (q *quotes) quote(at stats.Place) string {
	lines, read := q.lines[at.File]
	if !read {
		lines = strings.Split(string(q.read(at.File)), "\n")
		q.lines[at.File] = lines
	}
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	text := strings.Join(strings.FieldsFunc(lines[at.Line-1], func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if r := []rune(text); len(r) > mostQuoted {
		return string(r[:mostQuoted-1]) + "…"
	}
	return text
}

// read returns a file's text: loaded code, the file itself, or a file of the same name next to the code. It reads only regular files,
// because the name comes from the code and may be anything.
func (q *quotes) read(name string) []byte {
	if text, ok := q.texts[name]; ok {
		return text
	}
	var candidates []string
	if !q.own {
		candidates = append(candidates, name)
	}
	for _, folder := range q.folders {
		if !q.own {
			candidates = append(candidates, filepath.Join(folder, name))
		}
		candidates = append(candidates, filepath.Join(folder, filepath.Base(name)))
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > mostSource {
			continue
		}
		if text, err := os.ReadFile(path); err == nil {
			return text
		}
	}
	return nil
}

// readNamed is readCode; it also keeps the text for quotes.
func (j *Job) readNamed(ctx context.Context, path string) ([]byte, error) {
	text, err := j.readCode(ctx, path)
	if err == nil {
		j.quotes.keep(path, text)
	}
	return text, err
}
