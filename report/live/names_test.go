//go:build alltests

// Prometheus' libraries take long to compile, so make test leaves this test out.

package live_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Metrics follow Prometheus' naming rules.
func TestNamesOfMetrics(t *testing.T) {
	code, text := get(t, served(t), "metrics", "")
	require.Equal(t, http.StatusOK, code)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	for _, p := range problems {
		assert.False(t, strings.HasPrefix(p.Metric, "keplersim_"), "%s: %s", p.Metric, p.Text)
	}
}
