package nvcc

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/testkit/executions"
)

// An archive as ar writes it: a header of 60 bytes before each file, at an even offset.
func TestMembersOfAnArchive(t *testing.T) {
	head := func(name, size string) string { return name + "            0     0     644     " + size + "`\n" }
	archive := "!<arch>\n" + head("a.o/            ", "3         ")[0:60] + "abc\n" + head("b.o/            ", "2         ")[0:60] + "de"
	assert.Equal(t, [][]byte{[]byte("abc"), []byte("de")}, members([]byte(archive)))
	assert.Equal(t, [][]byte{[]byte("x")}, members([]byte("x")))
}

func FuzzMembers(f *testing.F) {
	f.Add([]byte("!<arch>\n"))
	executions.Fuzz(f, func(_ *testing.T, text []byte) { members(text) })
}
