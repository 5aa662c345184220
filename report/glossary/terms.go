package glossary

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/columns"
	"github.com/keplersim/keplersim/sim/stats"
)

// Term is one word with its meaning.
type Term struct {
	// Name is the word as reports and docs spell it. Also are other words for it, from the field or from NVIDIA's documents.
	Name string
	Also []string
	// Meaning is one or two sentences.
	Meaning string
	// See are names of related terms.
	See []string
}

// termsText is the table of terms.
//
//go:embed terms.txt
var termsText string

// terms are the words of the reports and of the field, by subject.
var terms = sync.OnceValue(readTerms)

// subject has the terms of one subject.
type subject struct {
	subject string
	terms   []Term
}

func readTerms() (all []subject) {
	for line := range columns.Lines(termsText) {
		cells := columns.Split(line)
		if len(cells) == 1 {
			all = append(all, subject{subject: line})
			continue
		}
		t := Term{Name: cells[0], Also: list(cells[1]), See: list(cells[2]), Meaning: cells[3]}
		if name, is := strings.CutPrefix(t.Meaning, "cycles "); is {
			c, _ := stats.FindCycleCount(name)
			t.Meaning = c.Meaning
		}
		of := &all[len(all)-1]
		of.terms = append(of.terms, t)
	}
	return all
}

// list returns the items of a cell.
func list(cell string) []string {
	if cell == "" {
		return nil
	}
	return strings.Split(cell, ", ")
}
