// The drawing of an SMX and of the memory behind it, as they are in one cycle of a recording: dispatch, register banks, unit groups, the
// load/store unit, shared memory's banks, caches, the crossbar, slices of L2, and DRAM's banks.
import { addresses, bankOf, lineBytes, linesOf, warpName } from "./trace.js";
import { lookOf, svg } from "./looks.js";

// parts are the elements that explain themselves: a title, the glossary's term, and the keys of the configuration that make them.
export const parts = {
  scheduler: ["Warp scheduler", "warp scheduler", ["smx.schedulers", "smx.dispatch", "smx.scheduler", "smx.warps", "pipelines.dual_issue.enabled"]],
  banks: ["Register banks", "register bank", ["registers.per_smx", "registers.banks", "registers.conflict_two", "registers.conflict_three"]],
  core: ["Cores: 32-bit arithmetic", "execution unit", ["pipelines.units.core.private", "pipelines.units.core.shared", "pipelines.units.core.shared_by", "pipelines.operations.fp32.results_per_clock", "pipelines.operations.fp32.latency"]],
  fp64: ["Units for double precision", "execution unit", ["pipelines.units.fp64.private", "pipelines.operations.fp64.results_per_clock", "pipelines.operations.fp64.latency"]],
  sfu: ["Special function units", "special function unit", ["pipelines.units.sfu.private", "pipelines.operations.sfu.results_per_clock", "pipelines.operations.sfu.latency"]],
  branch: ["Branch units", "execution unit", ["pipelines.units.branch.private", "pipelines.branch_cycles"]],
  texture: ["Texture units", "execution unit", ["pipelines.units.texture.private", "texture.texels"]],
  load_store: ["Load/store unit", "coalescing", ["pipelines.units.load_store.shared", "load_store.queue", "load_store.latency", "load_store.line_cycles", "load_store.outstanding"]],
  shared: ["Shared memory", "bank conflict", ["shared_memory.banks", "shared_memory.bank_bytes", "shared_memory.bank_mode", "shared_memory.latency", "shared_memory.replay_cycles"]],
  caches: ["L1 and the read-only cache", "read-only cache", ["l1.line", "l1.latency", "l1.global_loads", "l1.policy", "read_only.bytes", "read_only.line", "read_only.latency"]],
  crossbar: ["Crossbar", "crossbar", ["interconnect.request_latency", "interconnect.response_latency", "interconnect.smx_request_bytes", "interconnect.smx_response_bytes"]],
  l2: ["L2", "slice", ["l2.bytes", "l2.slices", "l2.line", "l2.ways", "l2.latency", "l2.policy", "l2.interleave"]],
  dram: ["DRAM", "row", ["dram.channels", "dram.banks", "dram.row_bytes", "dram.scheduling", "dram.row_policy", "dram.timing.rcd", "dram.timing.rp", "dram.timing.cl"]],
};

const width = 960, height = 486, smxWidth = 556;

// Machine draws into an element; chosen hears of the parts that a reader asks about.
export class Machine {
  constructor(trace, chosen) {
    this.trace = trace;
    this.chosen = chosen;
    this.drawing = svg("svg", { class: "machine", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `SMX ${trace.r.smx} and the memory behind it` });
    this.still = this.frame();
    this.moving = svg("g", { class: "moving" });
    this.drawing.append(this.still, this.moving);
  }

  // part makes a group that explains itself when it is clicked, or entered by keyboard.
  part(name, ...children) {
    const ask = () => this.chosen(name);
    const g = svg("g", { class: "part", tabindex: 0, role: "button", "aria-label": parts[name][0] }, ...children);
    g.addEventListener("click", ask);
    g.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      ask();
    });
    return g;
  }

  setting(key) { return this.trace.r.settings?.[key] ?? ""; }

  // column is where a scheduler's part of the SMX begins, and how wide it is.
  column(s) {
    const { schedulers } = this.trace.r, wide = (smxWidth - 28) / schedulers;
    return [14 + s * wide, wide - 8];
  }

  sliceY(n) { return 40 + (n + 0.5) * ((height - 60) / this.trace.r.slices); }

  channelBox(n) {
    const high = (height - 60) / this.trace.r.channels;
    return [40 + n * high, high];
  }

  bankX(b) { return 812 + b * (138 / this.trace.r.banks); }

  // frame draws what stays.
  frame() {
    const { r } = this.trace, g = svg("g", {}), labels = svg("g", { "aria-hidden": "true", class: "labels" });
    // Labels lie over the parts, which say their names themselves.
    const text = (x, y, words, attributes = {}) => {
      labels.append(svg("text", { x, y, ...attributes }, words));
      return null;
    };
    const box = (x, y, w, h, attributes = {}) => svg("rect", { x, y, width: w, height: h, rx: 3, class: "box", ...attributes });
    g.append(box(4, 22, smxWidth, height - 28, { class: "chip" }));
    text(8, 15, `SMX ${r.smx}`, { class: "title" });
    text(606, 15, "Crossbar", { class: "title" });
    text(682, 15, `L2, ${r.slices} slices`, { class: "title" });
    text(812, 15, `DRAM: ${r.channels} × ${r.banks} banks`, { class: "title" });
    for (let s = 0; s < r.schedulers; s++) {
      const [x, w] = this.column(s);
      g.append(this.part("scheduler", box(x, 30, w, 50), text(x + 6, 43, `Scheduler ${s}`, { class: "label" })));
      g.append(this.part("banks", box(x, 88, w, 34), text(x + 6, 99, "register banks", { class: "label" })));
    }
    const unit = (name, y, title) => {
      const own = Number(this.setting(`pipelines.units.${name}.private`)), shared = Number(this.setting(`pipelines.units.${name}.shared`)), by = Number(this.setting(`pipelines.units.${name}.shared_by`)) || 1;
      const group = svg("g", {});
      if (own > 0) {
        for (let s = 0; s < r.schedulers; s++) {
          const [x, w] = this.column(s);
          group.append(box(x, y, w, 22));
          text(x + 6, y + 15, `${title} ×${own}`, { class: "label" });
        }
      }
      return [this.part(name, group), shared, by];
    };
    const [cores, sharedCores, by] = unit("core", 130, "cores");
    g.append(cores);
    if (sharedCores > 0) {
      const extra = svg("g", {});
      for (let s = 0; s < r.schedulers; s += by) {
        const [x] = this.column(s), [last, w] = this.column(Math.min(r.schedulers, s + by) - 1);
        extra.append(box(x, 155, last + w - x, 18));
        text(x + 6, 168, `${sharedCores} more cores, for ${Math.min(by, r.schedulers)} schedulers`, { class: "label" });
      }
      g.append(this.part("core", extra));
    }
    g.append(unit("fp64", 178, "fp64")[0], unit("sfu", 204, "special")[0]);
    for (let s = 0; s < r.schedulers; s++) {
      const [x, w] = this.column(s), half = (w - 6) / 2;
      g.append(this.part("branch", box(x, 230, half, 22), text(x + 6, 245, "branch", { class: "label" })));
      g.append(this.part("texture", box(x + half + 6, 230, half, 22), text(x + half + 12, 245, "texture", { class: "label" })));
    }
    const whole = smxWidth - 20;
    g.append(this.part("load_store", box(14, 262, whole, 66), text(20, 276, `Load/store unit ×${this.setting("pipelines.units.load_store.shared")}`, { class: "label" })));
    g.append(this.part("shared", box(14, 336, whole, 92), text(20, 350, "Shared memory, 32 banks", { class: "label" })));
    g.append(this.part("caches", box(14, 436, whole, 36), text(20, 450, "L1 and read-only cache", { class: "label" })));
    const lines = svg("g", {});
    for (let n = 0; n < r.slices; n++) lines.append(svg("path", { d: this.wire(n), class: "wire" }));
    g.append(this.part("crossbar", svg("rect", { x: 566, y: 30, width: 112, height: height - 40, class: "hit" }), lines));
    const slices = svg("g", {});
    for (let n = 0; n < r.slices; n++) {
      slices.append(box(682, this.sliceY(n) - 11, 62, 22));
      text(686, this.sliceY(n) + 4, String(n), { class: "label" });
    }
    for (let n = 0; n < r.channels; n++) {
      const [y, high] = this.channelBox(n);
      text(808, y + high / 2 + 4, String(n), { class: "label", "text-anchor": "end" });
    }
    g.append(this.part("l2", slices), this.part("dram", svg("rect", { x: 796, y: 30, width: 160, height: height - 40, class: "hit" })), labels);
    return g;
  }

  wire(slice) {
    const y = this.sliceY(slice), middle = (height + 22) / 2;
    return `M566 ${middle} C610 ${middle} 620 ${y} 682 ${y}`;
  }

  // onWire is a point of the way between the SMX and a slice, part 0 at the SMX and 1 at the slice.
  onWire(slice, part) {
    const y = this.sliceY(slice), middle = (height + 22) / 2, t = part, u = 1 - t;
    const at = (a, b, c, d) => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
    return [at(566, 610, 620, 682), at(middle, middle, y, y)];
  }

  // draw shows a cycle; life is the access that is followed, null for none.
  draw(cycle, life) {
    const g = svg("g", {});
    this.drawIssues(g, cycle);
    this.drawLoadStore(g, cycle);
    this.drawShared(g, cycle);
    this.drawCaches(g, cycle);
    this.drawMemory(g, cycle, life);
    this.moving.replaceChildren(g);
  }

  drawIssues(g, cycle) {
    const { r } = this.trace;
    const seen = new Map(), used = new Map();
    for (const i of this.trace.issued(cycle)) {
      const w = r.warps[i[1]], o = r.operations[i[2]], [x, wide] = this.column(w.scheduler), place = i[5] ? 1 : 0;
      const half = (wide - 10) / 2, left = x + 4 + place * (half + 2);
      g.append(svg("rect", { x: left, y: 48, width: half, height: 28, rx: 2, fill: lookOf(i[5] ? "second" : "issue")[0] }),
        svg("text", { x: left + 4, y: 60, class: "on" }, o.text.split(" ")[0].slice(0, Math.floor(half / 7))), svg("text", { x: left + 4, y: 72, class: "on" }, `b${w.block} w${w.index}`));
      const unit = used.get(w.scheduler) || new Set();
      used.set(w.scheduler, unit.add(o.unit));
      const counts = seen.get(w.scheduler) || { reads: new Map(), conflict: 0 };
      for (const b of o.banks || []) counts.reads.set(b, (counts.reads.get(b) || 0) + 1);
      counts.conflict += o.conflict || 0;
      seen.set(w.scheduler, counts);
    }
    const banks = Number(this.setting("registers.banks")) || 4;
    for (let s = 0; s < r.schedulers; s++) {
      const [x, w] = this.column(s), cell = (w - 12) / banks, counts = seen.get(s);
      for (let b = 0; b < banks; b++) {
        const reads = counts?.reads.get(b) || 0;
        g.append(svg("rect", { x: x + 6 + b * cell, y: 103, width: cell - 3, height: 15, rx: 2, class: reads > 1 && counts.conflict ? "bank clash" : reads ? "bank read" : "bank" }),
          svg("text", { x: x + 6 + b * cell + (cell - 3) / 2, y: 114, "text-anchor": "middle", class: reads ? "on" : "dim" }, reads ? String(reads) : "·"));
      }
      if (counts?.conflict) g.append(svg("text", { x: x + w - 4, y: 99, "text-anchor": "end", class: "warn" }, `+${counts.conflict} cycles`));
    }
    const places = { core: [130, 22], fp64: [178, 22], sfu: [204, 22] };
    for (const [s, units] of used) {
      const [x, w] = this.column(s), half = (w - 6) / 2;
      for (const u of units) {
        const place = { branch: [x, 230, half, 22], texture: [x + half + 6, 230, half, 22], load_store: [14, 262, smxWidth - 20, 66] }[u] || (places[u] && [x, places[u][0], w, places[u][1]]);
        if (place) g.append(svg("rect", { x: place[0], y: place[1], width: place[2], height: place[3], rx: 3, class: "lit" }));
      }
    }
  }

  // drawLoadStore shows the access that takes issue slots in the cycle: the lines, or the banks, that its lanes touch.
  drawLoadStore(g, cycle) {
    const { r } = this.trace;
    const bytes = lineBytes(r), now = this.trace.serves(cycle);
    if (!now) {
      g.append(svg("text", { x: 150, y: 276, class: "dim" }, "no access is carried out in this cycle"));
      return;
    }
    const { access: a, slot, of } = now, shared = a.space === "shared", by = addresses(a), lines = linesOf(r, by);
    const what = shared ? "each lane's bank" : `${lines.length} ${lines.length === 1 ? "line" : "lines"} of ${bytes} bytes`;
    g.append(svg("text", { x: 20 + 32 * 16.4 - 2, y: 276, "text-anchor": "end", class: of > 1 ? "warn" : "now" },
      `${warpName(r.warps[a.warp])}: ${a.kind}, ${a.space}: ${what}${of > 1 ? `; issue slot ${slot} of ${of}` : ""}`));
    for (let lane = 0; lane < 32; lane++) {
      const line = by[lane] === undefined ? -1 : lines.indexOf(Math.floor(by[lane] / bytes)), x = 20 + lane * 16.4;
      g.append(svg("rect", { x, y: 284, width: 14.4, height: 36, rx: 2, class: line < 0 ? "bank" : shared || line % 2 === 0 ? "line" : "line odd" }),
        svg("text", { x: x + 7.2, y: 305, "text-anchor": "middle", class: line < 0 ? "dim" : "on" }, line < 0 ? "·" : String(shared ? bankOf(r, by[lane]) : line)));
    }
  }

  // drawShared shows how many rows each of the banks gives to the access that is served.
  drawShared(g, cycle) {
    const s = this.trace.sharedAt(cycle);
    if (s) {
      const w = this.trace.r.warps[s.access.warp];
      g.append(svg("text", { x: 180, y: 350, class: s.of > 1 ? "warn" : "now" },
        `${warpName(w)}: ${s.access.kind}, pass ${s.pass + 1} of ${s.of}${s.access.passes.length > 1 ? `, request ${s.request + 1} of ${s.access.passes.length}` : ""}${s.of > 1 ? ": a bank conflict" : ""}`));
    }
    const most = Math.max(4, s ? s.of : 0);
    for (let b = 0; b < 32; b++) {
      const rows = s ? s.rows[b] : 0, high = 56 * rows / most, x = 20 + b * 16.4;
      g.append(svg("rect", { x, y: 356, width: 14.4, height: 56, rx: 2, class: "bank" }));
      if (rows) g.append(svg("rect", { x, y: 412 - high, width: 14.4, height: high, rx: 2, class: rows > 1 ? "bank clash" : "bank read" }));
      if (s && rows > s.pass) g.append(svg("rect", { x, y: 412 - 56 * (s.pass + 1) / most, width: 14.4, height: 56 / most, rx: 2, class: "passing" }));
      g.append(svg("text", { x: x + 7.2, y: 424, "text-anchor": "middle", class: "dim" }, String(b)));
    }
  }

  drawCaches(g, cycle) {
    const { r } = this.trace, now = r.lookups.filter((l) => l[0] === cycle);
    if (now.length === 0) {
      g.append(svg("text", { x: 180, y: 450, class: "dim" }, "no lookup in this cycle"));
      return;
    }
    const counts = r.founds.map((name, n) => [name, now.filter((l) => l[5] === n).length]).filter(([, n]) => n);
    g.append(svg("text", { x: 180, y: 450, class: "now" }, `${now.length} ${now.length === 1 ? "line" : "lines"} looked up: ${counts.map(([name, n]) => `${n} ${name}`).join(", ")}`));
    now.slice(0, 32).forEach((l, n) => g.append(svg("rect", { x: 20 + n * 16.4, y: 455, width: 14.4, height: 12, rx: 2, class: r.founds[l[5]] === "hit" ? "bank read" : r.founds[l[5]] === "miss" ? "bank clash" : "bank held" })));
  }

  // drawMemory shows every request of the SMX that is in flight, and what DRAM's banks have open and move for all SMXs.
  drawMemory(g, cycle, life) {
    const { r } = this.trace, followed = new Set(life ? life.flights : []);
    for (let c = 0; c < r.channels; c++) {
      const [y, high] = this.channelBox(c);
      for (let b = 0; b < r.banks; b++) {
        const burst = this.trace.rowAt(c, b, cycle), wide = 138 / r.banks;
        const busy = burst && cycle < burst[1];
        const cell = svg("rect", { x: this.bankX(b), y: y + 2, width: wide - 1.6, height: high - 5, rx: 1.5, class: !burst ? "row" : busy ? `row busy state${burst[5]}` : "row open" });
        cell.append(svg("title", {}, `channel ${c}, bank ${b}: ${!burst ? "nothing since the window's begin" : `row ${burst[4]}, ${r.rows[burst[5]] || ""}${busy ? (burst[6] ? ", writes" : ", reads") : ", last used in cycle " + burst[0]}`}`));
        g.append(cell);
      }
    }
    const flying = this.trace.flying(cycle), waiting = new Map();
    for (const f of flying) {
      const phase = this.trace.phase(f, cycle);
      if (!phase) continue;
      const [name, begin, end] = phase, part = end > begin ? (cycle - begin) / (end - begin) : 1, slice = f[7];
      let x, y, kind = "asks";
      if (name.startsWith("at the")) {
        [x, y] = [566, (height + 22) / 2];
        const n = waiting.get("port") || 0;
        waiting.set("port", n + 1);
        x -= 4 + (n % 6) * 5;
        y += Math.floor(n / 6) % 2 ? 8 * Math.ceil(Math.floor(n / 6) / 2) : -8 * Math.floor(n / 12);
      } else if (name === "on the crossbar") {
        [x, y] = this.onWire(slice, part);
      } else if (name === "waiting at L2") {
        const n = waiting.get(slice) || 0;
        waiting.set(slice, n + 1);
        [x, y] = [702 + (n % 7) * 6, this.sliceY(slice) - 4 + Math.floor(n / 7) % 2 * 8];
      } else if (name === "in DRAM") {
        [x, y, kind] = [748 + 50 * Math.sin(Math.PI * part / 2), this.sliceY(slice), "below"];
      } else {
        [x, y] = this.onWire(slice, 1 - part);
        kind = "answer";
      }
      g.append(svg("circle", { cx: x, cy: y, r: followed.has(f) ? 5 : 3, class: `flight ${kind}${followed.has(f) ? " followed" : ""}` }));
    }
    g.append(svg("text", { x: 606, y: 28, class: flying.length ? "now" : "dim" }, `${flying.length} in flight`));
  }
}
