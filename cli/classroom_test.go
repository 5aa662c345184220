package cli

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
)

// The template for GitHub Classroom grades the student's starting text and the model answer, and gives the reporter its input.
func TestClassroomTemplate(t *testing.T) {
	const folder = "../examples/classroom"
	text, err := os.ReadFile(filepath.Join(folder, ".github/workflows/classroom.yml"))
	require.NoError(t, err)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				ID, Uses, Run string
				Env           map[string]string
				With          struct{ Runners string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &workflow))
	all, err := lab.Lessons()
	require.NoError(t, err)
	graded := map[string]bool{}
	for _, step := range workflow.Jobs["grade"].Steps {
		if strings.HasPrefix(step.Uses, "classroom-resources/") {
			ids := strings.Split(step.With.Runners, ",")
			assert.Len(t, ids, len(graded))
			for _, id := range ids { // the reporter looks for the results by this name
				assert.True(t, graded[id])
				assert.Equal(t, "${{ steps."+id+".outputs.result }}", step.Env[strings.ToUpper(id)+"_RESULTS"])
			}
		}
		if step.ID == "" {
			continue
		}
		graded[step.ID] = true
		command, to, _ := strings.Cut(step.Run, " >> ")
		assert.Equal(t, `"$GITHUB_OUTPUT" || true`, strings.TrimSpace(to))
		words := strings.Fields(command)
		require.Equal(t, []string{"keplersim", "grade"}, words[:2])
		grade := func(answer string, code int) string {
			words[3] = answer
			got, out, errOut := keplersim(t, words[1:]...)
			require.Equal(t, code, got, errOut)
			packed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(strings.TrimPrefix(out, "result=")))
			require.NoError(t, err, out)
			var result struct{ Status string }
			require.NoError(t, json.Unmarshal(packed, &result))
			return result.Status
		}
		for _, l := range all {
			if l.Slug != words[2] {
				continue
			}
			start, err := os.ReadFile(filepath.Join(folder, words[3]))
			require.NoError(t, err)
			assert.Equal(t, l.Cell(l.Exercises[0].Cell).Text, strings.TrimSpace(string(start)), "what the lesson's cell begins with")
			assert.Equal(t, "fail", grade(filepath.Join(folder, words[3]), exitFailed))
			answer := filepath.Join(t.TempDir(), "answer.cu")
			require.NoError(t, os.WriteFile(answer, []byte(l.Exercises[0].Answer.Text), 0o600))
			assert.Equal(t, "pass", grade(answer, exitRan))
		}
	}
	assert.NotEmpty(t, graded)
}
