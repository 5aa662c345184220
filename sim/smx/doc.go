// Package smx models one streaming multiprocessor (SMX), in cycles of the core clock. [SMX] is a list of parts, each with its own state:
//
//   - frontEnd (frontend.go, fetch.go, constant.go, scoreboard.go, stack.go): what each warp issues next, and when it can;
//   - residency (block.go, barrier.go) and parking (park.go): resident blocks, their warps and barriers, and the room for more;
//   - effects (effects.go): what accesses do to memory, and what is wrong with them;
//   - lsu (lsu.go, access.go, loadstore.go, datacache.go, texture.go, outgoing.go): accesses, the load/store unit, the texture units, the
//     caches;
//   - flow (control.go, call.go, system.go): branches, calls, barriers, system calls;
//   - issuer (issue.go, agenda.go, calendar.go, units.go): the schedulers, when they look at which warps, and the execution units;
//   - ledger (ledger.go, gridstate.go): all counters, and what warps stall for;
//   - functional (functional.go, forward.go, order.go, screen.go): the same warps without timing.
//
// run.go has the cycle, which names the stages in their order. plain_test.go says in 300 lines what an SMX does: when a warp may issue, and
// which stall is counted while it may not. The parts give the same issue cycles and counters, and skip what cannot change anything.
//
// An SMX runs alone between two epoch boundaries ([SMX.Run]); its requests to the rest of the chip go through its port of the memory
// system, and what comes back it receives there. sim gives it blocks at epoch boundaries and collects finished ones. It never touches
// another SMX, and never device memory except through the port, or to read what its own caches hold.
package smx
