// Package smx models one streaming multiprocessor (SMX), in cycles of the core clock. [SMX] is a list of parts, each with its own state:
//
//   - common (smx.go, warp.go, program.go, slots.go, agenda.go, calendar.go): the cycle, the warps, and when each scheduler looks at which
//     warps;
//   - ledger (ledger.go, gridstate.go, extrapolate.go): all counters, stalls included;
//   - frontEnd (frontend.go, fetch.go, constant.go, hierarchy.go, scoreboard.go, stack.go): which operation each warp issues next, and
//     when;
//   - residency (block.go, barrier.go): resident blocks, their warps and barriers, and the room for more;
//   - parking (park.go): blocks that have left while the grids that they launched run;
//   - effects (effects.go): what accesses do to memory, and which accesses are faulty;
//   - lsu (lsu.go, access.go, loadstore.go, locks.go, datacache.go, cachepolicies.go, texture.go, outgoing.go, responses.go): accesses, the
//     load/store unit, the texture units, the caches, requests and responses;
//   - flow (control.go, call.go, system.go): branches, calls, barriers, system calls;
//   - issuer (issue.go, units.go): which warps may issue, the schedulers' choice, and the execution units;
//   - functional (functional.go, forward.go, order.go, screen.go): the same warps without timing.
//
// observe.go and listeners.go report events to observers and policies. fault.go, standing.go and state.go say where warps are.
// hostprefetch.go models nothing: it prefetches into the host's caches.
//
// run.go has the cycle, with its stages in order. plain_test.go specifies an SMX in 300 lines: when a warp may issue, and which stall is
// counted while it may not. The parts give the same issue cycles and counters, but skip cycles in which nothing changes.
//
// An SMX runs alone between two epoch boundaries ([SMX.Run]). It exchanges requests and responses with the rest of the chip through its
// port of the memory system. sim gives it blocks at epoch boundaries and collects finished ones. An SMX never touches another SMX. It
// touches device memory only through the port, or to read what its own caches hold.
package smx
