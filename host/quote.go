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

// mostQuoted is how many characters of a source line reports show, and mostSource how large a file is read for that, in bytes.
const (
	mostQuoted = 100
	mostSource = 16 << 20
)

// quotes finds the text of source lines. Debug information names files as the compiler was given them: they are looked for there, and
// beside the code that was made of them.
type quotes struct {
	folders []string            // of the files of code
	texts   map[string][]byte   // of code, by the name that places give it
	lines   map[string][]string // of files that have been read; nil for those that are not there
	quoted  map[quotedLine]string
	own     bool // no files but those beside the code
}

// quotedLine is a line whose text has been asked for.
type quotedLine struct {
	file string
	line int
}

// keep notes the text of code under the name that its places have, and the folder of its file.
func (q *quotes) keep(path string, text []byte) {
	if q.texts == nil {
		q.texts, q.lines, q.quoted = map[string][]byte{}, map[string][]string{}, map[quotedLine]string{}
	}
	q.texts[code.PTXName(path)] = text
	q.folders = append(q.folders, filepath.Dir(path))
}

// fill gives each source line of a launch its text, where there is one.
func (q *quotes) fill(l *stats.Launch) {
	for i := range l.Source {
		if s := &l.Source[i]; s.File != "" {
			s.Text = q.line(s.Place)
		}
	}
}

// Line returns the text of a line of the code or of the source that it was made from, on one line of its own; "" where its file is not at
// hand.
func (j *Job) Line(at stats.Place) string { return j.quotes.line(at) }

// line returns the text of a source line on one line of its own, "" where its file is not at hand.
func (q *quotes) line(at stats.Place) string {
	if q.lines == nil {
		return ""
	}
	key := quotedLine{at.File, at.Line}
	text, known := q.quoted[key] // each launch of a kernel asks for the same
	if !known {
		text = q.quote(at)
		q.quoted[key] = text
	}
	return text
}

// quote makes the text of a source line.
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

// read finds a file's text: code that was loaded, the file itself, or that of its name beside the code. What is no plain file is not read:
// the name comes from the code, and may be anything's.
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

// readNamed is readCode, and keeps the text for reports to quote.
func (j *Job) readNamed(ctx context.Context, path string) ([]byte, error) {
	text, err := j.readCode(ctx, path)
	if err == nil {
		j.quotes.keep(path, text)
	}
	return text, err
}
