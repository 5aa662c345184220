package finding

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/testkit/executions"
)

func TestParseSet(t *testing.T) {
	for text, want := range map[string]Set{"": 0, "all": All, "memory": Memory, "races,init": Races | Init, "sync, memory": Sync | Memory} {
		got, err := ParseSet(text)
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
	_, err := ParseSet("races,leaks")
	assert.EqualError(t, err, `there is no check "leaks"; choose from all, memory, races, init, sync`)
	assert.Equal(t, "races,init", (Races | Init).String())
	assert.Len(t, All.LookedFor(), 6)
}

// Every rule has a unique name and belongs to one check.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules {
		assert.False(t, seen[r.ID], r.ID)
		seen[r.ID] = true
		assert.Contains(t, []Set{Memory, Races, Init, Sync}, r.Check, r.ID)
		assert.NotEmpty(t, r.Title, r.ID)
		assert.NotEmpty(t, r.Sanitizer, r.ID)
		assert.Same(t, r, Find(r.ID))
	}
}

func example() *Finding {
	return &Finding{Rule: RaceGrid, Space: isa.SpaceGlobal, Address: 0x1000, Bytes: 4, Name: "level+16", Count: 3, Places: []Place{
		{Does: "reads", Kernel: "bfs", File: "src/bfs.cu", Line: 30, PTXFile: "bfs.ptx", PTXLine: 99, Thread: [3]uint32{1, 2, 3},
			Calls: []string{"f called from bfs at src/bfs.cu:7"}},
		{Does: "has written", Kernel: "bfs", File: "src/bfs.cu", Line: 41, Block: [3]uint32{7}, Lanes: true},
	}}
}

func TestString(t *testing.T) {
	assert.Equal(t, `bfs: race between blocks of a launch: 4 bytes at level+16 (global 0x1000)
  thread (1,2,3) of block (0,0,0) reads at src/bfs.cu:30 (bfs.ptx:99)
    f called from bfs at src/bfs.cu:7
  several threads from (0,0,0) of block (7,0,0) has written at src/bfs.cu:41
  nothing orders blocks of one launch: atomics, a flag with __threadfence(), another buffer for results, or another launch
  3 times in all`, example().String())
}

// A suppression matches if all of its fields that are set match.
func TestSuppressions(t *testing.T) {
	for text, keeps := range map[string]bool{
		"":                                   true,
		"- rule: race-grid\n  reason: meant": false,
		"- rule: race-*\n  kernel: b*":       false,
		"- rule: race-block":                 true,
		"- at: bfs.cu":                       false,
		"- at: src/bfs.cu:41":                false,
		"- at: bfs.ptx:99":                   false,
		"- at: bfs.cu:31":                    true,
		"- name: level":                      false,
		"- name: parent":                     true,
		"- rule: race-grid\n  name: level\n  kernel: other":   true,
		"- kernel: other\n- rule: race-grid\n  at: bfs.cu:30": false,
	} {
		list, err := ParseSuppressions("s.yaml", []byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, keeps, list.Keep(example()), text)
	}
	for text, want := range map[string]string{
		"- reason: none": "s.yaml: entry 1 names no rule, kernel, place or variable",
		"- rule: race":   `s.yaml: entry 1: there is no rule "race" (docs/checks.md lists them)`,
		"- kernel: '['":  `s.yaml: entry 1: "[": syntax error in pattern`,
	} {
		_, err := ParseSuppressions("s.yaml", []byte(text))
		assert.EqualError(t, err, want)
	}
	_, err := ParseSuppressions("s.yaml", []byte("- kind: x"))
	assert.Error(t, err)
}

func FuzzParseSuppressions(f *testing.F) {
	f.Add([]byte("- rule: race-*\n  kernel: b*\n  at: a.cu:3"))
	executions.Fuzz(f, func(t *testing.T, text []byte) {
		if list, err := ParseSuppressions("s.yaml", text); err == nil {
			list.Keep(example())
		}
	})
}
