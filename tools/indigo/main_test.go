package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Labels come from the suites' file names. The table counts each program for each of its bugs.
func TestTable(t *testing.T) {
	assert.Equal(t, []string{"clean"}, labels("push/push_int_thread_cuda.cu"))
	assert.Equal(t, []string{"atomicity", "bounds"}, labels("push_boundsBug_atomicBug_int.cu"))
	assert.Equal(t, []string{"clean"}, labels("BFS_CUDA_NoRaceBug_NoSyncBug_Block.cu"))
	assert.Equal(t, []string{"race", "logic"}, labels("PR_CUDA_FieldBug_RaceBug_NoBoundsBug.cu"))
	var out strings.Builder
	table(&out, []outcome{
		{file: "a_raceBug.cu", rules: []string{"race-grid"}}, {file: "b_raceBug_boundsBug.cu"}, {file: "c.cu"}, {file: "d.cu",
			rules: []string{"race-block"}}, {file: "f_raceBug.cu", rules: []string{"unset-memory"}},
		{file: "e_syncBug.cu", err: errors.New("no main")},
	})
	assert.Equal(t, `| kind of bug | programs | found | by a rule for it | missed | could not run |
|---|---|---|---|---|---|
| race | 3 | 2 | 1 | 1 | 0 |
| bounds | 1 | 0 | 0 | 1 | 0 |
| synchronisation | 1 | 0 | 0 | 0 | 1 |
| clean (found: accused) | 2 | 1 | - | - | 0 |
`, out.String())
}
