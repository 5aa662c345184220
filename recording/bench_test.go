package recording

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkRead reads a small recording.
func BenchmarkRead(b *testing.B) {
	data := sample(b)
	for b.Loop() {
		_, err := Read(bytes.NewReader(data))
		require.NoError(b, err)
	}
}
