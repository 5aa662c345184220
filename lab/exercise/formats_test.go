package exercise_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
)

// graded grades a kernel that stores a number, on an exercise of six points whose bound holds or not.
func graded(t *testing.T, number string, most float64) *exercise.Grade {
	t.Helper()
	return gradedBy(t, number, exercise.Bound{Metric: "inst_executed", Below: &most})
}

func gradedBy(t *testing.T, number string, bound exercise.Bound) *exercise.Grade {
	t.Helper()
	e := exercise.Exercise{Name: "e", Points: 6, Bounds: []exercise.Bound{bound}}
	c := exercise.Cell{Workload: "module: kernel.ptx\nbuffers:\n  out: {type: u32, count: 1}\nsteps:\n" +
		"  - launch: {kernel: k, grid: [1], block: [1], args: [out]}\nexpect:\n  out: {init: {fill: 7}}\n"}
	g, err := e.Grade(context.Background(), &c, ".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"+
		".reg .b64 %d1;\n.reg .b32 %r1;\nld.param.u64 %d1, [p];\nmov.u32 %r1, "+number+";\nst.global.u32 [%d1], %r1;\nret; }\n",
		engine.Limits{})
	require.NoError(t, err)
	return g
}

func TestPoints(t *testing.T) {
	for _, c := range []struct {
		number string
		most   float64
		want   float64
	}{{"7", 100, 6}, {"7", 1, 4}, {"8", 100, 0}} { // three checks: it runs, the result, the bound
		g := graded(t, c.number, c.most)
		assert.InDelta(t, c.want, g.Points, 1e-9)
		assert.InDelta(t, 6, g.Of, 0)
		assert.Equal(t, "counted, not estimated", g.Checks[2].Trust)
	}
	assert.InDelta(t, 0, (&exercise.Exercise{Name: "e"}).Refuse("no").Points, 0)
	assert.InDelta(t, exercise.DefaultPoints, (&exercise.Exercise{Name: "e"}).Refuse("no").Of, 0)
}

// A bound with two sides is two checks, and right results keep their points whichever fails.
func TestBoundsOfTwoSides(t *testing.T) {
	one, hundred := 1.0, 100.0
	for _, b := range []exercise.Bound{{Below: &one, Above: &one}, {Below: &hundred, Above: &hundred}} {
		b.Metric = "inst_executed"
		g := gradedBy(t, "7", b)
		require.Len(t, g.Checks, 4)
		assert.InDelta(t, 4.5, g.Points, 1e-9)
		assert.NotEqual(t, g.Checks[2].Passed, g.Checks[3].Passed)
		for _, c := range g.Checks[2:] {
			assert.Equal(t, "counted, not estimated", c.Trust)
		}
	}
}

// Each format is readable by its reader.
func TestFormatsOfGrades(t *testing.T) {
	g := graded(t, "7", 1)
	write := func(format string) string {
		var out bytes.Buffer
		require.NoError(t, g.Write(&out, format))
		return out.String()
	}
	assert.Contains(t, write("text"), "failed  inst_executed")
	assert.Contains(t, write("text"), "4 of 6 points\n")
	var scope struct {
		Score float64
		Tests []struct {
			Name, Status string
			Score        float64
			Max          float64 `json:"max_score"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(write("gradescope")), &scope))
	assert.InDelta(t, 4, scope.Score, 1e-9)
	assert.Equal(t, "failed", scope.Tests[2].Status)
	assert.InDelta(t, 2, scope.Tests[2].Max, 1e-9)
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	require.NoError(t, xml.Unmarshal([]byte(write("junit")), &suite))
	assert.Equal(t, 3, suite.Tests)
	assert.Equal(t, 1, suite.Failures)
	packed, found := strings.CutPrefix(strings.TrimSpace(write("classroom")), "result=")
	require.True(t, found)
	text, err := base64.StdEncoding.DecodeString(packed)
	require.NoError(t, err)
	assert.JSONEq(t, `{"version": 1, "status": "fail", "max_score": 6, "tests": [
		{"name": "runs", "status": "pass", "score": 2, "message": "it ran to its end"},
		{"name": "result", "status": "pass", "score": 2, "message": "the buffers hold what is expected"},
		{"name": "inst_executed", "status": "fail", "score": 0, "message": "6, and less than 1 is asked"}]}`, string(text))
}
