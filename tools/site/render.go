package main

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// page is a page of the site.
type page struct {
	title, address, body string
	sections, terms      []section
	shelves              []shelf // only on docs/README.md
}

// section is a search result: a heading and the text below it.
type section struct {
	Page    string `json:"p"`
	Heading string `json:"h"`
	Address string `json:"a"`
	Text    string `json:"t"`
	level   int
}

// parts are the sections in a page's list of contents.
func (p *page) parts() (all []section) {
	for _, s := range p.sections {
		if s.level == 2 {
			all = append(all, s)
		}
	}
	return all
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe())) // the pages are ours

// render converts Markdown to a page. rendered contains the site's pages; links to other files lead to the repository.
func render(name string, source []byte, rendered map[string]bool) (*page, error) {
	p := &page{address: at(name)}
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{}))))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(target(name, string(n.Destination), rendered))
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				heading := string(plain(n, source))
				if p.title == "" {
					p.title = heading
				}
				p.sections = append(p.sections, section{p.title, heading, p.address + "#" + string(id.([]byte)), "", n.Level})
			}
		case *ast.Paragraph, *ast.TextBlock, *tables.TableCell:
			p.addText(string(plain(n, source)))
		case *ast.FencedCodeBlock:
			p.addText(string(n.Lines().Value(source)))
		case *tables.TableRow:
			// The search finds a table row that explains a term.
			if term, ok := n.FirstChild().FirstChild().(*ast.Emphasis); ok && term.Level == 2 && len(p.sections) > 0 {
				in := p.sections[len(p.sections)-1]
				name, meaning := string(plain(term, source)), string(plain(n.LastChild(), source))
				p.terms = append(p.terms, section{in.Page, name, in.Address, meaning, 0})
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if name == "docs/README.md" {
		p.shelves = shelvesOf(doc, source)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// Wide tables scroll, also by keyboard.
	scroll := strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>",
		"<pre>", `<pre tabindex="0">`)
	p.body = percent.ReplaceAllStringFunc(scroll.Replace(out.String()), func(found string) string {
		if strings.HasPrefix(found, "<pre") {
			return found
		}
		return strings.Replace(found, " ", "\u00a0", 1)
	})
	return p, nil
}

// percent matches numbers with a percent sign, to keep both on one line, and code, which stays unchanged.
var percent = regexp.MustCompile(`(?s)<pre.*?</pre>|\d %`)

// addText adds text to the last section.
func (p *page) addText(text string) {
	if len(p.sections) > 0 {
		last := &p.sections[len(p.sections)-1]
		last.Text = strings.TrimSpace(last.Text + " " + strings.Join(strings.Fields(text), " "))
	}
}

// target returns a link's target on the site.
func target(from, link string, rendered map[string]bool) string {
	file, anchor, anchored := strings.Cut(link, "#")
	if file == "" || strings.Contains(link, "://") {
		return link
	}
	to := path.Join(path.Dir(from), file)
	if !rendered[to] {
		return repository + to
	}
	up := strings.Repeat("../", strings.Count(from, "/"))
	if anchored {
		return up + at(to) + "#" + anchor
	}
	return up + at(to)
}

// plain returns a node's text.
func plain(n ast.Node, source []byte) (all []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			all = append(all, t.Value(source)...)
			if t.SoftLineBreak() {
				all = append(all, ' ')
			}
		} else {
			all = append(all, plain(c, source)...)
		}
	}
	return all
}

// shelvesOf reads the index: a heading for each shelf, up to its colon, and an item for each page.
func shelvesOf(doc ast.Node, source []byte) (all []shelf) {
	heading := ""
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				heading, _, _ = strings.Cut(string(plain(n, source)), ":")
			}
		case *ast.List: // a section without a list is no shelf
			all = append(all, shelf{Name: heading})
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				if link, ok := item.FirstChild().FirstChild().(*ast.Link); ok {
					on := &all[len(all)-1]
					on.Pages = append(on.Pages, entry{string(plain(link, source)), strings.TrimPrefix(string(link.Destination), "../")})
				}
			}
		}
	}
	return all
}

// anchors names headings as GitHub does.
type anchors struct{ taken map[string]int }

var unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := strings.ReplaceAll(unnamed.ReplaceAllString(strings.ToLower(strings.TrimSpace(string(value))), ""), " ", "-")
	if a.taken == nil {
		a.taken = map[string]int{}
	}
	n := a.taken[name]
	a.taken[name]++
	if n > 0 {
		return fmt.Appendf(nil, "%s-%d", name, n)
	}
	return []byte(name)
}

// Put implements parser.IDs.
func (a *anchors) Put([]byte) {}
