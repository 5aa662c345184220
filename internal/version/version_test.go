package version

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What Go 1.26 records for each way to build a program.
func TestBuilds(t *testing.T) {
	t.Parallel()
	ours := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: module, Version: version}, Settings: settings}
	}
	const hash = "af959bd82a1c0123456789abcdef0123456789ab"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: hash},
			{Key: "vcs.time", Value: "2026-11-23T14:12:46Z"}, {Key: "vcs.modified", Value: modified}}
	}
	for name, test := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"nothing noted":          {nil, "commit unknown"},
		"clone":                  {ours("v0.0.0-20261123141246-af959bd82a1c", vcs("false")...), "commit af959bd82a1c of 2026-11-23"},
		"clone with changes":     {ours("v0.3.0+dirty", vcs("true")...), "commit af959bd82a1c of 2026-11-23 with changes"},
		"clone, -buildvcs=false": {ours("(devel)"), "commit unknown"},
		"go install of a tag":    {ours("v0.3.0"), "commit unknown"},
		"go install of a commit": {ours("v0.3.1-0.20261123141246-af959bd82a1c"), "commit af959bd82a1c of 2026-11-23"},
		"another module": {&debug.BuildInfo{Main: debug.Module{Path: "example.org/policies"}, Settings: vcs("true"),
			Deps: []*debug.Module{{Path: module, Version: "v0.3.0"}}}, "commit unknown"},
	} {
		text := Of(test.info, 7).String()
		assert.True(t, strings.HasPrefix(text, Number+", "+test.want+", report schema 7, go1."), "%s: %s", name, text)
	}
}

// The changelog's newest section below "Unreleased" is this version's.
func TestChangelogHasTheVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	sections := regexp.MustCompile(`(?m)^## (\S+)`).FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(sections), 1)
	assert.Equal(t, "Unreleased", sections[0][1])
	assert.Equal(t, Number, sections[1][1])
}
