package lab

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/lab/lessons"
	"github.com/keplersim/keplersim/report/glossary"
	"github.com/keplersim/keplersim/sim/stats"
)

//go:embed web
var web embed.FS

//go:embed lessons/text
var texts embed.FS

// Lessons returns the lessons that come with the lab.
func Lessons() ([]*lessons.Lesson, error) {
	folder, err := fs.Sub(texts, "lessons/text")
	if err != nil {
		return nil, fmt.Errorf("the lessons: %w", err)
	}
	return lessons.ReadAll(folder)
}

// content is the data of the pages: content.json.
type content struct {
	Version string            `json:"version"`
	Lessons []*lessons.Lesson `json:"lessons"`
	Chips   []string          `json:"chips"`
	Words   map[string]string `json:"words"` // the glossary: terms with their meanings
	// Knobs are keys of the configuration worth turning, Own their values on each chip.
	Knobs []knob                       `json:"knobs"`
	Own   map[string]map[string]string `json:"own"`
	// Server says that the page comes from a lab server.
	Server bool `json:"server"`
}

// contents returns the lab's files by name, except the engine.
func contents(all []*lessons.Lesson, version string, server bool) (map[string][]byte, error) {
	c := content{Version: version, Lessons: all, Words: map[string]string{}, Server: server}
	for _, t := range glossary.All() {
		c.Words[t.Name] = t.Meaning
	}
	for r := range stats.StallCount {
		c.Words[r.String()] = r.Meaning()
	}
	chips, err := configs.List()
	if err != nil {
		return nil, fmt.Errorf("list the chips: %w", err)
	}
	for _, e := range chips {
		c.Chips = append(c.Chips, e.Name)
	}
	if c.Knobs, c.Own, err = knobsWithSchema(c.Chips); err != nil {
		return nil, err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write the lessons: %w", err)
	}
	out := map[string][]byte{"content.json": data}
	err = fs.WalkDir(web, "web", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := web.ReadFile(path)
		out[path[len("web/"):]] = text
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the lab's pages: %w", err)
	}
	out["index.html"] = bytes.ReplaceAll(out["index.html"], []byte("POLICY"), []byte(policy))
	return out, nil
}
