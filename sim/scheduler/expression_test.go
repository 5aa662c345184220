package scheduler

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
)

// byText runs an expression over a sequence of ready masks.
func byText(t *testing.T, text string, started [Slots]uint64, ready ...uint64) (chosen []int) {
	t.Helper()
	make, err := Expression(text)
	require.NoError(t, err)
	p := make(Spec{})
	for _, r := range ready {
		chosen = append(chosen, p.Pick(r, &started))
	}
	return chosen
}

func TestExpressions(t *testing.T) {
	started := [Slots]uint64{0: 9, 1: 3, 2: 5, 3: 7, 63: 1}
	masks := []uint64{0b0100, 0b1111, 0b1111, 0b1011, 0b1111}
	assert.Equal(t, picks(t, "oldest", started, masks...), byText(t, "age", started, masks...))
	// Every warp is a block of its own here: the last one as long as it is ready, then the oldest.
	assert.Equal(t, picks(t, "gto", started, masks...), byText(t, "same * 1000 + age // as gto", started, masks...))
	assert.Equal(t, []int{1, 2, 3, 0, 1}, byText(t, "waited", started, 0b1111, 0b1111, 0b1111, 0b1111, 0b1111), "round robin, by age first")
	assert.Equal(t, []int{3, 0}, byText(t, "-(slot != 3) * 10 + 7 % 0 - last", started, 0b1111, 0b0001))
	assert.Equal(t, []int{1}, byText(t, "ready > 2 && !(age == 0) ? 1 :\n 2", started, 0b0011))
	for _, text := range []string{"last", "same"} {
		assert.Equal(t, []int{0, 0, 2, 2}, byText(t, text, started, 0b0001, 0b1111, 0b1100, 0b1111), "the last again: %s", text)
	}
	assert.Equal(t, []int{0}, byText(t, "0 - age", started, 0b1111), "the youngest")
	assert.Equal(t, []int{3}, byText(t, "-age", started, 0b1110), "the youngest but one")
	for text, want := range map[string]string{
		"":                                "scheduler:1:1: a number or a name is missing before the end; names are age (how many blocks",
		"age +":                           "scheduler:1:6: a number or a name is missing before the end",
		"(age":                            "scheduler:1:5: ) is missing",
		"age\n old":                       "scheduler:2:2: an operator is missing before old",
		"speed":                           "a number or a name is missing before speed",
		"1 ? 2":                           ": is missing",
		"1 ? 2 :":                         "a number or a name is missing before the end",
		"1 ? :":                           "a number or a name is missing before :",
		strings.Repeat("(", mostNested+1): "a simpler expression is missing",
		strings.Repeat("-", 2*mostNested): "a simpler expression is missing",
	} {
		_, err := Expression(text)
		assert.ErrorContains(t, err, want, text)
	}
}

// Each operator means what it does in C, but dividing by 0 gives 0.
func TestOperators(t *testing.T) {
	for text, want := range map[string]int{
		"17 / 5": 3, "17 % 5": 2, "7 / 0": 0, "7 % 0": 0, "1 + 2": 3, "5 - 2": 3, "1 * 3": 3, "2 - 1 - 1": 0, "1 + 1 * 2": 3,
		"2 < 3": 1, "3 <= 2": 0, "3 > 2": 1, "2 >= 3": 0, "2 == 2": 1, "2 != 2": 0, "0 || 2": 1, "2 && 0": 0, "!2": 0, "0 ? 1 : 2": 2,
	} {
		assert.Equal(t, []int{want}, byText(t, "slot == ("+text+")", [Slots]uint64{}, 0b1111), text)
	}
}

func FuzzExpression(f *testing.F) {
	f.Add("age * 10 + (last ? waited : -same) // x")
	f.Add("((((!-1 <= 2))))%0")
	executions.Fuzz(f, func(t *testing.T, text string) {
		make, err := Expression(text)
		if err != nil {
			return
		}
		var started [Slots]uint64
		p := make(Spec{})
		for _, ready := range []uint64{1, 3, 1 << 63, ^uint64(0)} {
			if ready>>p.Pick(ready, &started)&1 == 0 {
				t.Errorf("%q picks a warp that is not ready", text)
			}
		}
	})
}
