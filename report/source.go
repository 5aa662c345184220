package report

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

func init() { RegisterFormat("source", "a line for each source line", Source, sourceOfAll) }

// mostLines is the most source lines that the text report lists for a launch.
const mostLines = 10

// source writes the table of functions, if there are others than the kernel, and the table of the hottest lines.
func (p *printer) source(l *stats.Launch) {
	if len(l.Functions) > 1 {
		rows := [][]string{append([]string{"function", "how"}, countHeads(l)...)}
		for i := range l.Functions {
			f := &l.Functions[i]
			rows = append(rows, append([]string{cut(f.Name), how(f)}, counts(l, &f.OperationCount)...))
		}
		p.columns(rows, 2)
		p.line("")
	}
	if len(l.Source) == 0 {
		return
	}
	order := make([]int, len(l.Source))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &l.Source[a], &l.Source[b]
		return cmp.Or(cmp.Compare(y.Stalled(), x.Stalled()), cmp.Compare(y.Executed, x.Executed))
	})
	// A single function needs no name on each line.
	named := func(line, function string) []string {
		if len(l.Functions) == 1 {
			return []string{line}
		}
		return []string{line, cut(function)}
	}
	rows := [][]string{append(named("source line", "function"), countHeads(l)...)}
	for k, i := range order {
		if k == mostLines {
			rows = append(rows, []string{fmt.Sprintf("and %d more (all of them: --format source)", len(order)-mostLines)})
			break
		}
		s := &l.Source[i]
		rows = append(rows, append(named(lineName(s), l.Functions[s.Function].Name), counts(l, &s.OperationCount)...))
	}
	p.columns(rows, len(named("", "")))
	p.line("")
	p.accesses(l, named)
}

// lineAccesses has the accesses of one kind by one line.
type lineAccesses struct {
	line *stats.SourceCount
	kind *stats.KindCount
}

// accesses writes a table of the lines whose memory accesses took the most transactions, with a row for each kind of access; nothing if
// none were counted.
func (p *printer) accesses(l *stats.Launch, named func(line, function string) []string) {
	var all []lineAccesses
	for i := range l.Source {
		for k := range l.Source[i].Accesses {
			all = append(all, lineAccesses{&l.Source[i], &l.Source[i].Accesses[k]})
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b lineAccesses) int { return cmp.Compare(b.kind.Transactions, a.kind.Transactions) })
	rows := [][]string{append(named("memory by line", "function"),
		"kind", "accesses", "transactions", "each", "sectors", "efficiency", "hits", "replays", "latency")}
	for n, a := range all {
		if n == mostLines {
			rows = append(rows, []string{fmt.Sprintf("and %d more (all of them: --format json)", len(all)-mostLines)})
			break
		}
		m := &a.kind.AccessCount
		each := significant(ratio(m.Transactions, m.Requests))
		row := []string{a.kind.Kind.String(), count(m.Requests), count(m.Transactions), each, "", "", "", count(m.Replays), ""}
		if m.Sectors > 0 {
			row[4], row[5] = count(m.Sectors), percent(m.Efficiency())
		}
		if m.Cache.Accesses > 0 {
			row[6] = percent(ratio(m.Cache.Hits, m.Cache.Accesses))
		}
		if m.Answered > 0 {
			row[8] = significant(m.AverageLatency())
		}
		rows = append(rows, append(named(lineName(a.line), l.Functions[a.line.Function].Name), row...))
	}
	p.columns(rows, len(named("", ""))+1)
	p.line("")
}

// how says how a function is run: as a kernel, inlined, or called.
func how(f *stats.FunctionCount) string {
	var parts []string
	if f.Kernel {
		parts = append(parts, "kernel")
	}
	if f.Inlined > 0 {
		parts = append(parts, fmt.Sprintf("%s inlined", plural(uint64(f.Inlined), "call")))
	}
	if f.Calls > 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("entered %s", plural(f.Calls, "time")))
	}
	return strings.Join(parts, ", ")
}

// lineName returns a line, followed by the calls that inlining replaced.
func lineName(s *stats.SourceCount) string {
	if s.File == "" {
		return "(added by the compiler)"
	}
	if len(s.InlinedAt) == 0 {
		return placeName(s.Place)
	}
	return placeName(s.Place) + ", inlined at " + chainName(s.InlinedAt)
}

// chainName returns the calls that inlining replaced, innermost first.
func chainName(places []stats.Place) string {
	names := make([]string, len(places))
	for i, at := range places {
		names[i] = placeName(at)
	}
	return strings.Join(names, ", ")
}

// longestName is the most characters of a function's name in a table.
const longestName = 60

func cut(name string) string { return cutTo(name, longestName) }

// cutTo shortens a text to at most a number of characters.
func cutTo(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:max(0, most-1)]) + "…"
	}
	return text
}

func placeName(p stats.Place) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// countHeads returns the column heads for counts.
func countHeads(l *stats.Launch) []string {
	if l.Functional {
		return []string{"instructions", ""}
	}
	return []string{"instructions", "", "warps waited", "mostly for"}
}

// counts returns instructions with their share, and the share of warps' stalled time with its main reason.
func counts(l *stats.Launch, o *stats.OperationCount) []string {
	cells := []string{count(o.Executed), percent(ratio(o.Executed, l.Total.InstExecuted))}
	if l.Functional {
		return cells
	}
	cells = append(cells, percent(ratio(o.Stalled(), l.Stalled())))
	if o.Stalled() > 0 {
		cells = append(cells, o.MostStalled().String())
	}
	return cells
}

// jsonFunction is a function of a launch. It counts its own operations, without those of functions that it calls.
type jsonFunction struct {
	Name    string `json:"name"`
	Symbol  string `json:"symbol"`
	Kernel  bool   `json:"kernel"`
	Inlined int    `json:"inlined_calls"`
	Calls   uint64 `json:"calls"`
	jsonOperations
}

// jsonLine is a source line of a launch, at one place of inlining.
type jsonLine struct {
	File       string      `json:"file"`
	Line       int         `json:"line"`
	Function   string      `json:"function"`
	InlinedAt  []jsonPlace `json:"inlined_at,omitempty"`
	Operations int         `json:"operations"`
	jsonOperations
	Accesses []jsonKind `json:"accesses,omitempty"`
}

// jsonKind has a line's memory accesses of one kind.
type jsonKind struct {
	Kind string `json:"kind"`
	jsonAccesses
}

type jsonPlace struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// jsonOperations has counts of operations. Stalls are warp cycles by nvprof's reasons, Parts those of finer reasons; zeros are left out.
type jsonOperations struct {
	Executed uint64            `json:"inst_executed"`
	Lanes    uint64            `json:"thread_inst_executed"`
	Stalled  uint64            `json:"stalled_warp_cycles"`
	Stalls   map[string]uint64 `json:"stalls,omitempty"`
	Parts    map[string]uint64 `json:"stall_parts,omitempty"`
	Memory   *jsonAccesses     `json:"memory,omitempty"` // of operations that access memory
}

// jsonAccesses has counts of memory accesses. Efficiency is bytes asked for over bytes touched, null if no sectors are counted. Latency is
// core cycles from issue to result, null if there is no result.
type jsonAccesses struct {
	Requests      uint64   `json:"requests"`
	Transactions  uint64   `json:"transactions"`
	Sectors       uint64   `json:"sectors"`
	Bytes         uint64   `json:"bytes"`
	Efficiency    *float64 `json:"efficiency"`
	CacheAccesses uint64   `json:"cache_accesses"`
	CacheHits     uint64   `json:"cache_hits"`
	Replays       uint64   `json:"replays"`
	Latency       *float64 `json:"latency"`
}

func accessesJSON(m *stats.AccessCount) *jsonAccesses {
	if m.Requests == 0 {
		return nil
	}
	out := &jsonAccesses{Requests: m.Requests, Transactions: m.Transactions, Sectors: m.Sectors, Bytes: m.Bytes,
		CacheAccesses: m.Cache.Accesses, CacheHits: m.Cache.Hits, Replays: m.Replays}
	if m.Sectors > 0 {
		v := m.Efficiency()
		out.Efficiency = &v
	}
	if m.Answered > 0 {
		v := m.AverageLatency()
		out.Latency = &v
	}
	return out
}

func operationsJSON(o *stats.OperationCount) jsonOperations {
	out := jsonOperations{Executed: o.Executed, Lanes: o.Lanes, Stalled: o.Stalled(), Memory: accessesJSON(&o.Memory)}
	book := func(to *map[string]uint64, reason stats.Stall, cycles uint64) {
		if cycles > 0 {
			if *to == nil {
				*to = map[string]uint64{}
			}
			(*to)[reason.String()] = cycles
		}
	}
	for reason := range stats.StallCount {
		if reason < stats.ProfilerStalls {
			book(&out.Stalls, reason, o.Stalls.Profiler(reason))
		} else {
			book(&out.Parts, reason, o.Stalls[reason])
		}
	}
	return out
}

func functionsJSON(l *stats.Launch) []jsonFunction {
	all := []jsonFunction{}
	for i := range l.Functions {
		f := &l.Functions[i]
		all = append(all, jsonFunction{f.Name, f.Symbol, f.Kernel, f.Inlined, f.Calls, operationsJSON(&f.OperationCount)})
	}
	return all
}

func sourceJSON(l *stats.Launch) []jsonLine {
	all := []jsonLine{}
	for i := range l.Source {
		s := &l.Source[i]
		line := jsonLine{File: s.File, Line: s.Line, Function: l.Functions[s.Function].Name, Operations: s.Operations,
			jsonOperations: operationsJSON(&s.OperationCount)}
		for _, at := range s.InlinedAt {
			line.InlinedAt = append(line.InlinedAt, jsonPlace(at))
		}
		for k := range s.Accesses {
			line.Accesses = append(line.Accesses, jsonKind{s.Accesses[k].Kind.String(), *accessesJSON(&s.Accesses[k].AccessCount)})
		}
		all = append(all, line)
	}
	return all
}

// Source writes CSV with a line for each source line of each launch.
func Source(w io.Writer, r *Run) error {
	out := csv.NewWriter(w)
	err := out.Write(sourceHead())
	eachSourceLine(r, func(line []string) { err = errors.Join(err, out.Write(line)) })
	return flushed(out, err)
}

// sourceHead returns the names of the columns.
func sourceHead() []string {
	head := []string{"launch", "kernel", "file", "line", "function", "inlined_at", "operations", "inst_executed", "thread_inst_executed",
		"stalled_warp_cycles"}
	for reason := range stats.ProfilerStalls {
		head = append(head, "stall_"+reason.String())
	}
	head = append(head, "requests", "transactions", "sectors", "bytes", "cache_accesses", "cache_hits", "replays", "results",
		"latency_cycles")
	for reason := stats.ProfilerStalls; reason < stats.StallCount; reason++ {
		head = append(head, "stall_"+reason.String())
	}
	return head
}

// eachSourceLine calls do with the columns of each line. do must not keep the slice: the next call reuses it.
func eachSourceLine(r *Run, do func([]string)) {
	var line []string
	for n, l := range r.All() {
		for i := range l.Source {
			s := &l.Source[i]
			line = append(line[:0], strconv.Itoa(n), l.DisplayName(), s.File, strconv.Itoa(s.Line), l.Functions[s.Function].Name,
				chainName(s.InlinedAt),
				strconv.Itoa(s.Operations), strconv.FormatUint(s.Executed, 10), strconv.FormatUint(s.Lanes, 10),
				strconv.FormatUint(s.Stalled(), 10))
			for reason := range stats.ProfilerStalls {
				line = append(line, strconv.FormatUint(s.Stalls.Profiler(reason), 10))
			}
			m := &s.Memory
			for _, v := range []uint64{
				m.Requests, m.Transactions, m.Sectors, m.Bytes, m.Cache.Accesses, m.Cache.Hits, m.Replays, m.Answered, m.Latency,
			} {
				line = append(line, strconv.FormatUint(v, 10))
			}
			for reason := stats.ProfilerStalls; reason < stats.StallCount; reason++ {
				line = append(line, strconv.FormatUint(s.Stalls[reason], 10))
			}
			do(line)
		}
	}
}
