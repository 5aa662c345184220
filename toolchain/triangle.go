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

// nvcc unrolls the loops of a nest from the inside. If the inner loop's length depends on the outer counter, the length is unknown. So nvcc
// unrolls the inner loop fourfold, and then the outer loop exceeds its limit. In contrast, clang unrolls the outer loop first, and then
// knows every length. A card counted 2,365 and 2,658 instructions a warp in Rodinia's lud, where clang's order gives 1,411 and 1,299.
//
// So clang lists the loops that it has unrolled. If an inner loop follows an outer loop in this list with varying lengths, the file is
// compiled once more with the outer loop kept. If the inner loop is then not unrolled, as when its counter is halved, the first result
// counts.

// remarkUnrolled makes clang report unrolled loops. It changes nothing else.
const remarkUnrolled = "-Rpass=loop-unroll"

// shortestKept is the least number of iterations of a kept outer loop. x: below that, four copies of the inner loop fit nvcc's limit.
const shortestKept = 8

// unrolledLoop is clang's report of an unrolled loop.
type unrolledLoop struct {
	at         place
	iterations int
}

// place is a loop's position.
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

// unrolledLoops takes clang's unrolling remarks out of its messages.
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

// nest is an outer loop and an inner loop whose length changes from iteration to iteration.
type nest struct{ outer, inner place }

// triangles returns the nests whose inner loop's length changes between iterations.
func triangles(loops []unrolledLoop) (nests []nest) {
	lengths := map[place][]int{}
	for _, l := range loops {
		if !slices.Contains(lengths[l.at], l.iterations) {
			lengths[l.at] = append(lengths[l.at], l.iterations)
		}
	}
	last := unrolledLoop{} // the last loop that always has the same length
	for _, l := range loops {
		several := len(lengths[l.at])
		switch {
		case several == 1:
			last = l
		case last.iterations >= shortestKept && several >= last.iterations/2 && last.at.file == l.at.file && last.at.line < l.at.line &&
			!slices.Contains(nests, nest{last.at, l.at}):
			nests = append(nests, nest{last.at, l.at})
		}
	}
	return nests
}

// keepLoops adds pragmas to the files' texts, as clang read them, that keep outer loops. The number of lines stays the same.
func keepLoops(nests []nest, read map[string][]byte) map[string][]byte {
	texts := maps.Clone(read)
	if texts == nil {
		texts = map[string][]byte{}
	}
	var loops []place
	for _, n := range nests {
		loops = append(loops, n.outer)
	}
	slices.SortFunc(loops, func(a, b place) int { // by line; within a line, the last first
		return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line, b.column-a.column)
	})
	for _, l := range slices.Compact(loops) {
		text, known := texts[l.file]
		if !known {
			var err error
			if text, err = os.ReadFile(l.file); err != nil {
				continue // standard input, or a name from #line
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

// runUnrolling runs clang for device code and unrolls loops as nvcc would.
func runUnrolling(ctx context.Context, clang Clang, name string, arguments []string, input []byte) (string, error) {
	arguments = append([]string{remarkUnrolled}, arguments...)
	first, said, err := runWithRepairs(ctx, clang, name, arguments, input, nil)
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
		if err != nil { // a loop has its own pragma
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

// copied returns the nests whose inner loop was unrolled, by clang's messages.
func copied(nests []nest, said string) (list []nest) {
	found := copiedRemark().FindAllStringSubmatch(said, -1)
	for _, n := range nests {
		if slices.ContainsFunc(found, func(m []string) bool { return m[1] == n.inner.file && m[2] == strconv.Itoa(n.inner.line) }) {
			list = append(list, n)
		}
	}
	return list
}
