package occupancy

// ChangeKind says which parameter of a launch a Change changes.
type ChangeKind uint8

// The kinds of changes.
const (
	ChangeBlock ChangeKind = iota
	ChangeRegisters
	ChangeShared
	ChangeRegistersAndShared
	ChangeCache
)

var changeNames = [...]string{"block", "registers", "shared", "registers and shared", "cache_config"}

// String returns the kind's name in reports.
func (k ChangeKind) String() string { return changeNames[k] }

// Change is a changed launch that makes more warps resident.
type Change struct {
	// Kind says which numbers differ.
	Kind ChangeKind
	// Launch is the changed launch, Result its occupancy.
	Launch Launch
	Result Result
}

// Advise lists the smallest changes of a launch that make more warps resident:
//
//   - the next smaller and the next larger block in whole warps, with the same shared memory;
//   - the most registers a thread, or shared memory a block, that let one more block in, or both together if neither helps alone;
//   - the nearest cache preference.
func (l Limits) Advise(launch Launch) []Change {
	now := l.Calculate(launch)
	var changes []Change
	better := func(kind ChangeKind, changed Launch) bool {
		if l.Check(changed) != nil {
			return false
		}
		r := l.Calculate(changed)
		if r.Warps <= now.Warps {
			return false
		}
		changes = append(changes, Change{kind, changed, r})
		return true
	}
	withThreads := func(n int) Launch { c := launch; c.Threads = n; return c }
	for n := (launch.Threads - 1) / warpSize * warpSize; n >= warpSize; n -= warpSize {
		if better(ChangeBlock, withThreads(n)) {
			break
		}
	}
	for n := (launch.Threads/warpSize + 1) * warpSize; n <= l.ThreadsPerBlock; n += warpSize {
		if better(ChangeBlock, withThreads(n)) {
			break
		}
	}
	registers := l.MostRegisters(launch, now.Blocks+1)
	shared := l.mostShared(launch, now.Blocks+1)
	alone := false
	if registers >= 0 && registers < launch.Registers {
		c := launch
		c.Registers = registers
		alone = better(ChangeRegisters, c)
	}
	if shared >= 0 && shared < launch.Shared {
		c := launch
		c.Shared = shared
		alone = better(ChangeShared, c) || alone
	}
	if !alone && registers >= 0 && shared >= 0 && registers < launch.Registers && shared < launch.Shared {
		c := launch
		c.Registers, c.Shared = registers, shared
		better(ChangeRegistersAndShared, c)
	}
	for _, prefer := range []CacheConfig{PreferEqual, PreferShared, PreferL1} {
		c := launch
		if c.Cache = prefer; better(ChangeCache, c) {
			break
		}
	}
	return changes
}

// MostRegisters returns the most registers a thread with which the register file holds a number of blocks, -1 if none does.
func (l Limits) MostRegisters(launch Launch, blocks int) int {
	warps := (launch.Threads + warpSize - 1) / warpSize
	for n := min(launch.Registers, l.RegistersPerThread); n > 0; n-- {
		if l.registerLimit(l.RegistersPerWarp(n), warps) >= blocks {
			return n
		}
	}
	return -1
}

// mostShared returns the most shared memory a block, in bytes, with which the launch's carve-out holds a number of blocks, -1 if none does.
func (l Limits) mostShared(launch Launch, blocks int) int {
	if n := l.Shared[launch.Cache] / blocks / l.SharedUnit * l.SharedUnit; n > 0 {
		return min(n, l.SharedPerBlock)
	}
	return -1
}

// Best returns the launch with the block size that makes the most threads resident, as cudaOccupancyMaxPotentialBlockSize does: the largest
// such size. Function shared gives the shared memory of a block by its size; nil: it does not depend on the size.
func (l Limits) Best(launch Launch, shared func(threads int) int) (Launch, Result) {
	best, most := launch, -1
	for n := l.ThreadsPerBlock; n >= warpSize; n -= warpSize {
		c := launch
		c.Threads = n
		if shared != nil {
			c.Shared = shared(n)
		}
		if resident := l.Calculate(c).Blocks * n; resident > most {
			best, most = c, resident
		}
	}
	return best, l.Calculate(best)
}
