package ptx

import "github.com/keplersim/keplersim/internal/spelling"

// Nearest is the candidate that differs least from a word, for "did you mean". It is "" when none is near: at most
// one edit for every three characters.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1
	for _, candidate := range candidates {
		if d := editDistance(word, candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// longestWord is how long a word may be to be compared: longer ones are no misspellings, and comparing takes its square.
const longestWord = 40

func editDistance(a, b string) int {
	if len(a) > longestWord || len(b) > longestWord {
		return longestWord + 1
	}
	return spelling.Distance(a, b)
}
