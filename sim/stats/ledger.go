package stats

// Ledger are the counters of the memory system by account: of a grid, of a copy engine, or of nobody.
type Ledger struct{ accounts []*Memory }

// Of returns the counters of an account.
func (l *Ledger) Of(account int32) *Memory { return l.accounts[account] }

// Set says where an account's counters are; a new account is the next in number.
func (l *Ledger) Set(account int32, counters *Memory) {
	if int(account) == len(l.accounts) {
		l.accounts = append(l.accounts, nil)
	}
	l.accounts[account] = counters
}
