package validation_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	report "github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation"
)

func claims() []validation.ClaimResult {
	c := &validation.Claim{
		Name: "banks", Section: "1.2", Says: "wide is fast", Shows: "less", Figure: "cycles",
		Runs: []validation.ClaimRun{{Label: "narrow", Config: "gk110", File: "x.ptx", Kernel: "k", Blocks: 1, Threads: 32},
			{Label: "wide", Config: "gk110", File: "x.ptx", Kernel: "k", Blocks: 1, Threads: 32, BankMode: 8}},
	}
	return []validation.ClaimResult{{Claim: c, Figures: []float64{20, 10}, Holds: true}, {Claim: c, Figures: []float64{10, 20}}}
}

func TestClaimsAsText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.WriteClaims(&out, "text", claims()[:1]))
	assert.Equal(t, `banks (section 1.2): holds
  the guide:  wide is fast
  to be seen: less
    narrow  20 cycles  keplersim run validation/claims/x.ptx --kernel k --config gk110 --grid 1 --block 32
    wide    10 cycles  keplersim run validation/claims/x.ptx --kernel k --config gk110 --grid 1 --block 32 --bank-mode 8

1 of 1 claims hold
`, out.String())
}

func TestClaimsAsData(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.WriteClaims(&out, "csv", claims()))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 5)
	assert.Equal(t, []string{"banks", "1.2", "false", "wide", "cycles", "20"}, lines[4][:6])

	out.Reset()
	require.NoError(t, report.WriteClaims(&out, "json", claims()))
	var document []struct {
		Holds bool
		Runs  []struct{ Value float64 }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &document))
	assert.True(t, document[0].Holds)
	assert.Equal(t, 10.0, document[0].Runs[1].Value)
}
