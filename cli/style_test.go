package cli

import (
	"cmp"
	"fmt"
	goast "go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// mostWords is the most words in a sentence. Code counts as one word.
const mostWords = 35

// avoided are constructions that make readers stumble, with replacements.
var avoided = []struct {
	found   *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\b(tell|tells|told) of\b`), "says, reports, describes"},
	{regexp.MustCompile(`(?i)\bbut for\b`), "except"},
	{regexp.MustCompile(`(?i)\bso many\b[^.]*\bas\b`), "as many as"},
	{regexp.MustCompile(`(?i)\bof which\b`), "a new sentence"},
	{regexp.MustCompile(`(?i)\bwhose\b[^.]*\bare those\b`), "a new sentence"},
	{regexp.MustCompile(`(?i)\bstands? in\b`), "is in"},
	{regexp.MustCompile(`(?i)\blies? (in|beside)\b`), "is in, is next to"},
	{regexp.MustCompile(`(?i)\bcomes? to\b`), "reaches, becomes"},
	{regexp.MustCompile(`(?i)\b(goes|go) by\b`), "follows, depends on"},
	{regexp.MustCompile(`(?i)\bbeside (each other|one another)\b`), "side by side, at the same time"},
	{regexp.MustCompile(`(?i)\bnobody\b`), "no one, nil, nothing"},
	{regexp.MustCompile(`(?i)\bthat is when\b`), "when"},
	{regexp.MustCompile(`(?i)\bby name\b[^.]*\brefused\b|\brefused by name\b`), "fails with an error that names it"},
	{regexp.MustCompile(`^Who\b[^?]*$`), "if you, readers who"},
	{regexp.MustCompile(`(?i)\b(has|have|had) (the|its|each|all) \w+ (come|do|go|take|run|wait)\b`), "advances, makes"},
}

// faultsOf returns the faults of sentences.
func faultsOf(sentences []string) (faults []string) {
	for _, s := range sentences {
		if n := wordsIn(s); n > mostWords {
			faults = append(faults, fmt.Sprintf("%d words: %s", n, s))
		}
		for _, a := range avoided {
			if m := a.found.FindString(s); m != "" {
				faults = append(faults, fmt.Sprintf("%q (%s): %s", m, a.instead, s))
			}
		}
	}
	return faults
}

// wordsIn counts words with a letter or a digit.
func wordsIn(sentence string) (n int) {
	for _, word := range strings.Fields(sentence) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// sentences splits a text after full stops, question marks and exclamation marks that are followed by a space and no small letter.
func sentences(text string) (all []string) {
	begin := 0
	runes := []rune(strings.Join(strings.Fields(text), " "))
	for i, r := range runes {
		if r != '.' && r != '?' && r != '!' {
			continue
		}
		end := i + 1
		for end < len(runes) && strings.ContainsRune(`)"'*”’`, runes[end]) {
			end++
		}
		if end+1 < len(runes) && runes[end] == ' ' && !unicode.IsLower(runes[end+1]) {
			all, begin = append(all, string(runes[begin:end])), end+1
		}
	}
	return append(all, string(runes[begin:]))
}

// prose returns the sentences of a page: paragraphs, headings, items of lists and cells of tables. Code in a line is one word.
func prose(page []byte) (all []string) {
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(page))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *tables.TableCell:
			if entering {
				all = append(all, sentences(inline(n, page))...)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return all
}

// inline returns the text of a node's children.
func inline(n ast.Node, page []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.CodeSpan:
			b.WriteString("CODE")
		case *ast.Text:
			b.Write(c.Value(page))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		default:
			b.WriteString(inline(c, page))
		}
	}
	return b.String()
}

// plain returns the sentences of a help text: its paragraphs, and the lines of its tables with their continuations.
func plain(help string) (all []string) {
	for part := range strings.SplitSeq(help, "\n\n") {
		for _, item := range regexp.MustCompile(`\n {2,4}(?:\S)`).Split("\n"+part, -1) {
			all = append(all, sentences(item)...)
		}
	}
	return all
}

// allProse returns the sentences of documents and help texts, by place.
func allProse(t *testing.T) map[string][]string {
	all := map[string][]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "lab/lessons/text/*.md"} {
		files, err := filepath.Glob(filepath.Join("..", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			page, err := os.ReadFile(file)
			require.NoError(t, err)
			// Each key of a lesson is one line.
			if front, body, ok := strings.Cut(string(page), "\n---\n"); ok && strings.HasPrefix(front, "---\n") {
				page = []byte(strings.ReplaceAll(front[len("---\n"):], "\n", "\n\n") + "\n\n" + body)
			}
			all[filepath.ToSlash(file[len("../"):])] = prose(page)
		}
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := "help of " + c.CommandPath()
		if strings.Contains(name, " completion") { // Cobra's
			return
		}
		all[name] = append(plain(c.Short), plain(c.Long)...)
		c.Flags().VisitAll(func(f *pflag.Flag) { all[name] = append(all[name], plain(f.Usage)...) })
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(newRootCommand())
	return all
}

// said returns the sentences of a Go file's strings, with their lines: errors, findings, advice, tables. A formatting verb counts as one
// word.
func said(t *testing.T, file string) (all []string) {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var walk func(goast.Node) bool
	say := func(e goast.Expr) {
		for _, s := range sentences(literal(e)) {
			if wordsIn(s) > 3 {
				all = append(all, fmt.Sprintf("%s (line %d)", s, set.Position(e.Pos()).Line))
			}
		}
	}
	walk = func(n goast.Node) bool {
		switch n := n.(type) {
		case *goast.ImportSpec:
			return false
		case *goast.BinaryExpr:
			if n.Op == token.ADD && literal(n) != "" {
				say(n)
				return false
			}
		case *goast.BasicLit:
			say(n)
		}
		return true
	}
	goast.Inspect(tree, walk)
	return all
}

// literal returns the text of a string literal, or of a sum that begins or ends with one; other parts become CODE. Raw strings count as
// code.
func literal(e goast.Expr) string {
	switch e := e.(type) {
	case *goast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING && e.Value[0] == '"' {
			return s
		}
	case *goast.BinaryExpr:
		if left, right := literal(e.X), literal(e.Y); e.Op == token.ADD && left+right != "" {
			return cmp.Or(left, " CODE ") + cmp.Or(right, " CODE ")
		}
	}
	return ""
}

// Sentences in documents and help are short, and free of constructions to avoid.
func TestStyle(t *testing.T) {
	read := allProse(t)
	for _, name := range slices.Sorted(maps.Keys(read)) {
		if faults := faultsOf(read[name]); len(faults) > 0 {
			assert.Fail(t, "sentences to mend", "%s has %d:\n%s", name, len(faults), strings.Join(faults, "\n"))
		}
	}
}

// So are the program's strings: errors, findings and tables. Strings of tools, test kits and tests are not shown to users, and those of
// fuzz are PTX.
func TestStyleOfStrings(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(file)[len(".."):]
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "node_modules" ||
				slices.Contains([]string{"/.git", "/bin", "/tools", "/testkit", "/fuzz", "/testdata", "/examples"}, name) {
				return fs.SkipDir
			}
			return nil
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		if faults := faultsOf(said(t, file)); len(faults) > 0 {
			assert.Fail(t, "sentences to mend", "%s has %d:\n%s", name[1:], len(faults), strings.Join(faults, "\n"))
		}
		return nil
	}))
	assert.Greater(t, files, 500)
}

// commented returns the sentences of a Go file's comments, with their lines. Indented lines are code.
func commented(t *testing.T, file string) (all []string) {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution|parser.ParseComments)
	require.NoError(t, err)
	for _, c := range tree.Comments {
		var paragraph strings.Builder
		for line := range strings.SplitSeq(c.Text()+"\n", "\n") {
			switch {
			case strings.HasPrefix(line, "\t"):
			case line == "" || strings.HasPrefix(strings.TrimSpace(line), "- "):
				for _, s := range sentences(paragraph.String()) {
					all = append(all, fmt.Sprintf("%s (line %d)", s, set.Position(c.Pos()).Line))
				}
				paragraph.Reset()
				paragraph.WriteString(line + " ")
			default:
				paragraph.WriteString(line + " ")
			}
		}
	}
	return all
}

// So are comments.
func TestStyleOfComments(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "bin" {
				return fs.SkipDir
			}
			return nil
		case filepath.Ext(file) != ".go":
			return nil
		}
		files++
		if faults := faultsOf(commented(t, file)); len(faults) > 0 {
			name := filepath.ToSlash(file)[len("../"):]
			assert.Fail(t, "sentences to mend", "%s has %d:\n%s", name, len(faults), strings.Join(faults, "\n"))
		}
		return nil
	}))
	assert.Greater(t, files, 1000)
}

func TestStyleFindsFaults(t *testing.T) {
	long := strings.Repeat("Word ", mostWords)
	assert.Empty(t, faultsOf(prose([]byte("# Title\n\n"+long+".\n"+long+". `of which and more`\n\n```\n"+long+long+"\n```\n"))))
	assert.Len(t, faultsOf(prose([]byte("Short. "+long+"`one more`.\n\n| a | b |\n|---|---|\n| "+long+"more | nobody reads it |\n"))), 3)
	assert.Len(t, faultsOf(plain("It is well.\n\n  flag   "+long+"\n         more\n  other  which tells of it")), 2)
	assert.Equal(t, []string{"See 3.5 of it.", `He said "no."`, "Ok"}, sentences("See 3.5\nof it. He said \"no.\" Ok"))
}
