// Package bitset has sets of small numbers, for the passes of isa/lower.
package bitset
