package workload

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// launchWith returns a workload file with one launch of some arguments.
func launchWith(args string) string {
	return "buffers: {a: {type: f32, count: 4}, b: {type: f32, count: 4}, n: {type: s32, count: 2}}\n" +
		"steps:\n  - launch: {kernel: k, grid: [1], block: [1], repeat: 4, args: [" + args + "]}\n"
}

// Arguments change from round to round like those in a host program's loop.
func TestArgumentsOfRounds(t *testing.T) {
	for args, want := range map[string]string{
		"{rotate: [a, b]}": "a b a b",
		"{rotate: [{u32: 1}, {u32: 2}, {ptr: [a, 8]}]}": "{u32: 1} {u32: 2} {ptr: [a, 8]} {u32: 1}",
		"{count: {u32: 3, step: 2}}":                    "{u32: 3} {u32: 5} {u32: 7} {u32: 9}",
		"{count: {s32: 1, step: -1}}":                   "{s32: 1} {s32: 0} {s32: -1} {s32: -2}",
		"{count: {u32: 1, times: 2}}":                   "{u32: 1} {u32: 2} {u32: 4} {u32: 8}",
		"{count: {u32: 5, divide: 2}}":                  "{u32: 5} {u32: 2} {u32: 1} {u32: 0}",
		"{count: {f32: 1, times: 0.5}}":                 "{f32: 1.0} {f32: 0.5} {f32: 0.25} {f32: 0.125}",
		"{element: [n, 1]}":                             "{s32: -7} {s32: -7} {s32: -7} {s32: -7}",
		"{struct: [{rotate: [a, b]}, {u32: 1}]}": "{struct: [a, {u32: 1}]} {struct: [b, {u32: 1}]} {struct: [a, {u32: 1}]} " +
			"{struct: [b, {u32: 1}]}",
	} {
		w, err := Parse("w.yaml", []byte(launchWith(args)))
		require.NoError(t, err, args)
		l := w.Launches()[0]
		assert.Equal(t, args, l.Args[0].String(), "it is written as it was read")
		var got []string
		for round := range 4 {
			all, err := l.ArgumentsAt(round, func(e Element) (Type, []byte, error) {
				assert.Equal(t, Element{"n", 1}, e)
				return "s32", binary.LittleEndian.AppendUint32(nil, ^uint32(6)), nil
			})
			require.NoError(t, err)
			got = append(got, all[0].String())
		}
		assert.Equal(t, want, strings.Join(got, " "), args)
	}
	// A number outside its type is an error that names the round.
	c := Count{Type: "u8", Start: integer(200), Change: "step", By: integer(50)}
	_, err := c.At(2)
	assert.EqualError(t, err, "round 3: 300 does not fit type u8 (0 to 255)")
	// A huge number of rounds takes no time.
	n, err := (&Count{Type: "u32", Start: integer(1024), Change: "divide", By: integer(2)}).At(1 << 30)
	require.NoError(t, err)
	assert.Zero(t, n.Magnitude)
}

func TestConditions(t *testing.T) {
	for text, want := range map[string][3]bool{ // for -1, 0 and 1
		"equals: 0": {false, true, false}, "not: 0": {true, false, true}, "below: 0": {true, false, false},
		"above: 0": {false, false, true}, "at_least: 0": {false, true, true}, "at_most: 0": {true, true, false},
	} {
		w, err := Parse("w.yaml", []byte(strings.Replace(launchWith("a"), "repeat: 4", "repeat: 4, until: {element: [n, 1], "+text+"}", 1)))
		require.NoError(t, err, text)
		u := w.Launches()[0].Until
		for i, v := range []int32{-1, 0, 1} {
			assert.Equal(t, want[i], u.Met("s32", binary.LittleEndian.AppendUint32(nil, uint32(v))), "%s of %d", text, v)
			assert.Equal(
				t, want[i], u.Met("f64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(v)))), "%s of %d.0", text, v,
			)
		}
		assert.Equal(t, "{element: [n, 1], "+text+"}", u.String())
	}
}

func TestMistakesInRounds(t *testing.T) {
	for args, want := range map[string]string{
		"{rotate: [a]}":                                       "w.yaml:3:75: rotate has arguments that take turns",
		"{rotate: [a, {rotate: [a, b]}]}":                     "rotate within rotate: write all turns in one list",
		"{rotate: [a, c]}":                                    `there is no buffer "c"`,
		"{count: {u32: 1}}":                                   "it has a type with its start, and one of divide, step, times",
		"{count: {step: 1}}":                                  "it has a type with its start",
		"{count: {u32: 1, s32: 2, step: 1}}":                  "a count has one type, not",
		"{count: {u32: 1, step: 1, times: 2}}":                "a count changes in one way, not by",
		"{count: {u32: 1, divide: 0}}":                        "it cannot be divided by zero",
		"{count: {u32: 1, step: 0.5}}":                        "0.5 is not an integer, as type u32 needs",
		"{count: {u32: -1, step: 1}}":                         "-1 does not fit type u32",
		"{element: [n, 2]}":                                   "element: buffer n has 2 elements, so the last is 1",
		"{element: [n]}":                                      "element is [buffer, index], not 1 entries",
		"{element: [m, 0]}":                                   `there is no buffer "m"`,
		"a]}\n  - repeat: {times: 2}\n#":                      "a repetition needs times",
		"a]}\n  - repeat: {times: 0, steps: []}\n#":           "times of repeat is 0, but must be from 1",
		"a], until: {element: [n, 0]}}\n#":                    "until needs an element and one of above, at_least",
		"a], until: {element: [n, 0], equal: 0}}\n#":          `unknown key "equal" in until; did you mean "equals"?`,
		"a], until: {element: [n, 0], equals: 0, not: 1}}\n#": "one comparison decides",
	} {
		_, err := Parse("w.yaml", []byte(launchWith(args)))
		assert.ErrorContains(t, err, want, args)
	}
	_, err := Parse("w.yaml", []byte(strings.Replace(launchWith("a"), "repeat: 4", "until: {element: [n, 0], equals: 0}", 1)))
	assert.ErrorContains(t, err, "until needs repeat, the most times to launch")
	// Recursive aliases end.
	_, err = Parse("w.yaml", []byte("steps: &s\n  - repeat: {times: 2, steps: *s}\n  - repeat: {times: 2, steps: *s}\n"))
	assert.ErrorContains(t, err, "repetitions within each other are 8 at most")
}
