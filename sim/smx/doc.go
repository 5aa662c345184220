// Package smx models one streaming multiprocessor (SMX), in cycles of the core clock. [SMX] is a list of parts, each with its own state:
//
//   - common (smx.go, warp.go, program.go, slots.go, agenda.go, calendar.go): the cycle, the warps, when schedulers look at which of them;
//   - ledger (ledger.go, gridstate.go, extrapolate.go): all counters, and what warps stall for;
//   - frontEnd (frontend.go, fetch.go, constant.go, hierarchy.go, scoreboard.go, stack.go): what each warp issues next, and from when on;
//   - residency (block.go, barrier.go) and parking (park.go): resident blocks, their warps and barriers, the room for more, and blocks that
//     are away while grids that they have launched run;
//   - effects (effects.go): what accesses do to memory, and what is wrong with them;
//   - lsu (lsu.go, access.go, loadstore.go, locks.go, datacache.go, cachepolicies.go, texture.go, outgoing.go, responses.go): accesses, the
//     load/store unit, the texture units, the caches, requests and responses;
//   - flow (control.go, call.go, system.go): branches, calls, barriers, system calls;
//   - issuer (issue.go, units.go): which warps may issue, the schedulers' choice, and the execution units;
//   - functional (functional.go, forward.go, order.go, screen.go): the same warps without timing.
//
// observe.go and listeners.go tell others what happens, fault.go, standing.go and state.go where warps are; hostprefetch.go is for the
// host's caches.
//
// run.go has the cycle, which names the stages in their order. plain_test.go says in 300 lines what an SMX does: when a warp may issue, and
// which stall is counted while it may not. The parts give the same issue cycles and counters, and skip what cannot change anything.
//
// An SMX runs alone between two epoch boundaries ([SMX.Run]); its requests to the rest of the chip go through its port of the memory
// system, and what comes back it receives there. sim gives it blocks at epoch boundaries and collects finished ones. It never touches
// another SMX, and never device memory except through the port, or to read what its own caches hold.
package smx
