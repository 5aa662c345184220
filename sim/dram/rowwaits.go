package dram

// rowWaits are the requests of a queue whose row is open, counted as they come and go, since every decision asks for them.
type rowWaits struct {
	byBank []int32
	total  int
	wanted uint64 // the banks that have some, one bit each
}

func newRowWaits(banks int) rowWaits { return rowWaits{byBank: make([]int32, banks)} }

func (w *rowWaits) add(bank uint32) {
	w.byBank[bank]++
	w.total++
	w.wanted |= 1 << bank
}

func (w *rowWaits) remove(bank uint32) {
	w.total--
	if w.byBank[bank]--; w.byBank[bank] == 0 {
		w.wanted &^= 1 << bank
	}
}

// forget takes out all that wait for a bank's row.
func (w *rowWaits) forget(bank uint32) {
	w.total -= int(w.byBank[bank])
	w.byBank[bank] = 0
	w.wanted &^= 1 << bank
}

// rowChanged counts anew who waits for a bank's row, which has been opened or closed.
func (c *Channel) rowChanged(bank uint32) {
	for _, write := range [...]bool{false, true} {
		queue, rows := c.queue(write)
		rows.forget(bank)
		for i := range *queue {
			if r := &(*queue)[i]; r.Bank == bank && c.RowOpen(r) {
				rows.add(bank)
			}
		}
	}
}
