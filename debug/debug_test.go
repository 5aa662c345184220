package debug

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/workload"
)

// options are for a kernel of testdata/checks; line numbers are those of its source.
func options(t *testing.T, file, kernel string, block int, timed bool, arguments ...string) Options {
	o := host.Options{Kernel: kernel, Grid: [3]int{1, 1, 1}, Block: [3]int{block, 1, 1}}.WithTiming(timed)
	for _, text := range arguments {
		a, err := workload.ParseArg(text)
		require.NoError(t, err)
		o.Arguments = append(o.Arguments, a)
	}
	return Options{File: "../testdata/checks/" + file, Host: o}
}

func reverse(t *testing.T, variant string, timed bool) Options {
	return options(t, "shared."+variant+".ptx", "reverse", 64, timed, "i=u32[64]:ramp(100)", "o=u32[64]")
}

// script executes commands and returns the output.
func script(t *testing.T, o Options, commands ...string) string {
	var out bytes.Buffer
	s := New(o)
	defer s.Close()
	require.NoError(t, NewConsole(s, &out).Run(t.Context(), strings.NewReader(strings.Join(commands, "\n")), "", true, true))
	return out.String()
}

// A breakpoint at a line stops each warp that reaches it. Values are the lane's and the warp's.
func TestBreakpointsAtLines(t *testing.T) {
	out := script(t, reverse(t, "fixed", false), "break shared.cu:8 warp 1", "continue", "lane 5", "print tid.x",
		"print u32(shared[4*3])", "lanes threadIdx.x*2",
		"print i", "memory shared 0 16", "memory shared 0x1000004 4", "warps", "continue")
	assert.Contains(t, out, "breakpoint 1: shared.cu:8 warp 1\n")
	assert.Contains(t, out, "breakpoint 1 (shared.cu:8 warp 1)\n#")
	assert.Contains(t, out, "reverse, block (0,0,0), warp 1, lanes 0xffffffff\n")
	assert.Contains(t, out, "tid.x = 37 (0x25)\n")
	assert.Contains(t, out, "u32(shared[4*3]) = 103 (0x67)\n", "warp 0 has stored what stands in i")
	assert.Contains(t, out, "\n 0: 64 (0x40)\n")
	assert.Contains(t, out, "\n31: 126 (0x7e)\n")
	assert.Contains(t, out, "i = 4294967296 (0x100000000")
	assert.Contains(t, out, "00000000  64 00 00 00 65 00 00 00")
	assert.Contains(t, out, "00000000  65 00 00 00  ", "a generic address")
	assert.Contains(t, out, "* warp 1, lanes 0xffffffff, at ")
	assert.Contains(t, out, "the program has ended after ")
}

// Conditions hold for a lane. Watchpoints stop after the access that changes memory.
func TestConditionsAndWatchpoints(t *testing.T) {
	out := script(t, reverse(t, "bug", false), "watch shared 4*50", "start", "continue", "print u32(shared[200])", "continue")
	assert.Contains(t, out, "watchpoint: lane 18 of warp 1 of block (0,0,0) writes shared 0xc8 at ")
	assert.Contains(t, out, "(source shared.cu:6)")
	assert.Contains(t, out, "u32(shared[200]) = 150 (0x96)")
	out = script(t, reverse(t, "bug", false), "break shared.cu:8 if tid.x == 40", "continue", "print warp", "continue")
	assert.Equal(t, 1, strings.Count(out, "\nbreakpoint 1 (shared"))
	assert.Contains(t, out, "warp = 1 ")
	assert.Contains(t, out, "the program has ended")
}

// A run stops after the first mistake that the checks find.
func TestFirstHazard(t *testing.T) {
	out := script(t, reverse(t, "bug", false), "hazard", "continue", "where")
	assert.Contains(t, out, "hazard: reverse: ")
	assert.Contains(t, out, "shared.cu:8")
	out = script(t, reverse(t, "fixed", false), "hazard", "continue")
	assert.Contains(t, out, "the program has ended")
	assert.NotNil(t, finding.RaceBlock)
}

// Each step back returns to the start of the step forwards: by operation, line, cycle and warp, with timing and without.
func TestStepsLeadBack(t *testing.T) {
	for _, timed := range []bool{false, true} {
		for _, unit := range []Unit{Instruction, Line, Cycle, OtherWarp} {
			s := New(reverse(t, "fixed", timed))
			ctx := context.Background()
			_, err := s.Start(ctx)
			require.NoError(t, err)
			var way []Stop
			for range 6 {
				way = append(way, s.Stopped())
				stop, err := s.Step(ctx, unit, 1)
				require.NoError(t, err)
				if stop.Reason == AtEnd {
					break
				}
			}
			last := s.Stopped().Number
			// A point has the same state each time.
			at := s.Stopped().String()
			_, err = s.Goto(ctx, way[0].Number)
			require.NoError(t, err)
			if last > way[len(way)-1].Number && !strings.Contains(at, "ended") {
				_, err = s.Goto(ctx, last)
				require.NoError(t, err)
				assert.Equal(t, strings.SplitN(at, "\n", 2)[1], strings.SplitN(s.Stopped().String(), "\n", 2)[1])
			}
			if unit == Instruction && !s.Ended() {
				for i := len(way) - 1; i >= 0; i-- {
					stop, err := s.Back(ctx, unit, 1)
					require.NoError(t, err)
					assert.Equal(t, way[i].Number, stop.Number, "%t %s", timed, unit)
				}
				_, err = s.Back(ctx, unit, 1)
				assert.Error(t, err, "the beginning")
			}
			s.Close()
		}
	}
}

// Back to a breakpoint goes to its last hit.
func TestBackToABreakpoint(t *testing.T) {
	s := New(reverse(t, "fixed", false))
	defer s.Close()
	ctx := context.Background()
	b, err := ParseBreakpoint("shared.cu:8")
	require.NoError(t, err)
	s.Add(b)
	first, err := s.Continue(ctx)
	require.NoError(t, err)
	second, err := s.Continue(ctx)
	require.NoError(t, err)
	assert.NotEqual(t, first.Issue.Warp.Index, second.Issue.Warp.Index)
	end, err := s.Continue(ctx)
	require.NoError(t, err)
	require.Equal(t, AtEnd, end.Reason)
	back, err := s.BackToBreakpoint(ctx)
	require.NoError(t, err)
	assert.Equal(t, second.Number, back.Number)
	assert.Equal(t, b, back.Breakpoint)
	back, err = s.BackToBreakpoint(ctx)
	require.NoError(t, err)
	assert.Equal(t, first.Number, back.Number)
}

// Timed runs show scoreboards, cycles and requests in flight.
func TestTimedStateIsSeen(t *testing.T) {
	commands := []string{"start"}
	for range 10 { // after one of the operations a request is in flight
		commands = append(commands, "stepc 1", "scoreboard")
	}
	out := script(t, reverse(t, "fixed", true), append(commands, "requests", "paths", "break cycle 1003", "continue", "where")...)
	assert.Regexp(t, `R\d+ +(ready in cycle \d+|waits for memory)`, out)
	assert.Contains(t, out, "lanes 0xffffffff runs at")
	assert.Regexp(t, `breakpoint 1 \(cycle 1003\)\n#\d+ cycle 1\d\d\d:`, out)
	out = script(t, reverse(t, "fixed", true), "break shared.cu:6 warp 1", "continue", "stepi", "stepi", "stepi", "requests", "continue")
	assert.Contains(t, out, "reverse, block (0,0,0), warp 1")
}

// Diverged paths are shown with their lanes.
func TestPaths(t *testing.T) {
	out := script(t, options(t, "warp.fixed.ptx", "two_paths", 32, false, "i=u32[32]:ramp", "o=u32[32]"), "break warp.cu:11", "continue",
		"paths", "lanes lane")
	assert.Contains(t, out, "lanes 0x55555555 runs at")
	assert.Contains(t, out, "lanes 0xaaaaaaaa waits at")
	assert.NotContains(t, out, "\n 1: ")
}

// User mistakes get an error.
func TestErrors(t *testing.T) {
	s := New(reverse(t, "fixed", false))
	defer s.Close()
	c := NewConsole(s, &bytes.Buffer{})
	for text, want := range map[string]string{
		"jump":               `there is no command "jump"; help lists them`,
		"break":              "break where? A kernel, LINE, FILE:LINE, block X,Y,Z, warp N, cycle N, if CONDITION",
		"print R1":           "the program has not begun: start, or continue",
		"watch heap 3":       "watch SPACE ADDRESS [BYTES], as in watch global y+16 or watch shared 0 64",
		"delete 4":           "there is no breakpoint 4",
		"lane 32":            "a lane is a number from 0 to 31",
		"back sideways":      `back by what? line, instruction, cycle, warp or breakpoint, not "sideways"`,
		"memory shared 0 16": "the program has not begun: start, or continue",
	} {
		assert.EqualError(t, c.Do(t.Context(), text), want)
	}
	require.NoError(t, c.Do(t.Context(), "start"))
	assert.EqualError(t, c.Do(t.Context(), "print R99x"), "there is no register, variable or buffer R99x")
	assert.EqualError(t, c.Do(t.Context(), "hazard"), "hazard comes before start: the checks watch a run from its beginning")
	assert.Error(t, c.Do(t.Context(), "print 1 +"))
}

func FuzzParseBreakpoint(f *testing.F) {
	f.Add("k.cu:3 block 1,2,3 warp 4 cycle 5 if R1 == shared[tid.x]")
	executions.Fuzz(f, func(t *testing.T, text string) {
		if b, err := ParseBreakpoint(text); err == nil {
			_ = b.String()
		}
	})
}

// Addresses outside memory are rejected, however large, and so are malformed block coordinates.
func TestWhatIsNotThereIsRefused(t *testing.T) {
	s := New(reverse(t, "fixed", false))
	defer s.Close()
	c := NewConsole(s, &bytes.Buffer{})
	require.NoError(t, c.Do(t.Context(), "start"))
	assert.ErrorContains(t, c.Do(t.Context(), "memory shared 0xffffffffffffffff 4"), "shared memory has no 4 bytes")
	assert.ErrorContains(t, c.Do(t.Context(), "print shared[0-1]"), "shared memory has no 4 bytes")
	for _, place := range []string{"a,1", "1,b,2", "1,2,3,4"} {
		_, err := ParseBreakpoint("block " + place)
		assert.Error(t, err, place)
	}
}
