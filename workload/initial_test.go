package workload

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every init form gives for every type the bytes that numpy gave in the host program of a real GPU run.
func TestInitialBytesEqualNumpys(t *testing.T) {
	w, err := Load("testdata/init/init.yaml")
	require.NoError(t, err)
	f, err := os.Open("testdata/init/sha256.txt")
	require.NoError(t, err)
	defer f.Close()
	lines := 0
	for scanner := bufio.NewScanner(f); scanner.Scan(); lines++ {
		name, want, _ := strings.Cut(scanner.Text(), " ")
		b, ok := w.Buffer(name)
		require.True(t, ok, name)
		data, err := w.Initial(b)
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		assert.Equal(t, want, hex.EncodeToString(sum[:]), name)
	}
	assert.Equal(t, len(w.Buffers), lines)
}

// A read at any offset, even within an element, gives the same bytes as a read of the whole.
func TestContentsInParts(t *testing.T) {
	w, err := Load("testdata/init/init.yaml")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, b := range w.Buffers {
		whole, err := w.Initial(b)
		require.NoError(t, err)
		c, err := w.Contents(b, nil)
		require.NoError(t, err)
		for range 50 {
			from := rng.IntN(len(whole) + 1)
			part := make([]byte, rng.IntN(len(whole)+1-from))
			_, err := c.ReadAt(part, int64(from))
			require.NoError(t, err)
			require.Equal(t, whole[from:from+len(part)], part, "%s from %d", b.Name, from)
		}
		n, err := c.ReadAt(make([]byte, 2), int64(len(whole)-1))
		assert.Equal(t, 1, n, b.Name)
		assert.ErrorIs(t, err, io.EOF)
		_, err = c.ReadAt(nil, int64(len(whole)+1))
		assert.Error(t, err)
		c.Close()
	}
}

// Buffers of several pieces are compared and hashed as a whole.
func TestCheckInPieces(t *testing.T) {
	const count = 3*pieceBytes/4 + 5
	text := "buffers:\n  x: {type: s32, count: %d}\nsteps: []\nexpect:\n  x: {init: {ramp: {start: 7, step: 3}}}\n"
	w, err := Parse("w.yaml", fmt.Appendf(nil, text, count))
	require.NoError(t, err)
	data := make([]byte, 4*count)
	for i := range count {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(7+3*i))
	}
	m, err := w.Check("x", bytes.NewReader(data))
	require.NoError(t, err)
	assert.Nil(t, m)
	places := []int{0, pieceBytes/4 - 1, pieceBytes / 4, count - 1}
	for _, i := range places {
		data[4*i]++
	}
	m, err = w.Check("x", bytes.NewReader(data))
	require.NoError(t, err)
	require.Len(t, m.First, len(places))
	assert.EqualValues(t, count, m.Compared)
	for n, i := range places {
		assert.EqualValues(t, i, m.First[n].Index)
	}
	sum := sha256.Sum256(data)
	found, err := HashOf(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	assert.Equal(t, hex.EncodeToString(sum[:]), found)
}

// The first outputs of splitmix64 for seed 1234567, as published with the generator.
func TestSplitMix64(t *testing.T) {
	s := SplitMix64(1234567)
	for _, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		assert.Equal(t, want, s.Next())
	}
}

// Every half survives a conversion to double and back. Values between two halves round to the nearer, ties to even.
func TestHalfPrecision(t *testing.T) {
	for h := range 0x7c00 {
		v := halfValue(uint16(h))
		require.Equal(t, uint16(h), halfBits(v), "%#x", h)
		require.Equal(t, uint16(h)|0x8000, halfBits(-v), "%#x", h)
		next := halfValue(uint16(h) + 1)
		if math.IsInf(next, 1) {
			next = 65536
		}
		even := uint16(h + h&1)
		middle := (v + next) / 2
		require.Equal(t, even, halfBits(middle), "%#x", h)
		require.Equal(t, uint16(h), halfBits(math.Nextafter(middle, 0)), "%#x", h)
		require.Equal(t, uint16(h)+1, halfBits(math.Nextafter(middle, 1e6)), "%#x", h)
	}
	assert.Equal(t, uint16(0x7c00), halfBits(math.Inf(1)))
	assert.Equal(t, uint16(0x7e00), halfBits(math.NaN()))
	assert.True(t, math.IsNaN(halfValue(0x7e00)))
}

func TestTooLongFileIsAnError(t *testing.T) {
	w := &Workload{Path: "testdata/init/init.yaml"}
	_, err := w.Initial(Buffer{Name: "x", Type: "u8", Count: 39, Init: Init{Kind: InitFile, File: "bytes.bin"}})
	assert.ErrorContains(t, err, "longer than the buffer's 39 bytes")
	_, err = w.Initial(Buffer{Name: "x", Type: "u8", Count: 39, Init: Init{Kind: InitFile, File: "absent.bin"}})
	assert.ErrorIs(t, err, os.ErrNotExist)
}
