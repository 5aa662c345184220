package memory

// arena holds values under small numbers, which events carry in place of pointers. A number that is given back is given
// out again, the latest first. The zero arena is empty and ready.
type arena[T any] struct {
	values []T
	vacant []int32 // numbers given back
}

// take returns the number of a value, which is to be written whole: it is what was last under the number.
func (a *arena[T]) take() int32 {
	if last := len(a.vacant) - 1; last >= 0 {
		number := a.vacant[last]
		a.vacant = a.vacant[:last]
		return number
	}
	a.values = append(a.values, *new(T))
	return int32(len(a.values) - 1)
}

// at returns the value under a number. The pointer holds until the next take.
func (a *arena[T]) at(number int32) *T { return &a.values[number] }

// drop gives a number back whose value holds no pointers any more: it stays as it is until the number is given out again.
func (a *arena[T]) drop(number int32) { a.vacant = append(a.vacant, number) }

// used returns how many values are in the arena.
func (a *arena[T]) used() int { return len(a.values) - len(a.vacant) }
