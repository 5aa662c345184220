package stats

// Ledger has the counters of the memory system by account: of a grid, of a copy engine, or account 0.
type Ledger struct{ accounts []*Memory }

// Of returns the counters of an account.
func (l *Ledger) Of(account int32) *Memory { return l.accounts[account] }

// Set sets an account's counters. A new account has the next number.
func (l *Ledger) Set(account int32, counters *Memory) {
	if int(account) == len(l.accounts) {
		l.accounts = append(l.accounts, nil)
	}
	l.accounts[account] = counters
}
