package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecordIsWhole(t *testing.T) {
	o, err := Open()
	require.NoError(t, err)
	require.Len(t, o.Forms, 939)
	require.Len(t, o.Refused, 26)
	total := 0
	for _, f := range o.Forms {
		require.Len(t, f.Outputs, Vectors, f.Name)
		total += f.Width * Vectors
	}
	require.Equal(t, 17276928, total)
}

// The results of bitwise forms are easy to compute, so they show that inputs and outputs are paired as the README says.
func TestInputsPairWithOutputs(t *testing.T) {
	o, err := Open()
	require.NoError(t, err)
	seen := 0
	for _, f := range o.Forms {
		if f.Name != "xor.b64" && f.Name != "xor.b32" && f.Name != "xor.b16" {
			continue
		}
		seen++
		a, b := o.Operand(f.Inputs[0], 0), o.Operand(f.Inputs[1], 1)
		for i := range a {
			require.Equal(t, a[i]^b[i], f.Outputs[i], "%s vector %d", f.Name, i)
		}
	}
	require.Equal(t, 3, seen)
}
