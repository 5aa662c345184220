package lessons

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/keplersim/keplersim/internal/yamllimits"
	"github.com/keplersim/keplersim/lab/exercise"
)

// markdown returns a converter to HTML. It drops raw HTML, so that a lesson cannot bring scripts.
func markdown(blocks renderer.NodeRendererFunc) goldmark.Markdown {
	m := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Typographer),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	if blocks != nil {
		m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(fenced(blocks), 1)))
	}
	return m
}

// fenced renders only fenced blocks.
type fenced renderer.NodeRendererFunc

// RegisterFuncs implements renderer.NodeRenderer.
func (f fenced) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, renderer.NodeRendererFunc(f))
}

// block is a fenced block with a meaning for the lab.
type block struct {
	language, kind, name string
	cell                 string // of a scene
	text                 string
	line                 int // of its first line in the lesson
}

// render fills in the lesson's HTML, cells and exercises from a body that begins at line first of the file.
func (l *Lesson) render(body []byte, first int) error {
	var failure error
	m := markdown(func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		b, err := l.blockOf(node.(*ast.FencedCodeBlock), source, first)
		if err == nil {
			err = l.take(w, b)
		}
		failure = errors.Join(failure, err)
		return ast.WalkContinue, nil
	})
	var out bytes.Buffer
	if err := m.Convert(body, &out); err != nil {
		return fmt.Errorf("%s: %w", l.file, err)
	}
	l.HTML = out.String()
	return failure
}

// blockOf reads a block's first line: a language, and a kind with a name.
func (l *Lesson) blockOf(node *ast.FencedCodeBlock, source []byte, first int) (block, error) {
	b := block{line: first}
	var content strings.Builder
	lines := node.Lines()
	for i := range lines.Len() {
		segment := lines.At(i)
		if i == 0 {
			b.line = first + bytes.Count(source[:segment.Start], []byte("\n"))
		}
		content.Write(segment.Value(source))
	}
	b.text = content.String()
	if node.Info == nil {
		return b, nil
	}
	info := strings.Fields(string(node.Info.Segment.Value(source)))
	if len(info) == 0 {
		return b, nil
	}
	b.language = info[0]
	if len(info) == 2 {
		kind, scene := strings.CutPrefix(info[0], "scene=")
		cell, of := strings.CutPrefix(info[1], "cell=")
		if scene && of {
			b.language, b.kind, b.name, b.cell = "yaml", "scene", kind, cell
			return b, nil
		}
	}
	if len(info) == 1 {
		return b, nil
	}
	var named bool
	if b.kind, b.name, named = strings.Cut(info[1], "="); !named || b.name == "" || len(info) > 2 {
		return b, fmt.Errorf("%s:%d: a block's first line is a language, or a language and one of cell=, hidden=, module=, workload=, "+
			"exercise=, answer=, wrong= with a name, or scene= and cell=", l.file, b.line)
	}
	return b, nil
}

// take records a block, and writes the HTML that replaces it.
func (l *Lesson) take(w util.BufWriter, b block) error {
	place := fmt.Sprintf("%s:%d", l.file, b.line)
	code := exercise.Code{Language: exercise.Language(b.language), Text: strings.TrimRight(b.text, "\n"), Line: b.line}
	if code.Language == exercise.PTX || code.Language == exercise.Scheduler {
		code.PTX = code.Text
	}
	isCode := slices.Contains([]exercise.Language{exercise.PTX, exercise.CUDA, exercise.Scheduler}, code.Language)
	switch {
	case b.kind == "" && b.language == "question":
		return writeQuestion(w, place, b.text)
	case b.kind == "":
		fmt.Fprintf(w, "<pre><code class=\"language-%s\">%s</code></pre>\n", html.EscapeString(b.language), html.EscapeString(b.text))
		return nil
	case b.kind == "cell" && isCode:
		l.cell(b.name).Code = code
		fmt.Fprintf(w, "<section class=\"cell\" data-cell=\"%s\"></section>\n", html.EscapeString(b.name))
	case b.kind == "hidden" && isCode: // runs only in scenes
		l.cell(b.name).Code = code
	case b.kind == "module" && isCode: // runs under a scheduler
		l.cell(b.name).Fixed = &code
	case b.kind == "scene":
		s := &Scene{Kind: b.name, Cell: b.cell, Cycles: cyclesOf(b.name), line: b.line}
		if err := yamllimits.Unmarshal([]byte(b.text), s); err != nil {
			return fmt.Errorf("scene %s: %w", b.name, yamlError(l.file, b.line-1, err))
		}
		fmt.Fprintf(w, "<section class=\"scene\" data-scene=\"%d\"></section>\n", len(l.Scenes))
		l.Scenes = append(l.Scenes, s)
	case b.kind == "workload" && b.language == "yaml":
		l.cell(b.name).Workload = b.text
	case b.kind == "answer" && isCode:
		l.exercise(b.name).Answer = code
	case b.kind == "wrong" && isCode:
		l.exercise(b.name).Wrong = code
	case b.kind == "exercise" && b.language == "yaml":
		e := l.exercise(b.name)
		e.Line = b.line
		if err := yamllimits.Unmarshal([]byte(b.text), e); err != nil {
			return fmt.Errorf("exercise %s: %w", b.name, yamlError(l.file, b.line-1, err))
		}
		fmt.Fprintf(w, "<section class=\"exercise\" data-exercise=\"%s\"></section>\n", html.EscapeString(b.name))
		return renderTexts(e)
	default:
		return fmt.Errorf("%s: a block %s=%s in %q: cells and answers are ptx or cuda, workloads and exercises yaml",
			place, b.kind, b.name, b.language)
	}
	return nil
}

// writeQuestion writes a question with its folded answer.
func writeQuestion(w util.BufWriter, place, body string) error {
	question, answer, found := strings.Cut(body, "\n---\n")
	if !found {
		return fmt.Errorf("%s: a question and its answer are parted by a line of ---", place)
	}
	var q, a bytes.Buffer
	if err := errors.Join(markdown(nil).Convert([]byte(question), &q), markdown(nil).Convert([]byte(answer), &a)); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	fmt.Fprintf(w, "<details class=\"question\"><summary>%s</summary>%s</details>\n", strings.TrimSpace(inline(q.String())), a.String())
	return nil
}

// inline returns a paragraph without its <p> element.
func inline(paragraph string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(paragraph), "<p>"), "</p>")
}

// renderTexts converts the task and the hints to HTML.
func renderTexts(e *exercise.Exercise) error {
	for _, text := range append([]*string{&e.Task}, pointers(e.Hints)...) {
		var out bytes.Buffer
		if err := markdown(nil).Convert([]byte(*text), &out); err != nil {
			return fmt.Errorf("exercise %s: %w", e.Name, err)
		}
		*text = out.String()
	}
	return nil
}

func pointers(texts []string) (all []*string) {
	for i := range texts {
		all = append(all, &texts[i])
	}
	return all
}

// cell returns the cell of a name, and makes it if there is none.
func (l *Lesson) cell(name string) *exercise.Cell {
	if c := l.Cell(name); c != nil {
		return c
	}
	c := &exercise.Cell{Name: name}
	l.Cells = append(l.Cells, c)
	return c
}

// exercise returns the exercise of a name, and makes it if there is none.
func (l *Lesson) exercise(name string) *exercise.Exercise {
	for _, e := range l.Exercises {
		if e.Name == name {
			return e
		}
	}
	e := &exercise.Exercise{Name: name}
	l.Exercises = append(l.Exercises, e)
	return e
}

// Codes returns the CUDA C of the lesson: cells, answers and wrong answers.
func (l *Lesson) Codes() (all []*exercise.Code) {
	for _, c := range l.Cells {
		all = append(all, &c.Code)
		if c.Fixed != nil {
			all = append(all, c.Fixed)
		}
	}
	for _, e := range l.Exercises {
		all = append(all, &e.Answer, &e.Wrong)
	}
	for i := 0; i < len(all); {
		if all[i].Language != exercise.CUDA {
			all = append(all[:i], all[i+1:]...)
			continue
		}
		i++
	}
	return all
}

// CompiledName returns the name, in the folder of the lessons, of the file with a text's PTX.
func CompiledName(c *exercise.Code) string {
	sum := sha256.Sum256([]byte(c.Text))
	return "compiled/" + hex.EncodeToString(sum[:8]) + ".ptx"
}

// findCompiled reads the PTX of the lesson's CUDA C from the folder of the lessons, if it is there.
func (l *Lesson) findCompiled(folder fs.FS) error {
	for _, c := range l.Codes() {
		ptx, err := fs.ReadFile(folder, CompiledName(c))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("read what %s was compiled to: %w", l.file, err)
		default:
			c.PTX = string(ptx)
		}
	}
	return nil
}
