package report

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type streamedPart struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// Streamed JSON is, to the byte, what json.Encoder writes.
func TestStreamJSON(t *testing.T) {
	type whole struct {
		Text    string         `json:"text"`
		Left    string         `json:"left,omitempty"`
		Number  *float64       `json:"number,omitempty"`
		Zero    int            `json:"zero,omitempty"`
		Parts   []streamedPart `json:"parts"`
		None    []streamedPart `json:"none"`
		Empty   []streamedPart `json:"empty"`
		Omitted []streamedPart `json:"omitted,omitempty"`
		Metrics jsonMetrics    `json:"metrics"`
		Inner   streamedPart   `json:"inner"`
		Nothing struct{}       `json:"nothing"`
		Pair    [2]int         `json:"pair"`
		hidden  int
	}
	x := 0.5
	part := streamedPart{"a < b & \"c\"\n", []string{"1", "é"}}
	for _, v := range []any{
		whole{}, whole{Text: "<t>", Number: &x, Parts: []streamedPart{part, {}}, Empty: []streamedPart{}, Inner: part, hidden: 1},
		[]whole{{}, {Parts: []streamedPart{part}}}, []whole{}, 7, "text", part, [][]int{{1}, {}},
		[]any{}, map[string]any{}, []any{map[string]any{}, []any{[]any{}}, "{[,:]}", `\`, `\"`, `"`, "", `\\"`, nil, true, -1.5e-7},
	} {
		var got, want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		require.NoError(t, encoder.Encode(v))
		require.NoError(t, streamJSON(&got, v))
		assert.Equal(t, want.String(), got.String())
	}
}

// The text of many elements is never in memory at once.
func TestStreamJSONIsNotGathered(t *testing.T) {
	parts := make([]streamedPart, 400_000)
	for i := range parts {
		parts[i] = streamedPart{
			"kernel",
			[]string{"a long line of text, so that all of them together take some tens of megabytes of memory",
				"and another one, of the same length or nearly so, which is there for the same reason"},
		}
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, streamJSON(io.Discard, struct {
		Parts []streamedPart `json:"parts"`
	}{parts}))
	runtime.ReadMemStats(&after)
	assert.Less(t, int64(after.HeapSys)-int64(before.HeapSys), int64(64<<20), "of some 86 MB of text")
}
