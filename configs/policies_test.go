package configs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/registry"
)

// The packages that own policies are not part of this test's program: it registers some of its own under a kind that the schema knows.
func init() {
	schedulers := registry.NewKind[int]("scheduler policy")
	for _, name := range []string{"gto", "lrr", "oldest", "two-level"} {
		schedulers.Register(name, "does something", 0)
	}
}

// The names of a policy are those that are registered. A kind that no package of the program has cannot be checked here; who makes the
// policy does.
func TestPoliciesAreThoseRegistered(t *testing.T) {
	c, err := Load("gk110", []string{"smx.scheduler_policy=oldest", "l2.policy=of-another-module"})
	require.NoError(t, err)
	assert.Equal(t, "oldest", c.SMX.SchedulerPolicy)
	_, err = Load("gk110", []string{"smx.scheduler_policy=youngest"})
	assert.ErrorContains(t, err, `"youngest": choose one of gto, lrr, oldest, two-level`)
}
