//go:build alltests

// gonum's linear algebra takes long to compile, so that make test leaves this test out.

package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Factors, solutions and determinants are those of gonum's LAPACK.
func TestCholeskyAgainstLAPACK(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, mostPoints} {
		square := mat.NewDense(n, n, nil)
		b := make([]float64, n)
		for i := range n {
			b[i] = random.NormFloat64()
			for j := range n {
				square.Set(i, j, random.NormFloat64())
			}
		}
		var matrix mat.SymDense
		matrix.SymOuterK(1, square)
		for i := range n {
			matrix.SetSym(i, i, matrix.At(i, i)+1)
		}
		var theirs mat.Cholesky
		require.True(t, theirs.Factorize(&matrix))
		var solution mat.VecDense
		require.NoError(t, theirs.SolveVecTo(&solution, mat.NewVecDense(n, b)))
		ours, ok := factorize(n, matrix.At)
		require.True(t, ok)
		assert.InDeltaSlice(t, solution.RawVector().Data, ours.solve(b), 1e-9)
		assert.InDelta(t, theirs.LogDet(), ours.logDeterminant(), 1e-9)
	}
	_, ok := factorize(2, func(i, j int) float64 { return 1 })
	assert.False(t, ok, "a singular matrix")
}

// Quantiles are those of gonum's distribution.
func TestStudentAgainstGonum(t *testing.T) {
	t.Parallel()
	assert.True(t, math.IsInf(Student(1), 1))
	for _, count := range []int{2, 3, 10, 1000} {
		assert.InEpsilon(t, distuv.StudentsT{Sigma: 1, Nu: float64(count - 1)}.Quantile((1+Confidence)/2), Student(count), 1e-12)
	}
}
