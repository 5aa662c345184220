package debug

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
	"github.com/keplersim/keplersim/workload"
)

const walkSource = "testdata/variables.cu"

// compiled caches the tests' compilations.
var compiled = &sources.Memo{}

// walk debugs the kernel of testdata/variables.cu: two warps, three turns.
func walk(t *testing.T, deviceDebug, timed bool) Options {
	need.Clang(t)
	o := host.Options{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Shared: 128}.WithTiming(timed)
	for _, text := range []string{"in=u32[64]:ramp(7)", "out=u32[64]", "3", "1.5"} {
		a, err := workload.ParseArg(text)
		require.NoError(t, err)
		o.Arguments = append(o.Arguments, a)
	}
	o.Code.Memo = compiled
	return Options{File: walkSource, Host: o, DeviceDebug: deviceDebug}
}

// marked is the source line that ends with this comment.
func marked(t *testing.T, comment string) int {
	text, err := os.ReadFile(walkSource)
	require.NoError(t, err)
	for n, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// "+comment) {
			return n + 1
		}
	}
	t.Fatal("no line is marked " + comment)
	return 0
}

// perLane evaluates an expression in all lanes of the current warp; "" for inactive lanes.
func perLane(t *testing.T, s *Session, text string) (values [32]string) {
	x, err := ParseExpression(text)
	require.NoError(t, err)
	issue := s.Stopped().Issue
	for lane := range values {
		if issue.Active>>lane&1 == 0 {
			continue
		}
		at := &scope{w: &s.run.watcher, issue: &issue, lane: lane}
		v, err := x.Value(at)
		values[lane] = at.formatOr(v, err, mostDepth)
	}
	return values
}

// expect compares an expression in all active lanes with a function of the thread.
func expect(t *testing.T, s *Session, text string, want func(thread int) any) {
	t.Helper()
	warp := s.Warp().Index
	for lane, got := range perLane(t, s, text) {
		if got != "" {
			assert.Equal(t, fmt.Sprint(want(32*warp+lane)), got, "%s in lane %d of warp %d", text, lane, warp)
		}
	}
}

// stopAt adds a breakpoint.
func stopAt(t *testing.T, s *Session, text string) {
	b, err := ParseBreakpoint(text)
	require.NoError(t, err)
	s.Add(b)
}

// Every variable has in each lane the value that the source gives it, computed here again: in loops, inlined functions and diverged code,
// with timing and without.
func TestVariablesAreThoseOfTheSource(t *testing.T) {
	for _, timed := range []bool{false, true} {
		s := New(walk(t, true, timed))
		stopAt(t, s, fmt.Sprintf("variables.cu:%d", marked(t, "in the loop")))
		stopAt(t, s, fmt.Sprintf("variables.cu:%d", marked(t, "in triple")))
		ctx := t.Context()
		in := func(thread int) int { return 7 + thread } // the ramp
		turn := map[[2]int]int{}
		stops := 0
		for {
			stop, err := s.Continue(ctx)
			require.NoError(t, err)
			if stop.Reason == AtEnd {
				require.Empty(t, stop.Detail)
				break
			}
			stops++
			key := [2]int{s.Warp().Index, stop.Breakpoint.Number}
			i := turn[key]
			turn[key]++
			v := func(thread int) int { return in((thread + i) & 63) }
			sum := func(thread, turns int) (all int64) {
				for j := range turns {
					all += int64(3*in((thread+j)&63)+1) << 33
				}
				return all
			}
			expect(t, s, "t", func(thread int) any { return thread })
			expect(t, s, "i", func(int) any { return i })
			expect(t, s, "n - i", func(int) any { return 3 - i })
			expect(t, s, "tile[(t+i)&63]", func(thread int) any { return v(thread) })
			expect(t, s, "in[t]", func(thread int) any { return in(thread) })
			expect(t, s, "u16(shared[more+2*t])", func(thread int) any { return show(uint64(uint16(-thread))) })
			expect(t, s, "p.x", func(thread int) any { return float32(thread) * 1.5 })
			expect(t, s, "p.next->y", func(thread int) any { return strconv.FormatFloat(float64(float32(thread)*1.5)/3, 'g', -1, 64) })
			if stop.Breakpoint.Number == 2 {
				expect(t, s, "v", func(thread int) any { return v(thread) })
				expect(t, s, "w", func(thread int) any { return 3 * v(thread) })
				expect(t, s, "sum", func(thread int) any { return sum(thread, i) })
				expect(t, s, "k", func(int) any { return "<not set yet>" })
				continue
			}
			expect(t, s, "k", func(thread int) any { return 3*v(thread) + 1 })
			expect(t, s, "sum", func(thread int) any { return sum(thread, i+1) })
			expect(t, s, "sum > 1000000000000 && even", func(thread int) any { return sum(thread, i+1) > 1e12 && i > 0 })
			expect(t, s, "v", func(int) any { return "<there is no register, variable or buffer v>" })
		}
		assert.Equal(t, 12, stops, "two warps, three turns, two lines")
		s.Close()
	}
}

// Members, bit fields, base classes, texts, enumerations, and variables that only some lanes have.
func TestVariablesOfEachType(t *testing.T) {
	s := New(walk(t, true, false))
	defer s.Close()
	stopAt(t, s, fmt.Sprintf("variables.cu:%d", marked(t, "one lane of four")))
	stopAt(t, s, fmt.Sprintf("variables.cu:%d", marked(t, "at the end")))
	at := 0
	for {
		stop, err := s.Continue(t.Context())
		require.NoError(t, err)
		if stop.Reason == AtEnd {
			break
		}
		at++
		grown := float32(1)
		if stop.Breakpoint.Number == 1 {
			assert.Equal(t, uint32(0x22222222), stop.Issue.Active)
			expect(t, s, "odd", func(thread int) any { return uint8(thread + 200) })
			expect(t, s, "total", func(int) any { return 3 })
		} else {
			grown = 2.5
			expect(t, s, "step", func(thread int) any { return thread + 1 })
			expect(t, s, "odd", func(int) any { return "<there is no register, variable or buffer odd>" })
			expect(t, s, "total", func(int) any { return 3 })
		}
		expect(t, s, "p.id", func(thread int) any { return thread })
		expect(t, s, "p.x * 2", func(thread int) any { return float64(float32(thread)*1.5*grown) * 2 })
		expect(t, s, "p.low", func(thread int) any { return thread & 7 })
		expect(t, s, "p.high", func(thread int) any { return thread%32 - 16 })
		expect(t, s, "p.name", func(thread int) any { return strconv.Quote(string(rune('a' + thread%26))) })
		expect(t, s, "colour", func(thread int) any {
			return map[bool]string{true: "green (5)", false: "blue (6)"}[thread%2 == 1]
		})
		expect(t, s, "scale", func(int) any { return "{1, 2.5, 4, 8}" })
		expect(t, s, "*(&tile[3] + 2) - tile[4]", func(int) any { return 1 })
		expect(t, s, "start", func(int) any { return 1.5 })
		expect(t, s, "even", func(int) any { return true })
		expect(t, s, "p.next == &p", func(int) any { return true })
		expect(t, s, "$t", func(int) any { return "<there is no register, variable or buffer t>" })
	}
	assert.Equal(t, 4, at)
}

// Called functions have their own frames with their variables. References lead to the caller's variables.
func TestVariablesOfCallers(t *testing.T) {
	s := New(walk(t, true, false))
	defer s.Close()
	stopAt(t, s, fmt.Sprintf("variables.cu:%d warp 1", marked(t, "deepest")))
	stop, err := s.Continue(t.Context())
	require.NoError(t, err)
	require.Equal(t, AtBreakpoint, stop.Reason)
	in := func(frame, lane int, text string) string {
		x, err := ParseExpression(text)
		require.NoError(t, err)
		at := &scope{w: &s.run.watcher, issue: &stop.Issue, lane: lane, frame: frame}
		v, err := x.Value(at)
		return at.formatOr(v, err, mostDepth)
	}
	for lane := range 32 {
		step := 32 + lane + 1
		for frame := range 3 { // down(0), down(1), down(2)
			assert.Equal(t, fmt.Sprint(frame), in(frame, lane, "depth"))
			assert.Equal(t, fmt.Sprint(step), in(frame, lane, "step"))
			assert.Equal(t, fmt.Sprint(frame*step), in(frame, lane, "here"))
		}
		assert.Equal(t, fmt.Sprint(32+lane), in(3, lane, "t"), "the kernel")
		assert.Equal(t, fmt.Sprint(step), in(3, lane, "step"))
	}
	assert.Equal(t, "<there are fewer calls on the stack>", in(4, 0, "$R0")[:0]+"<"+errNoFrame.Error()+">")
	assert.Contains(t, in(0, 0, "t"), "no register, variable or buffer")
}

// In an optimised kernel, a local variable either has its true value or none. Variables in memory show their contents.
func TestOptimisedCodeHasNoLocals(t *testing.T) {
	s := New(walk(t, false, false))
	defer s.Close()
	stopAt(t, s, fmt.Sprintf("variables.cu:%d", marked(t, "at the end")))
	stop, err := s.Continue(t.Context())
	require.NoError(t, err)
	require.Equal(t, AtBreakpoint, stop.Reason)
	for _, name := range []string{"n", "start", "t", "sum", "p", "step", "even"} {
		expect(t, s, name, func(int) any { return "<optimized out>" })
	}
	expect(t, s, "in", func(int) any { return "<optimized out> ($in is the buffer's address)" })
	expect(t, s, "tile[63 - 1]", func(int) any { return 69 })
	expect(t, s, "scale[3]", func(int) any { return 8 })
	expect(t, s, "u32(global[$in + 4])", func(int) any { return "8 (0x8)" })
}

// PTX with the places of variables has the same instructions as PTX without.
func TestVariablesChangeNoCode(t *testing.T) {
	walk(t, false, false)
	debugging := regexp.MustCompile(`(?m)^\s*(//|\$L__(tmp|func_)|\.loc|\.file|\.target|\{|\}).*\n|\s*//.*$|(?s)\.section.*`)
	code := func(o toolchain.Options) string {
		r, err := toolchain.Compile(t.Context(), walkSource, o)
		require.NoError(t, err)
		return debugging.ReplaceAllString(string(r.PTX), "")
	}
	with, without := code(toolchain.Options{Variables: true}), code(toolchain.Options{LineInfo: true})
	assert.Equal(t, without, with)
	assert.Contains(t, with, "bar.sync")
}

// A whole session as a person would type it; its output is in testdata/variables.txt.
func TestSessionWithVariables(t *testing.T) {
	commands, err := os.ReadFile("testdata/variables.dbg")
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/variables.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), places.ReplaceAllString(script(t, walk(t, true, false), string(commands)), "$1$2$3$5…"))
}

// places are the parts of the output that depend on the compiler: addresses of operations and variables, names and counts.
var places = regexp.MustCompile(`(?m)(^#)\d+ cycle \d+|(\(its PTX\)):\d+|(\)): [A-Z.0-9]+( .*)?$|(0x2)[0-9a-f]{6}\b`)

// A condition on a variable without a value never stops, and the end says so.
func TestConditionsThatCannotBeTold(t *testing.T) {
	line := marked(t, "at the end")
	out := script(t, walk(t, false, false), fmt.Sprintf("break variables.cu:%d if t == 40", line), "continue", "breakpoints")
	assert.Contains(t, out, "the program has ended")
	assert.Regexp(t, `\nbreakpoint 1: in \d+ lanes its condition could not be evaluated: <optimized out>\n`, out)
	out = script(t, walk(t, true, false), "break variables.cu:1", "break nowhere.cu:24", "break variables.cu:24 block 1", "break wal",
		fmt.Sprintf("break %d warp 0", line), "continue", "continue")
	assert.Contains(t, out, "\nbreakpoint 1: there is no code at variables.cu:1\nbreakpoint 2: there is no code at nowhere.cu:24\n")
	assert.NotContains(t, out, "breakpoint 3: there is no")
	assert.Contains(t, out, "\nbreakpoint 4: no kernel wal has been loaded\n")
	assert.Contains(t, out, fmt.Sprintf("\nbreakpoint 5 (%d warp 0)\n", line))
	s := New(walk(t, true, false))
	defer s.Close()
	c := NewConsole(s, &bytes.Buffer{})
	require.NoError(t, c.Do(t.Context(), fmt.Sprintf("break %d", line)))
	require.NoError(t, c.Do(t.Context(), "continue"))
	assert.ErrorContains(t, c.Do(t.Context(), "print blockIdx"), "blockIdx is (0,0,0): take blockIdx.x, .y or .z")
	assert.ErrorContains(t, c.Do(t.Context(), "print more[3]"), "the type of more is unknown, as of all extern variables; its words are "+
		"shared[more+4*3]")
	out = script(t, walk(t, true, false), fmt.Sprintf("break variables.cu:%d if t == 40 && sum > 5", line), "continue", "lane 8", "print t",
		"continue")
	assert.Contains(t, out, "> print t\nt = 40\n")
	assert.Equal(t, 1, strings.Count(out, "\nbreakpoint 1 (variables"))
}

// next stays in the kernel where step goes into down, and finish ends the innermost call alone.
func TestStepsOverCallsAndOut(t *testing.T) {
	s := New(walk(t, true, false))
	defer s.Close()
	stopAt(t, s, fmt.Sprintf("variables.cu:%d warp 1", marked(t, "deepest")))
	_, err := s.Continue(t.Context())
	require.NoError(t, err)
	for depth := 4; depth > 1; depth-- {
		assert.Equal(t, depth, s.depth(&s.stop.Issue))
		assert.Equal(t, 1, s.stop.Issue.Warp.Index)
		stop, err := s.Step(t.Context(), Out, 1)
		require.NoError(t, err)
		require.Equal(t, AtStep, stop.Reason)
	}
	_, err = s.Step(t.Context(), Out, 1)
	assert.ErrorContains(t, err, "the warp runs the kernel itself")
	s.Breakpoints = nil
	deepest, lines := 0, map[Unit]int{}
	for _, unit := range []Unit{Over, Line} {
		_, err := s.Start(t.Context())
		for require.NoError(t, err); !s.Ended(); _, err = s.Step(t.Context(), unit, 1) {
			require.NoError(t, err)
			lines[unit]++
			if deepest = max(deepest, s.depth(&s.stop.Issue)); unit == Over {
				assert.Equal(t, 1, deepest)
			}
		}
	}
	assert.Equal(t, 4, deepest)
	assert.Greater(t, lines[Line], lines[Over])
}

// No expression makes the debugger panic.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{"p->x[3] + *q - &tile[1]", "-9223372036854775807-1 / -1", "'a' << 70 % 0", "$lane.x && u8(shared[3.5])",
		"!1.5e300 > ~0"} {
		f.Add(text)
	}
	executions.Fuzz(f, func(_ *testing.T, text string) {
		if x, err := ParseExpression(text); err == nil {
			at := &scope{w: &watcher{}, issue: &observe.Issue{}}
			v, err := x.Value(at)
			_ = at.formatOr(v, err, mostDepth)
		}
	})
}

// The example in NVIDIA's PTX interoperability guide 13.0, chapter 6, has foo(i, j) with both in registers: 1 and 2 after they are loaded.
// Its kernel has its parameter in parameter space.
func TestVariablesInRegisters(t *testing.T) {
	o := Options{File: "../isa/debuginfo/testdata/call_example.ptx", DeviceDebug: true,
		Host: host.Options{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}.WithTiming(false)}
	a, err := workload.ParseArg("p=u32[1]")
	require.NoError(t, err)
	o.Host.Arguments = append(o.Host.Arguments, a)
	s := New(o)
	defer s.Close()
	stop, err := s.Start(t.Context())
	seen := map[string]int{}
	for require.NoError(t, err); stop.Reason != AtEnd; stop, err = s.Step(t.Context(), Instruction, 1) {
		require.NoError(t, err)
		p := stop.Issue.Warp.Block.Grid.Machine.Program
		line := p.Lines[stop.Issue.Warp.Operation(stop.Issue.Op).Line].PTXLine
		switch i, j := perLane(t, s, "i")[3], perLane(t, s, "j")[3]; {
		case line == 19: // the addition
			assert.Equal(t, []string{"1", "2"}, []string{i, j})
			seen["add"]++
		case line == 20: // other values may be in the registers then; if not, the values are the same
			assert.Subset(t, []string{"1", "2", "<optimized out>"}, []string{i, j})
		case line > 32 && line < 48:
			assert.Regexp(t, `^\(int\*\) 0x1[0-9a-f]+$`, perLane(t, s, "p")[3])
			seen["test"]++
		}
	}
	assert.Equal(t, 1, seen["add"])
	assert.Greater(t, seen["test"], 3)
}
