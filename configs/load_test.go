package configs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryEmbeddedConfigurationLoads(t *testing.T) {
	for _, name := range embeddedNames() {
		c, err := Load(name, nil)
		require.NoError(t, err, name)
		require.Equal(t, name, c.Name)
	}
}
