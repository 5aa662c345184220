package checkpoint

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var header = Header{Build: "keplersim 1", Taken: 123, Asked: "100", Identities: []Identity{{"configuration", "12"}, {"code", "34"}}}

func written(t testing.TB) []byte {
	var file bytes.Buffer
	require.NoError(t, Write(&file, header, bytes.Repeat([]byte("state"), 1000)))
	return file.Bytes()
}

func read(file []byte) (Header, []byte, error) {
	h, state, err := Read(bytes.NewReader(file))
	if err != nil {
		return h, nil, err
	}
	text, err := state()
	return h, text, err
}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	h, state, err := read(written(t))
	require.NoError(t, err)
	assert.Equal(t, bytes.Repeat([]byte("state"), 1000), state)
	assert.Equal(t, int64(123), h.Taken)
	require.NoError(t, h.Check([]Identity{{"configuration", "12"}, {"code", "34"}}))
	assert.EqualError(t, h.Check([]Identity{{"configuration", "13"}, {"code", "34"}}), "the checkpoint cannot be resumed here: it was "+
		"made with another configuration; give what it was saved with (by keplersim 1), or save it again")
	assert.ErrorIs(t, h.Check(nil), ErrOther)
}

// A file that is cut anywhere, or has any byte changed, gives an error with a reason.
func TestDamagedFilesAreRefused(t *testing.T) {
	whole := written(t)
	for i := range whole {
		_, _, err := read(whole[:i])
		require.Error(t, err, "%d bytes of %d", i, len(whole))
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x20
		_, _, err = read(damaged)
		require.Error(t, err, "byte %d of %d", i, len(whole))
	}
	_, _, err := read(append(bytes.Clone(whole), 0))
	assert.ErrorContains(t, err, "the checkpoint is damaged")
}

// full accepts some bytes and then no more, like a full disk.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	for room := range len(written(t)) {
		f := full(room)
		assert.EqualError(t, Write(&f, header, bytes.Repeat([]byte("state"), 1000)), "no space left on device")
	}
}
