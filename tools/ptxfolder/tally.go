//go:build unix

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// tally counts outcomes by cause. Several goroutines may use it.
type tally struct {
	mutex  sync.Mutex
	files  int
	codes  map[string]map[int]int // by command, then exit code
	causes map[string]*cause
	broken []string
}

// cause is a kind of message from one command.
type cause struct {
	command, message, example string
	files                     int
}

func newTally() *tally {
	return &tally{codes: map[string]map[int]int{}, causes: map[string]*cause{}}
}

// add counts the outcomes of one file.
func (t *tally) add(path string, list []outcome) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.files++
	seen := map[string]bool{}
	for _, o := range list {
		if t.codes[o.command] == nil {
			t.codes[o.command] = map[int]int{}
		}
		t.codes[o.command][o.code]++
		if o.broken != "" {
			t.broken = append(t.broken, fmt.Sprintf("%s %s: %s: %s", o.command, path, o.broken, o.message))
		}
		key := o.command + " " + general(o.message)
		if o.message == "" || seen[key] {
			continue
		}
		seen[key] = true
		if t.causes[key] == nil {
			t.causes[key] = &cause{command: o.command, message: general(o.message), example: o.message}
		}
		t.causes[key].files++
	}
}

var (
	kernel  = regexp.MustCompile(`^(launch of|kernel) .*?(: | reads)`)
	place   = regexp.MustCompile(`\S+\.ptx(:\d+)*:? ?`)
	symbol  = regexp.MustCompile(`[%$]?\b(_Z\w+|[A-Za-z_$]\w*\d\w*)\b`)
	numbers = regexp.MustCompile(`\b(0x[0-9a-f]+|\d[\d,]*)\b`)
	quoted  = regexp.MustCompile("`[^`]*`")
)

// general removes a message's details: places, names and numbers. Opcodes in back quotes stay, without their modifiers.
func general(message string) string {
	message = quoted.ReplaceAllStringFunc(message, func(name string) string {
		opcode, _, dotted := strings.Cut(strings.Trim(name, "`"), ".")
		if dotted && opcode != "" && !strings.ContainsAny(opcode, "%$_0123456789") {
			return "`" + opcode + ".…`"
		}
		return "`…`"
	})
	message = kernel.ReplaceAllString(place.ReplaceAllString(message, ""), "$1 …$2")
	message = symbol.ReplaceAllStringFunc(message, func(name string) string {
		if strings.HasPrefix(name, "sm_") || strings.HasPrefix(name, "f64") || strings.HasPrefix(name, "f32") {
			return name
		}
		return "NAME"
	})
	return numbers.ReplaceAllString(message, "N")
}

// write prints the figures: exit codes, causes by number of files, and broken promises.
func (t *tally) write(w io.Writer) {
	fmt.Fprintf(w, "%d files\n", t.files)
	for _, command := range slices.Sorted(maps.Keys(t.codes)) {
		fmt.Fprintf(w, "%-8s", command)
		for _, code := range slices.Sorted(maps.Keys(t.codes[command])) {
			fmt.Fprintf(w, "  exit %d: %d", code, t.codes[command][code])
		}
		fmt.Fprintln(w)
	}
	causes := slices.SortedFunc(maps.Values(t.causes), func(a, b *cause) int {
		return cmp.Or(cmp.Compare(a.command, b.command), cmp.Compare(b.files, a.files), cmp.Compare(a.message, b.message))
	})
	for _, c := range causes {
		fmt.Fprintf(w, "%6d  %-7s  %s\n                   e.g. %s\n", c.files, c.command, c.message, c.example)
	}
	slices.Sort(t.broken)
	for _, line := range t.broken {
		fmt.Fprintf(w, "BROKEN  %s\n", line)
	}
	fmt.Fprintf(w, "%d promises broken\n", len(t.broken))
}
