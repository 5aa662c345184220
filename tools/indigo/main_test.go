package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Labels are those of the suite's file names; the table counts each program for each of its bugs.
func TestTable(t *testing.T) {
	assert.Equal(t, []string{"clean"}, labels("push/push_int_thread_cuda.cu"))
	assert.Equal(t, []string{"boundsBug", "atomicBug"}, labels("push_boundsBug_atomicBug_int.cu"))
	var out strings.Builder
	table(&out, []outcome{
		{file: "a_raceBug.cu", rules: []string{"race-grid"}}, {file: "b_raceBug_boundsBug.cu"}, {file: "c.cu"}, {file: "d.cu",
			rules: []string{"race-block"}},
		{file: "e_syncBug.cu", err: errors.New("no main")},
	})
	assert.Equal(t, `| | programs | found | missed | could not run |
|---|---|---|---|---|
| boundsBug | 1 | 0 | 1 | 0 |
| raceBug | 2 | 1 | 1 | 0 |
| atomicBug | 0 | 0 | 0 | 0 |
| guardBug | 0 | 0 | 0 | 0 |
| syncBug | 1 | 0 | 0 | 1 |
| clean (found: accused) | 2 | 1 | - | 0 |
`, out.String())
}
