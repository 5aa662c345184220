package estimate

import "math"

// cholesky is the lower triangle L of a symmetric positive definite matrix A = L·Lᵀ, row by row (G. H. Golub and C. F. Van Loan, Matrix
// Computations, section 4.2).
type cholesky [][]float64

// factorize returns the factor of the n×n matrix whose element in row i and column j ≤ i is at(i, j), or false where the matrix is not
// positive definite.
func factorize(n int, at func(i, j int) float64) (cholesky, bool) {
	l := make(cholesky, n)
	for i := range l {
		l[i] = make([]float64, i+1)
		for j := range i {
			l[i][j] = (at(i, j) - dot(l[i][:j], l[j])) / l[j][j]
		}
		square := at(i, i) - dot(l[i][:i], l[i])
		if !(square > 0) {
			return nil, false
		}
		l[i][i] = math.Sqrt(square)
	}
	return l, true
}

// solve returns the x of A·x = b.
func (l cholesky) solve(b []float64) []float64 {
	x := make([]float64, len(l))
	for i, row := range l {
		x[i] = (b[i] - dot(x[:i], row)) / row[i]
	}
	for i := len(l) - 1; i >= 0; i-- {
		x[i] /= l[i][i]
		for j := range i {
			x[j] -= l[i][j] * x[i]
		}
	}
	return x
}

// logDeterminant returns the logarithm of A's determinant.
func (l cholesky) logDeterminant() (sum float64) {
	for i, row := range l {
		sum += 2 * math.Log(row[i])
	}
	return sum
}

// dot returns the scalar product of a and of as many elements of b.
func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
