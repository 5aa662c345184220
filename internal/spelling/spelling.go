// Package spelling measures how far apart two words are, for messages that ask "did you mean".
package spelling

import "strings"

// longest is the longest word that is compared: longer ones are no misspellings, and the time is quadratic in the length.
const longest = 40

// Nearest returns the candidate that a word probably misspells, "" if none is near. It allows one mistake for three letters (two in words
// of five), and ignores case. Among equally near candidates it returns the first.
func Nearest(word string, candidates []string) string {
	if len(word) > longest {
		return ""
	}
	best, least := "", (len(word)+1)/3+1
	for _, c := range candidates {
		if len(c) > longest {
			continue
		}
		if d := Distance(strings.ToLower(word), strings.ToLower(c)); d < least && d < len(c) {
			best, least = c, d
		}
	}
	return best
}

// Distance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
