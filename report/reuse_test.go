package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

func TestReuseHistogram(t *testing.T) {
	r := &stats.Reuse{First: 10}
	r.Counts[0], r.Counts[3], r.Counts[13] = 20, 30, 40
	p := &printer{}
	p.reuse(r)
	text := p.out.String()
	require.Regexp(t, `the line before +20 +20\.0 %`, text)
	require.Regexp(t, `within 1\.00 KB +30 +50\.0 %`, text)
	require.Regexp(t, `within 1\.00 MB +40 +90\.0 %`, text)
	require.Regexp(t, `first use +10`, text)
	require.Nil(t, reuseJSON(nil))
	require.Equal(t, &jsonReuse{First: 10, Buckets: []jsonReuseBucket{{1, 20}, {8, 30}, {8192, 40}}}, reuseJSON(r))
}
