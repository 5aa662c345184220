package ptx

import "github.com/keplersim/keplersim/internal/spelling"

// Nearest returns the candidate that differs least from a word, for "did you mean"; "" if none is near.
func Nearest(word string, candidates []string) string { return spelling.Nearest(word, candidates) }
