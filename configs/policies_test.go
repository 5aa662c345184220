package configs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/registry"
)

// This test's program does not import the packages with policies, so it registers its own under a kind that the schema knows.
func init() {
	schedulers := registry.NewKind[int]("scheduler policy")
	for _, name := range []string{"fifo", "grr", "gto", "lrr", "oldest"} {
		schedulers.Register(name, "does something", 0)
	}
	schedulers.Register("two-level", "does something", 0,
		registry.Parameter{Name: "group", Default: 8, Min: 1, Max: 64}, registry.Parameter{Name: "share", Max: 1, Fraction: true})
}

// A policy's names are the registered ones. If no package of the program registers the kind, names are checked later, when the policy is
// made.
func TestPoliciesAreThoseRegistered(t *testing.T) {
	c, err := Load("gk110", []string{"smx.scheduler=oldest", "l2.policy=of-another-module"})
	require.NoError(t, err)
	assert.Equal(t, Policy("oldest"), c.SMX.Scheduler)
	_, err = Load("gk110", []string{"smx.scheduler=youngest"})
	assert.ErrorContains(t, err, `"youngest": choose one of fifo, grr, gto, lrr, oldest, two-level`)
}

// A policy takes parameters in a file and with --set, and the resolved configuration reads back as the same.
func TestPoliciesTakeParameters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(file, []byte("extends: gk110\nsmx:\n  scheduler: {share: 0.5, group: 4, name: two-level}\n"), 0o600))
	both := Policy("{name: two-level, group: 4, share: 0.5}")
	for _, test := range []struct {
		chip string
		set  []string
		want Policy
	}{
		{file, nil, both},
		{"gk110", []string{"smx.scheduler={name: two-level, group: 4, share: 0.5}"}, both},
		{"gk110", []string{"smx.scheduler=two-level", "smx.scheduler.share=0.5", "smx.scheduler.group=4"}, both},
		{file, []string{"smx.scheduler.group=5"}, "{name: two-level, group: 5, share: 0.5}"},
		{file, []string{"smx.scheduler=two-level"}, "two-level"},
		{file, []string{"smx.scheduler={name: lrr}"}, "lrr"},
	} {
		c, err := Load(test.chip, test.set)
		require.NoError(t, err, "%s", test.set)
		assert.Equal(t, test.want, c.SMX.Scheduler, "%s", test.set)
		for _, text := range []string{c.Values(), c.Resolved()} {
			again := filepath.Join(t.TempDir(), "again.yaml")
			require.NoError(t, os.WriteFile(again, []byte(text), 0o600))
			back, err := Load(again, nil)
			require.NoError(t, err)
			assert.Equal(t, c.Values(), back.Values())
		}
	}
	over := filepath.Join(filepath.Dir(file), "over.yaml")
	require.NoError(t, os.WriteFile(over, []byte("extends: mine.yaml\nsmx:\n  scheduler: {name: two-level, group: 2}\n"), 0o600))
	c, err := Load(over, nil)
	require.NoError(t, err)
	assert.Equal(t, Policy("{name: two-level, group: 2}"), c.SMX.Scheduler, "a named policy has the parameters of no other")
}

// Errors in a policy's parameters say what the policy takes.
func TestWrongParametersAreNamed(t *testing.T) {
	for set, want := range map[string]string{
		"smx.scheduler={name: two-level, groups: 4}": "smx.scheduler.groups: unknown parameter; two-level takes " +
			"group (1 to 64, 8 unless given), share (0 to 1, 0 unless given); did you mean group?",
		"smx.scheduler.group=4":                      "smx.scheduler.group: unknown parameter; fifo takes none",
		"smx.scheduler={name: two-level, group: 65}": "smx.scheduler.group: 65 is out of range: group (1 to 64, 8 unless given)",
		"smx.scheduler={name: two-level, group: x}":  "smx.scheduler.group: is text, and must be a number",
		"smx.scheduler={group: 4}":                   "smx.scheduler: has no name; write {name: NAME, PARAMETER: NUMBER}",
		"smx.scheduler={name: towlevel}": `smx.scheduler.name: "towlevel": choose one of fifo, grr, gto, lrr, oldest, ` +
			`two-level`,
		"smx.scheduler_policy=lrr":   "smx.scheduler_policy: unknown key; it is smx.scheduler now",
		"l2.mapping={name: turning}": "l2.mapping: is a section, and must be text",
	} {
		_, err := Load("gk110", []string{set})
		assert.ErrorContains(t, err, want, set)
	}
}
