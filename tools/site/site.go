package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
)

// repository is the base of links to files that are not on the site.
const repository = "https://github.com/keplersim/keplersim/blob/main/"

//go:embed web
var web embed.FS

var layout = template.Must(template.ParseFS(web, "web/page.html"))

// site has all pages and pictures.
type site struct {
	pages   []*page
	shelves []shelf
	// pictures are the files that pages show, by path from the root.
	pictures map[string][]byte
}

// shelf is a part of the docs index: its name and its pages.
type shelf struct {
	Name  string
	Pages []entry
}

// entry is a page on a shelf. Link is from the root.
type entry struct{ Title, Link string }

// read reads the pages of a repository.
func read(root string) (*site, error) {
	s := &site{pictures: map[string][]byte{}}
	sources := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return fmt.Errorf("a page of docs: %w", err)
		}
		name = filepath.ToSlash(name)
		switch path.Ext(name) {
		case ".md":
			sources = append(sources, name)
		case ".svg", ".png", ".gif":
			s.pictures[name], err = files.Read(file, 4<<20)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read docs: %w", err)
	}
	rendered := map[string]bool{}
	for _, name := range sources {
		rendered[name] = true
	}
	for _, name := range sources {
		text, err := files.Read(filepath.Join(root, filepath.FromSlash(name)), 4<<20)
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		p, err := render(name, text, rendered)
		if err != nil {
			return nil, err
		}
		s.pages = append(s.pages, p)
		if name == "docs/README.md" {
			s.shelves = p.shelves
		}
	}
	return s, nil
}

// at is a page's address: NAME.html for NAME.md, and the folder's index for a README.
func at(name string) string {
	folder, file := path.Split(name)
	if file == "README.md" {
		return folder + "index.html"
	}
	return folder + strings.TrimSuffix(file, ".md") + ".html"
}

// write writes the site's files below a folder.
func (s *site) write(folder string) error {
	put := func(name string, text []byte) error {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return fmt.Errorf("a folder of the site: %w", err)
		}
		return files.Write(to, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if err := addDocsLink(filepath.Join(folder, "lab", "index.html"), put); err != nil {
		return err
	}
	var sections []section
	for _, p := range s.pages {
		var out bytes.Buffer
		up := strings.Repeat("../", strings.Count(p.address, "/"))
		home, until := p.address == "index.html", "</h1>"
		if home {
			until = "</p>" // the end of the first paragraph
		}
		head, body, _ := strings.Cut(p.body, until)
		err := layout.Execute(&out, map[string]any{"Title": p.title, "Head": template.HTML(head + until), "Body": template.HTML(body),
			"Up": up, "Shelves": s.shelves, "Here": p.address, "Home": home, "Parts": p.parts()})
		if err != nil {
			return fmt.Errorf("%s: %w", p.address, err)
		}
		if err := put(p.address, out.Bytes()); err != nil {
			return err
		}
		sections = append(append(sections, p.sections...), p.terms...)
	}
	for name, picture := range s.pictures {
		if err := put(name, picture); err != nil {
			return err
		}
	}
	index, err := json.Marshal(sections)
	if err != nil {
		return fmt.Errorf("the index of the search: %w", err)
	}
	// A script, so that pages opened as files can load it, too.
	if err := put("index.js", append([]byte("const sections = "), index...)); err != nil {
		return err
	}
	for _, name := range []string{"style.css", "search.js"} {
		text, err := web.ReadFile("web/" + name)
		if err != nil {
			return fmt.Errorf("a part of the site: %w", err)
		}
		if err := put(name, text); err != nil {
			return err
		}
	}
	return nil
}

// addDocsLink adds a link to the documentation to the lab's page, if the lab is in the site's folder.
func addDocsLink(file string, put func(name string, text []byte) error) error {
	const last, link = `<a href="#bench">Bench</a>`, `<a href="../docs/index.html">Docs</a>`
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the lab's page: %w", err)
	}
	if !bytes.Contains(text, []byte(last)) {
		return fmt.Errorf("%s has no %s, behind which the link to the documentation is", file, last)
	}
	without := bytes.Replace(text, []byte(link), nil, 1) // if the site is written again
	return put("lab/index.html", bytes.Replace(without, []byte(last), []byte(last+link), 1))
}
