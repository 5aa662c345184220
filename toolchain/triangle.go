package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/keplersim/keplersim/internal/pattern"
)

// nvcc unrolls the loops of a nest from the inside: an inner loop whose length depends on the outer's counter fourfold, as its length is
// not known, and then the outer one no longer fits nvcc's limit. clang writes out the outer loop first, after which it knows every length.
// A card counted what comes of it: of Rodinia's lud, 2,365 and 2,658 operations a warp, where clang's way has 1,411 and 1,299.
//
// So clang says which loops it has written out. Where one stands in its list right behind an outer loop, with another length each time, the
// file is compiled once more, and the outer loop stays one. If clang then makes no copies of the inner loop, as of one whose counter is
// halved, all is as before.

// remarkUnrolled makes clang say which loops it has unrolled. It changes nothing else.
const remarkUnrolled = "-Rpass=loop-unroll"

// shortestKept is how many turns an outer loop has at least that stays a loop. x: below, four copies of the inner one fit the limit.
const shortestKept = 8

// unrolledLoop is what clang says of a loop that it has written out.
type unrolledLoop struct {
	at    place
	turns int
}

// place is where a loop stands.
type place struct {
	file         string
	line, column int
}

var (
	unrolledRemark = pattern.Lazy(`(?m)^([^\s:][^:\n]*):(\d+):(\d+): remark: completely unrolled loop with (\d+) iterations`)
	anyRemark      = pattern.Lazy(
		`(?m)(?:^In file included from [^\n]*\n(?:^ +from [^\n]*\n)*)*^[^\n]*: remark: [^\n]*\[` + remarkUnrolled +
			`\]\n(?:^ *\d* \|[^\n]*\n)*`)
)

// unrolledLoops takes what clang says of unrolling out of its messages.
func unrolledLoops(said string) (rest string, loops []unrolledLoop) {
	for _, m := range unrolledRemark().FindAllStringSubmatch(said, -1) {
		var n [3]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[2+i]) // digits; a number that is too large is no line
		}
		loops = append(loops, unrolledLoop{place{m[1], n[0], n[1]}, n[2]})
	}
	return anyRemark().ReplaceAllString(said, ""), loops
}

// nest is an outer loop and one in it whose length is another in each turn.
type nest struct{ outer, inner place }

// triangles returns the nests whose inner loop has another length in each turn.
func triangles(loops []unrolledLoop) (nests []nest) {
	lengths := map[place][]int{}
	for _, l := range loops {
		if !slices.Contains(lengths[l.at], l.turns) {
			lengths[l.at] = append(lengths[l.at], l.turns)
		}
	}
	last := unrolledLoop{} // that has one length
	for _, l := range loops {
		several := len(lengths[l.at])
		switch {
		case several == 1:
			last = l
		case last.turns >= shortestKept && several >= last.turns/2 && last.at.file == l.at.file && last.at.line < l.at.line &&
			!slices.Contains(nests, nest{last.at, l.at}):
			nests = append(nests, nest{last.at, l.at})
		}
	}
	return nests
}

// keepLoops returns the texts of files, as clang has read them, with outer loops that stay loops. They have as many lines as before.
func keepLoops(nests []nest, read map[string][]byte) map[string][]byte {
	texts := maps.Clone(read)
	if texts == nil {
		texts = map[string][]byte{}
	}
	var loops []place
	for _, n := range nests {
		loops = append(loops, n.outer)
	}
	slices.SortFunc(loops, func(a, b place) int { // of a line, the last first
		return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line, b.column-a.column)
	})
	for _, l := range slices.Compact(loops) {
		text, known := texts[l.file]
		if !known {
			var err error
			if text, err = os.ReadFile(l.file); err != nil {
				continue // standard input, or a name of a #line
			}
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		if l.line > len(lines) || l.column > len(lines[l.line-1]) {
			continue
		}
		lines[l.line-1] = slices.Insert(slices.Clone(lines[l.line-1]), l.column-1, []byte(`_Pragma("unroll 1") `)...)
		texts[l.file] = bytes.Join(lines, nil)
	}
	return texts
}

// runUnrolling is runClang for device code, whose loops are unrolled as nvcc would.
func runUnrolling(ctx context.Context, clang Clang, name string, arguments []string, input []byte) (string, error) {
	arguments = append([]string{remarkUnrolled}, arguments...)
	first, said, err := runMending(ctx, clang, name, arguments, input, nil)
	rest, loops := unrolledLoops(said)
	nests := triangles(loops)
	if err != nil || slices.Contains(arguments, onlyWithin) {
		return rest, err
	}
	for len(nests) > 0 {
		texts := keepLoops(nests, first.texts)
		if maps.EqualFunc(texts, first.texts, bytes.Equal) {
			return rest, nil
		}
		again, err := attempt{first.arguments, texts}.run(ctx, clang, name, input, nil)
		if ctx.Err() != nil {
			return rest, err
		}
		tried := len(nests)
		if nests = copied(nests, again); err == nil && len(nests) == tried {
			return rest, nil
		}
		if err != nil { // a loop has a pragma of its own
			nests = nil
		}
		if len(nests) == 0 {
			_, err = first.run(ctx, clang, name, input, nil)
			return rest, err
		}
	}
	return rest, nil
}

var copiedRemark = pattern.Lazy(`(?m)^([^\s:][^:\n]*):(\d+):\d+: remark: unrolled loop by a factor of `)

// copied returns the nests whose inner loop has become copies of itself, by what clang says.
func copied(nests []nest, said string) (list []nest) {
	found := copiedRemark().FindAllStringSubmatch(said, -1)
	for _, n := range nests {
		if slices.ContainsFunc(found, func(m []string) bool { return m[1] == n.inner.file && m[2] == strconv.Itoa(n.inner.line) }) {
			list = append(list, n)
		}
	}
	return list
}
