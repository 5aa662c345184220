package memory

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
)

// Flights come by cycle, and within a cycle in the order in which they were added, as from a sorted list. That includes flights added to a
// cycle while it is carried out, and flights beyond the days. A flight that was taken may be added again.
func TestCalendarsListByCycle(t *testing.T) {
	type listed struct {
		at     engine.Cycle
		number int32
	}
	random := rand.New(rand.NewPCG(7, 8))
	f := newFlights(3)
	c := newCalendar(f)
	var model []listed
	var vacant []int32
	add := func(now engine.Cycle) {
		if len(vacant) == 0 {
			vacant = append(vacant, f.take())
		}
		number := vacant[0]
		vacant = vacant[1:]
		at := now + engine.Cycle([]int{0, 1, 63, 64, 200, calendarCycles - 1, calendarCycles, 3 * calendarCycles}[random.IntN(8)])
		c.add(at, number)
		model = append(model, listed{at, number})
		slices.SortStableFunc(model, func(a, b listed) int { return int(a.at - b.at) })
	}
	for range 100 {
		add(0)
	}
	for added := 0; len(model) > 0; {
		require.Equal(t, model[0].at, c.first)
		now := c.enter()
		for number := c.list(); number != 0; number = c.list() {
			for number != 0 {
				next := f.next[number]
				require.Equal(t, model[0], listed{now, number})
				model, vacant = model[1:], append(vacant, number)
				for range random.IntN(3) {
					if added++; added < 5000 {
						add(now)
					}
				}
				number = next
			}
		}
	}
	require.True(t, c.empty())
}

// What one calendar moves to another comes behind the other's flights of the same cycles, and earlier cycles can still be added.
func TestCalendarsMove(t *testing.T) {
	f := newFlights(8)
	from, to := newCalendar(f), newCalendar(f)
	to.add(5, 1)
	from.add(5, 2)
	from.add(5, 3)
	from.add(7, 4)
	from.moveTo(&to)
	require.True(t, from.empty())
	require.Equal(t, engine.Cycle(5), to.first)
	require.Equal(t, []int32{1, 2, 3}, numbersOf(&to, 5))
	require.Equal(t, []int32{4}, numbersOf(&to, 7))
	from.add(1, 5)
	require.Equal(t, engine.Cycle(1), from.first)
}

func numbersOf(c *calendar, at engine.Cycle) (all []int32) {
	for number := c.listOf(at); number != 0; number = c.listOf(at) {
		for ; number != 0; number = c.flights.next[number] {
			all = append(all, number)
		}
	}
	return all
}

func TestNumbersOfFlightsAreGivenOutAgain(t *testing.T) {
	f := newFlights(2)
	first, second := f.take(), f.take()
	require.Equal(t, []int32{3, 4}, []int32{first, second}, "behind none and the units")
	f.at(second).Line = 20
	f.drop(first)
	require.Equal(t, 1, f.used())
	require.Equal(t, first, f.take(), "the number given back is the next given out")
	require.Equal(t, uint64(20), f.at(second).Line, "others stay where they are")
	require.Equal(t, 2, f.used())
}

// A flight fits a line of the host's caches: a larger one would cost each request a second line.
func TestAFlightLiesInALine(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(flight{}), uintptr(64))
}
