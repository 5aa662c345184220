package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if title, heading := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); heading && strings.HasPrefix(line, "#") {
			name := strings.ToLower(strings.TrimSpace(title))
			name = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(name, "")
			all[strings.ReplaceAll(name, " ", "-")] = true
		}
	}
	return all
}

// Every link of the documents leads to a file, and to a heading of it.
func TestLinksLeadSomewhere(t *testing.T) {
	pages := documents(t)
	checked := 0
	for page, text := range pages {
		folder := "../docs"
		if page == "README.md" {
			folder = ".."
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			checked++
			there := text
			if target != "" {
				data, err := os.ReadFile(filepath.Join(folder, target))
				if info, errStat := os.Stat(filepath.Join(folder, target)); errStat == nil && info.IsDir() {
					continue
				}
				if !assert.NoError(t, err, "%s: %s", page, m[1]) {
					continue
				}
				there = string(data)
			}
			if anchor != "" {
				assert.True(t, anchors(there)[anchor], "%s: %s: there is no such heading", page, m[1])
			}
		}
	}
	assert.Greater(t, checked, 40)
}

// The index of the documentation lists each page once, with its purpose.
func TestIndexHasEachPageOnce(t *testing.T) {
	text, err := os.ReadFile("../docs/README.md")
	require.NoError(t, err)
	rows := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^- \[[^]]{3,}\]\(([^)#]+)\).{5,}$|^- \[[^]]{20,}\]\(([^)#]+)\)$`).
		FindAllStringSubmatch(string(text), -1) {
		rows[m[1]+m[2]]++
	}
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" {
			assert.Equal(t, 1, rows[name], "items of %s on docs/README.md", name)
		}
	}
	assert.Len(t, rows, len(pages)-1)
}
