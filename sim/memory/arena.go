package memory

// arena holds values under small numbers, which events carry in place of pointers. A number that is given back is given
// out again, the latest first. The zero arena is empty and ready.
type arena[T any] struct {
	values []T
	vacant []int32 // numbers given back
}

// add puts a value in and returns its number.
func (a *arena[T]) add(value T) int32 {
	if last := len(a.vacant) - 1; last >= 0 {
		number := a.vacant[last]
		a.vacant = a.vacant[:last]
		a.values[number] = value
		return number
	}
	a.values = append(a.values, value)
	return int32(len(a.values) - 1)
}

// at returns the value under a number. The pointer holds until the next add.
func (a *arena[T]) at(number int32) *T { return &a.values[number] }

// remove gives a number back and returns its value, of which the arena keeps nothing.
func (a *arena[T]) remove(number int32) T {
	var none T
	value := a.values[number]
	a.values[number] = none
	a.vacant = append(a.vacant, number)
	return value
}

// drop gives a number back whose value holds no pointers any more: it stays as it is until the number is given out again.
func (a *arena[T]) drop(number int32) { a.vacant = append(a.vacant, number) }

// used returns how many values are in the arena.
func (a *arena[T]) used() int { return len(a.values) - len(a.vacant) }
