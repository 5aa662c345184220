// What a recording of an SMX says of a cycle. Everything here follows from the recording alone: nothing is drawn that was not simulated.

// upTo is the number of rows of a sorted list whose first column is at most a cycle.
export function upTo(rows, cycle) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][0] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}

// entryName is a place of a warp's scoreboard as a disassembler names it.
export const entryName = (entry) => (entry < 0 ? "" : entry < 256 ? `R${entry}` : entry < 263 ? `P${entry - 256}` : "CC");

// warpName is a warp as the page names it.
export const warpName = (w) => `block ${w.block}, warp ${w.index}`;

// Trace is a recording prepared for questions of one cycle.
export class Trace {
  constructor(r) {
    for (const list of ["issues", "stalls", "replays", "lookups", "accesses", "answers", "flights", "bursts", "barriers", "blocks", "warps"]) r[list] ||= [];
    this.r = r;
    this.last = Math.max(r.from, r.to - 1);
    this.issues = new Map();
    this.perWarp = r.warps.map(() => ({ issues: [], stalls: [], replays: [], accesses: [] }));
    for (const i of r.issues) {
      if (!this.issues.has(i[0])) this.issues.set(i[0], []);
      this.issues.get(i[0]).push(i);
      this.perWarp[i[1]].issues.push(i);
    }
    for (const s of r.stalls) this.perWarp[s[2]].stalls.push(s);
    for (const s of r.replays) this.perWarp[s[1]].replays.push(s);
    for (const a of r.accesses) this.perWarp[a.warp].accesses.push(a);
    this.issueCycles = [...this.issues.keys()].sort((a, b) => a - b);
    this.shared = r.accesses.filter((a) => a.banks).map((a) => ({ ...a, passes: a.banks.map((rows) => Math.max(1, ...rows)) }));
    this.sharedCycles = this.shared.map((a) => [a.cycle]);
    this.accessCycles = r.accesses.map((a) => [a.cycle]);
    // Banks of DRAM by channel and number: what they moved, in order.
    this.banks = new Map();
    for (const b of r.bursts) {
      const key = b[2] * r.banks + b[3];
      if (!this.banks.has(key)) this.banks.set(key, []);
      this.banks.get(key).push(b);
    }
  }

  // issued are the operations that issue in a cycle.
  issued(cycle) { return this.issues.get(cycle) || []; }

  // state is what a warp does in a cycle: {kind, op, active, mask, pair, until, entry}; null before and after its life.
  state(n, cycle) {
    const { r } = this, warp = r.warps[n], mine = this.perWarp[n];
    if (cycle < warp.start || (warp.end && cycle >= warp.end)) return null;
    for (let k = upTo(mine.issues, cycle) - 1, seen = 0; k >= 0 && seen < 2 && mine.issues[k][0] === cycle; k--, seen++) {
      const [, , op, active, mask, second] = mine.issues[k];
      if (!second) return { kind: "issue", op, active, mask, pair: seen === 1 };
    }
    const k = upTo(mine.replays, cycle) - 1;
    if (k >= 0 && cycle <= mine.replays[k][0] + mine.replays[k][3]) return { kind: "replay", op: mine.replays[k][2] };
    for (let last = upTo(mine.stalls, cycle) - 1, s = last; s >= 0 && s >= last - 1; s--) {
      if (cycle < mine.stalls[s][1]) return { kind: r.reasons[mine.stalls[s][4]], op: mine.stalls[s][3], until: mine.stalls[s][1], entry: mine.stalls[s][5] };
    }
    // A warp that has exited keeps its slot until its block ends.
    const last = mine.issues[upTo(mine.issues, cycle) - 1];
    return { kind: last && r.operations[last[2]].text.includes("EXIT") ? "ended" : "other", op: -1 };
  }

  // inSlot is the warp that has a slot of a scheduler in a cycle, -1 for none.
  inSlot(scheduler, slot, cycle) {
    return this.r.warps.findIndex((w) => w.scheduler === scheduler && w.slot === slot && cycle >= w.start && (!w.end || cycle < w.end));
  }

  // holds says whether a cycle has a kind of state, of one warp or, for -1, of any.
  holds(kind, n, cycle) {
    if (kind === "pair") return this.issued(cycle).some((i) => i[5] && (n < 0 || i[1] === n));
    const all = n < 0 ? this.r.warps.keys() : [n];
    for (const one of all) if (this.state(one, cycle)?.kind === kind) return true;
    return false;
  }

  // begins is the next cycle, before or behind one, in which a kind of state begins; -1 for none in the window.
  begins(kind, n, cycle, step) {
    for (let c = cycle + step; c >= this.r.from && c <= this.last; c += step) {
      if (this.holds(kind, n, c) && (kind === "pair" || c === this.r.from || !this.holds(kind, n, c - 1))) return c;
    }
    return -1;
  }

  // instruction is the next cycle, before or behind one, in which a warp or, for -1, any warp issues; -1 for none in the window.
  instruction(n, cycle, step) {
    const cycles = n < 0 ? this.issueCycles.map((c) => [c]) : this.perWarp[n].issues;
    const at = step > 0 ? upTo(cycles, cycle) : upTo(cycles, cycle - 1) - 1;
    return at >= 0 && at < cycles.length ? cycles[at][0] : -1;
  }

  // block is the next cycle, before or behind one, in which a block comes to the SMX or leaves it; -1 for none in the window.
  block(cycle, step) {
    const cycles = [...new Set(this.r.blocks.flatMap((b) => [b[0], b[1] || -1]))].filter((c) => c >= this.r.from && c <= this.last).sort((a, b) => a - b);
    return (step > 0 ? cycles.find((c) => c > cycle) : cycles.findLast((c) => c < cycle)) ?? -1;
  }

  // serves is the access that the load/store unit carries out in a cycle, its further issue slots included, with the slot that it is in and
  // how many it takes; null for none.
  serves(cycle) {
    const { r } = this;
    for (let k = upTo(this.accessCycles, cycle) - 1; k >= 0 && cycle - r.accesses[k].cycle <= 64; k--) {
      const a = r.accesses[k], replay = this.perWarp[a.warp].replays.find((x) => x[0] === a.cycle), slots = replay ? replay[3] : 0;
      if (cycle <= a.cycle + slots) return { access: a, slot: cycle - a.cycle + 1, of: slots + 1 };
    }
    return null;
  }

  // sharedAt is the access that shared memory's banks serve in a cycle, with the pass that it is in; null for none.
  sharedAt(cycle) {
    for (let k = upTo(this.sharedCycles, cycle) - 1; k >= 0; k--) {
      const a = this.shared[k], all = a.passes.reduce((x, y) => x + y, 0), pass = cycle - a.cycle;
      if (pass < all) {
        let request = 0, before = 0;
        while (pass >= before + a.passes[request]) before += a.passes[request++];
        return { access: a, request, pass: pass - before, of: a.passes[request], rows: a.banks[request] };
      }
      if (cycle - a.cycle > 64) return null; // no access takes more passes
    }
    return null;
  }

  // rowAt is what a bank of DRAM moved last, or moves, in a cycle; null where it did nothing since the window's begin.
  rowAt(channel, bank, cycle) {
    const mine = this.banks.get(channel * this.r.banks + bank);
    const at = mine ? upTo(mine, cycle) - 1 : -1;
    return at < 0 ? null : mine[at];
  }

  // flying are the requests that are on their way in a cycle.
  flying(cycle) { return this.r.flights.filter((f) => cycle >= f[1] && cycle < f[6]); }

  // phase is where a request is in a cycle: [name, begin, end].
  phase(f, cycle) {
    const all = [["at the load/store unit, in translation", f[1], f[2]], ["on the crossbar", f[2], f[3]], ["waiting at L2", f[3], f[4]]];
    if (f[5]) all.push(["in DRAM", f[4], f[5]], ["on the way back", f[5], f[6]]);
    else all.push(["on the way back", f[4], f[6]]);
    return all.find(([, begin, end]) => cycle >= begin && cycle < end) || null;
  }

  // life is all that is known of an access: {access, lookups, flights, answer}.
  life(access) {
    const { r } = this;
    const answer = r.answers.find((a) => a[2] === access.warp && a[3] === access.op && a[1] === access.cycle) || null;
    const again = r.accesses.find((a) => a.tag === access.tag && a.cycle > access.cycle); // the tag's next use
    const until = Math.min(answer ? answer[0] : Infinity, again ? again.cycle : Infinity);
    const lookups = r.lookups.filter((l) => l[1] === access.warp && l[3] === access.tag && l[0] >= access.cycle && l[0] <= until);
    const lines = new Set(lookups.map((l) => l[6]));
    const flights = access.space === "shared" ? [] : r.flights.filter((f) => f[1] >= access.cycle && f[1] <= until && f[0] === access.op && (f[9] === access.tag || lines.has(f[10])));
    return { access, lookups, flights, answer };
  }

  // accessAt is the access that a warp made last in a cycle or before; null for none in the window.
  accessAt(n, cycle) {
    const mine = this.perWarp[n].accesses;
    const at = upTo(mine.map((a) => [a.cycle]), cycle) - 1;
    return at < 0 ? null : mine[at];
  }
}

// addresses are those of an access, by lane; undefined for lanes without.
export function addresses(access) {
  const out = new Array(32);
  let at = 0, n = 0;
  for (let lane = 0; lane < 32; lane++) {
    if (access.active >>> lane & 1) out[lane] = at += access.addresses[n++];
  }
  return out;
}

// lanesOf is how many lanes a mask has.
export function lanesOf(mask) {
  let n = 0;
  for (let m = mask >>> 0; m; m &= m - 1) n++;
  return n;
}

// lineBytes and bankBytes are how wide a line of L1 and a bank of shared memory are on the chip of a recording.
export const lineBytes = (r) => Number(r.settings?.["l1.line"]) || 128;
const bankBytes = (r) => Number(r.settings?.["shared_memory.bank_mode"]) || 4;

// linesOf are the lines of some addresses by lane, in order, each once.
export const linesOf = (r, by) => [...new Set(by.filter((x) => x !== undefined).map((x) => Math.floor(x / lineBytes(r))))].sort((x, y) => x - y);

// bankOf is the bank of shared memory that an address is in.
export const bankOf = (r, address) => Math.floor(address / bankBytes(r)) % 32;

// LaneHistory is what a warp had in its lanes, cycle by cycle.
export class LaneHistory {
  constructor(lanes) {
    this.lanes = lanes;
    this.begin = lanes.states.length ? lanes.states[0].cycle : Infinity;
  }

  // at is what the warp has as a cycle begins: {registers, predicates, paths, pending, changed}; null where that is not known. registers are
  // by number, each one number for all lanes or a list of 32; changed are the registers that the last change wrote, which cycle since was.
  at(cycle) {
    if (cycle < this.begin) return null;
    const out = { registers: new Map(), predicates: [], paths: [], pending: [], changed: new Set(), since: this.begin };
    for (const s of this.lanes.states) {
      if (s.cycle > cycle) break;
      for (const [number, ...values] of s.registers || []) out.registers.set(number, values.length === 1 ? values[0] : values);
      if (s.registers) [out.changed, out.since] = [new Set(s.registers.map((x) => x[0])), s.cycle];
      out.predicates = s.predicates || out.predicates;
      out.paths = s.paths || out.paths;
      out.pending = s.pending || out.pending;
    }
    out.pending = out.pending.filter((p) => p[1] < 0 || p[1] > cycle);
    return out;
  }
}
