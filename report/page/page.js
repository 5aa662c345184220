"use strict";
const { report, extra } = JSON.parse(document.getElementById("data").textContent);
const kernels = report.kernels;
let current = 0;

// el makes an element; attributes that begin with "on" are listeners.
function el(name, attributes, ...children) {
  const svg = ["svg", "path", "text", "rect", "circle", "line", "g", "title"].includes(name);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(9)) {
    if (child !== null && child !== undefined) e.append(child);
  }
  return e;
}

// number writes a number with so many digits behind the point and commas between thousands.
function number(x, digits = 0) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  return Number(x).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
const percent = (x, digits = 1) => number(x, digits) + " %";
function bytes(n) {
  const units = ["B", "kB", "MB", "GB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i++; }
  return number(n, i && n < 100 ? 1 : 0) + " " + units[i];
}
function rate(n, unit) {
  const prefixes = ["", "K", "M", "G", "T"];
  let i = 0;
  while (n >= 1000 && i < prefixes.length - 1) { n /= 1000; i++; }
  return number(n, n < 100 ? 1 : 0) + " " + prefixes[i] + unit;
}
const sum = (list) => list.reduce((a, b) => a + b, 0);
const shape = (dim) => dim.join(" × ");

// bars draws values as bars with their labels and figures.
function bars(rows, { unit = "%", digits = 1, most = 100 } = {}) {
  return el("div", { class: "barred", role: "list" }, rows.map((r) => el("div", { class: "bar", role: "listitem", title: r.title },
    el("div", { class: "label" }, r.label),
    el("div", { class: "track", "aria-hidden": "true" }, el("div", { class: "fill" + (r.hot ? " hot" : ""), style: "width:" + Math.min(100, 100 * r.value / most) + "%" })),
    el("div", { class: "v" }, number(r.value, digits) + " " + unit))));
}

function table(caption, heads, rows) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, el("table", {},
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col", class: h.n ? "n" : null }, h.t)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) => el("td", { class: heads[i].n ? "n" : null }, cell)))))));
}

function numbers(list) {
  return el("dl", { class: "numbers" }, list.map(([label, value, id]) => el("div", {}, el("dt", {}, label), el("dd", { id }, value))));
}

// prose makes text of a finding: what is between backquotes is code.
const prose = (text) => text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));

const timed = (k) => !k.functional;

// The sections, each with what draws it.
const sections = [
  ["verdict", "Verdict", verdict], ["launches", "Launches", launches], ["source", "Source", source], ["memory", "Memory", memory],
  ["stalls", "What warps wait for", stalls], ["roofline", "Roofline", roofline], ["occupancy", "Occupancy", occupancy], ["mix", "Instructions and pipes", mix], ["advice", "Advice", advice],
  ["baselines", "Comparison", baselines], ["timeline", "Timeline", timeline],
].filter(([id]) => id !== "launches" || kernels.length > 1);

function verdict(k) {
  const m = k.metrics, first = k.findings[0] || "Nothing stands out.";
  const near = k.roofline && k.roofline.nearest_ceiling;
  return [
    el("p", { class: "verdict", id: "finding" }, prose(first)),
    numbers([
      ["time", number(k.time_us, 1) + " µs", "time"], ["launch cycles", number(k.launch_cycles), "launch_cycles"], ["kernel cycles", number(k.kernel_cycles), "kernel_cycles"],
      ["elapsed cycles (nvprof)", number(k.elapsed_cycles), "elapsed_cycles"],
      near ? ["of the nearest ceiling, " + near, percent(100 * k.roofline.nearest_reached), "nearest"] : null,
      ["achieved occupancy", percent(100 * k.occupancy.achieved), "achieved"],
      ["issue slots used", percent(m.issue_slot_utilization), "slots"],
      ["instructions per cycle and SMX", number(m.ipc, 2), "ipc"],
      ["warp instructions", number(m.inst_executed), "instructions"],
    ].filter(Boolean)),
    el("p", { class: "note" }, "grid " + shape(k.grid) + ", block " + shape(k.block) + ", " + k.registers + " registers a thread, " +
      number(k.static_shared_bytes + k.dynamic_shared_bytes) + " bytes of shared memory a block, stream " + k.stream),
    k.trust ? el("p", { class: "note", id: "trust" }, "Error of the time: " + k.trust.text) : null,
    report.failure ? el("p", { class: "worse" }, "The run ended early: " + report.failure) : null,
    outcome("As expected", report.checks.filter((c) => c.passed), "better"), outcome("Different from what is expected", report.checks.filter((c) => !c.passed), "worse"),
  ];
}

// outcome lists the buffers that were compared with what they should hold.
const outcome = (what, checks, how) => (checks.length ? el("p", { class: how }, what + ": " + checks.map((c) => c.buffer).join(", ")) : null);

// launches has all launches side by side; a choice shows one in the other sections.
const mostRows = 200;

function launches() {
  const most = Math.max(...kernels.map((k) => k.time_us)) || 1;
  const rows = kernels.slice(0, mostRows).map((k, i) => [
    el("button", { type: "button", class: "link", "aria-current": i === current ? "true" : null, onclick: () => choose(i) }, (i + 1) + ". " + k.name.split("(")[0]),
    shape(k.grid) + " of " + shape(k.block), number(k.time_us, 1) + " µs", el("span", { class: "heat", "aria-hidden": "true" }, el("span", { style: "width:" + 100 * k.time_us / most + "%" })),
    percent(100 * k.occupancy.achieved), number(k.metrics.ipc, 2), k.units.length ? k.units[0].name.replace(/^the /, "") + ", " + percent(100 * k.units[0].busy, 0) : "–",
  ]);
  return [table("All launches; choose one to see it below", [{ t: "kernel" }, { t: "blocks of threads" }, { t: "time", n: 1 }, { t: "of the longest" }, { t: "occupancy", n: 1 }, { t: "ipc", n: 1 }, { t: "busiest unit" }], rows),
    kernels.length > mostRows ? el("p", { class: "note" }, "and " + number(kernels.length - mostRows) + " more, in the list at the top") : null];
}

// choose shows a launch.
function choose(i) {
  current = i;
  choice.value = String(i);
  chosen = null;
  drawAll();
}

function roofline(k) {
  const r = k.roofline;
  if (!r) return el("p", {}, "There is no roofline without timing.");
  const c = r.ceilings, points = r.points || [], x = extra.launches[current];
  const levels = [["shared memory", c.shared_bytes_per_second, r.shared_bytes], ["L2", c.l2_bytes_per_second, r.l2_bytes], ["DRAM", c.dram_bytes_per_second, r.dram_bytes]];
  const flops = points.length ? [
    roofs({
      name: "Roofline", unit: "flop/s", axis: "flop per byte", peaks: [["f32 peak", c.single_flops, ""], ["f64 peak", c.double_flops, "6 4"]], slopes: levels,
      points: points.map((p) => ({ level: p.level, x: p.flop_per_byte, y: p.flops, title: `${p.precision}, ${p.level}: ${number(p.flop_per_byte, 2)} flop/byte, ${rate(p.flops, "flop/s")}, ${percent(100 * p.reached)} of what it allows` })),
    }),
    table("Points", [{ t: "precision" }, { t: "level" }, { t: "flop/byte", n: 1 }, { t: "reached", n: 1 }, { t: "allowed", n: 1 }, { t: "share", n: 1 }],
      points.map((p) => [p.precision, p.level, number(p.flop_per_byte, 2), rate(p.flops, "flop/s"), rate(p.allows_flops, "flop/s"), percent(100 * p.reached)])),
  ] : null;
  const issued = k.metrics.inst_executed / r.seconds, sectors = levels.filter(([, peak, moved]) => peak && moved).map(([name, peak, moved]) => ({ level: name, peak: peak / 32, x: 32 * k.metrics.inst_executed / moved, y: issued }));
  const integer = x && x.issues_per_second && sectors.length ? [
    roofs({
      name: "Roofline of instructions", unit: "inst/s", axis: "warp instructions per 32-byte sector", peaks: [["issue peak", x.issues_per_second, ""]], slopes: levels.map(([name, peak]) => [name, peak / 32]),
      points: sectors.map((p) => ({ ...p, title: `${p.level}: ${number(p.x, 2)} warp instructions a sector, ${rate(issued, "inst/s")}` })),
    }),
    table("Points of instructions", [{ t: "level" }, { t: "inst/sector", n: 1 }, { t: "reached", n: 1 }, { t: "allowed", n: 1 }, { t: "share", n: 1 }],
      sectors.map((p) => { const allows = Math.min(x.issues_per_second, p.peak * p.x); return [p.level, number(p.x, 2), rate(issued, "inst/s"), rate(allows, "inst/s"), percent(100 * issued / allows)]; })),
  ] : null;
  return [
    flops || el("p", {}, "The kernel has no floating-point operations. This roofline counts warp instructions against the sectors that each level moved."),
    integer ? (flops ? el("details", {}, el("summary", {}, "Warp instructions against sectors"), integer) : integer) : null,
    table("Bandwidths", [{ t: "level" }, { t: "moved", n: 1 }, { t: "rate", n: 1 }, { t: "of its peak", n: 1 }],
      levels.map(([n, peak, b]) => [n, bytes(b), rate(b / r.seconds, "B/s"), percent(100 * b / r.seconds / peak)])),
  ];
}

// roofs draws ceilings and points, both axes logarithmic. Slopes are levels with what they move a second.
function roofs({ name, unit, axis, peaks, slopes, points }) {
  const [W, H] = narrow.matches ? [344, 280] : [640, 320], L = narrow.matches ? 46 : 62, R = 12, T = 14, B = 40, peak = Math.max(...peaks.map((p) => p[1]));
  const xs = [0.05, 64, ...points.map((p) => p.x)], ys = [peak * 2, peak / 3000, ...points.map((p) => p.y)];
  const x0 = Math.log10(Math.min(...xs) / 1.5), x1 = Math.log10(Math.max(...xs) * 1.5), y0 = Math.log10(Math.min(...ys)), y1 = Math.log10(Math.max(...ys));
  const X = (v) => L + (W - L - R) * (Math.log10(v) - x0) / (x1 - x0), Y = (v) => T + (H - T - B) * (y1 - Math.log10(v)) / (y1 - y0);
  const parts = [];
  for (let d = Math.ceil(x0); d <= x1; d++) {
    parts.push(el("line", { x1: X(10 ** d), x2: X(10 ** d), y1: T, y2: H - B, stroke: "var(--line)" }), el("text", { x: X(10 ** d), y: H - B + 16, "text-anchor": "middle" }, String(10 ** d)));
  }
  for (let d = Math.ceil(y0); d <= y1; d++) {
    parts.push(el("line", { x1: L, x2: W - R, y1: Y(10 ** d), y2: Y(10 ** d), stroke: "var(--line)" }), el("text", { x: L - 6, y: Y(10 ** d) + 4, "text-anchor": "end" }, rate(10 ** d, "")));
  }
  for (const [label, flops, dash] of peaks) {
    if (!flops) continue;
    parts.push(el("line", { x1: L, x2: W - R, y1: Y(flops), y2: Y(flops), stroke: "var(--ink)", "stroke-dasharray": dash }), el("text", { x: W - R - 2, y: Y(flops) - 4, "text-anchor": "end" }, label));
  }
  const dashes = ["", "8 3", "2 3"];
  slopes.forEach(([label, b], i) => {
    const from = Math.max(10 ** x0, 10 ** y0 / b), to = Math.min(10 ** x1, peak / b);
    if (!b || to <= from) return;
    parts.push(el("line", { x1: X(from), y1: Y(from * b), x2: X(to), y2: Y(to * b), stroke: "var(--accent)", "stroke-width": 2, "stroke-dasharray": dashes[i] }),
      el("text", { x: X(from) + 10, y: Y(from * b) + 4, class: "halo" }, label));
  });
  const marks = { "shared memory": "M-6 0L0 -6L6 0L0 6Z", L2: "M-5 -5H5V5H-5Z", DRAM: "M0 -6L6 5H-6Z" };
  for (const p of points) parts.push(el("path", { d: marks[p.level], transform: `translate(${X(p.x)} ${Y(p.y)})`, fill: "var(--hot)" }, el("title", {}, p.title)));
  parts.push(el("text", { x: (L + W) / 2, y: H - 6, "text-anchor": "middle", class: "soft" }, axis), el("text", { x: 4, y: T, class: "soft" }, unit));
  return el("svg", { viewBox: `0 0 ${W} ${H}`, width: "100%", role: "img", "aria-label": name + "; the table below has its points" }, parts);
}

function stalls(k) {
  const rows = Object.entries(k.metrics).filter(([n, v]) => n.startsWith("stall_") && v > 0).map(([n, v]) => ({ label: n.slice(6).replaceAll("_", " "), value: v, name: n.slice(6) }));
  const parts = new Set(rows.filter((r) => rows.some((o) => o !== r && r.name.startsWith(o.name + "_"))).map((r) => r.name));
  const whole = rows.filter((r) => !parts.has(r.name)).sort((a, b) => b.value - a.value);
  if (!whole.length) return el("p", {}, "No warp waited, or the run had no timing.");
  whole.forEach((r, i) => { r.title = extra.meaning[r.name]; r.hot = i === 0; });
  return [
    el("p", { class: "note" }, "In percent of the cycles in which a warp was resident and did not issue."), bars(whole),
    el("h3", {}, "What they mean"),
    el("ul", {}, whole.map((r) => el("li", {}, el("strong", {}, r.label), ": " + (extra.meaning[r.name] || "")))),
  ];
}

let heat = "stalled_warp_cycles", chosen = null;
const heats = [["stalled_warp_cycles", "waiting, warp cycles"], ["inst_executed", "warp instructions"], ["sectors", "sectors of 32 bytes"], ["replays", "further passes (conflicts)"]];
const heatOf = (s) => heat in s ? s[heat] : (s.memory ? s.memory[heat] : 0) || 0;

// source has the lines, their PTX and their machine operations side by side: a choice in one of them shows and marks what belongs to it in all.
function source(k) {
  const rows = k.source.filter((s) => s.file);
  if (!rows.length) return el("p", {}, "The source lines of this launch were left out.");
  const total = sum(rows.map(heatOf)) || 1, top = Math.max(...rows.map(heatOf)), x = extra.launches[current], program = x && x.kernel >= 0 ? extra.kernels[x.kernel] : null;
  const ops = program ? program.operations : [], key = (o) => o.file + ":" + o.line, detail = el("div", { id: "detail", "aria-live": "polite" });
  // PTX that is the source itself stands there already.
  const ptx = new Map();
  for (const o of ops) if (o.ptx && o.code && o.ptx !== o.line && !ptx.has(o.ptx)) ptx.set(o.ptx, { text: o.code, key: key(o) });
  const panes = [], show = (s) => {
    chosen = s.file + ":" + s.line;
    for (const { box, marked } of panes) {
      let first = null;
      for (const [name, row] of marked) {
        row.classList.toggle("on", name === chosen);
        if (name === chosen && !first) first = row;
      }
      if (first) box.scrollTop += first.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    }
    lineDetail(detail, s);
  };
  const byPlace = new Map(rows.map((s) => [s.file + ":" + s.line, s]));
  const pane = (title, heads, list, id) => {
    const marked = [], body = el("tbody", {}, list.map(({ name, cells, text, file }) => {
      const s = byPlace.get(name), code = s ? el("button", { class: "line", type: "button", onclick: () => show(s) }, text) : el("span", { class: "line" }, text);
      const row = el("tr", {}, cells.map((c) => el("td", { class: "n" }, c)), el("td", { class: "code" }, code));
      marked.push([name, row]);
      return file ? [el("tr", {}, el("th", { colspan: heads.length + 1, scope: "rowgroup" }, file)), row] : row;
    }));
    const box = el("div", { class: "pane", tabindex: "0", role: "region", "aria-label": title, id }, el("table", { class: "lines" },
      el("thead", {}, el("tr", {}, heads.map((h) => el("th", { class: "n", scope: "col" }, h)), el("th", { scope: "col" }, "text"))), body));
    panes.push({ box, marked });
    return el("div", {}, el("h3", {}, title), box);
  };
  const files = [...new Set(rows.map((s) => s.file))], inOrder = [...rows].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
  const side = el("div", { class: "beside", style: "--panes:" + (1 + (ptx.size > 0) + (ops.length > 0)) },
    pane(files.length > 1 ? files.length + " files" : files[0], ["line", "share"], inOrder.map((s, i) => ({
      name: s.file + ":" + s.line, text: extra.texts[s.file + ":" + s.line] || s.function, file: files.length > 1 && inOrder[i - 1]?.file !== s.file ? s.file : null,
      cells: [String(s.line), [percent(100 * heatOf(s) / total), el("span", { class: "heat", "aria-hidden": "true" }, el("span", { style: "width:" + 100 * heatOf(s) / (top || 1) + "%" }))]],
    })), "lines"),
    ptx.size ? pane("PTX", ["line"], [...ptx].sort((a, b) => a[0] - b[0]).map(([n, p]) => ({ name: p.key, text: p.text, cells: [String(n)] })), "ptx") : null,
    ops.length ? pane("Machine operations", ["op", "unit"], ops.map((o, i) => ({ name: key(o), text: (o.pair ? "{ " : "") + o.text, cells: [String(i), o.unit.replace("_", "/")] })), "operations") : null);
  const first = (chosen && byPlace.get(chosen)) || rows.find((s) => heatOf(s) === top);
  requestAnimationFrame(() => show(first));
  return [
    el("div", { class: "tools" }, el("label", { for: "heat" }, "Heat"), el("select", { id: "heat", onchange: (e) => { heat = e.target.value; chosen = null; draw("source"); } },
      heats.map(([v, t]) => el("option", { value: v, selected: v === heat }, t)))),
    side, ops.length ? null : el("p", { class: "note" }, "The machine operations were left out: keplersim lower prints them."), detail,
  ];
}

function lineDetail(into, s) {
  const rows = [["warp instructions", number(s.inst_executed)], ["lanes at work", percent(100 * s.thread_inst_executed / (32 * s.inst_executed || 1))], ["waiting, warp cycles", number(s.stalled_warp_cycles)]];
  const reasons = Object.entries(s.stalls || {}).sort((a, b) => b[1] - a[1]);
  const part = (...children) => el("div", {}, children);
  into.replaceChildren(el("h3", {}, "Line " + s.line + (s.function ? ", " + s.function : "")), el("pre", { class: "whole" }, extra.texts[s.file + ":" + s.line] || ""),
    s.inlined_at ? el("p", { class: "note" }, "inlined at " + s.inlined_at.map((c) => c.file.split("/").pop() + ":" + c.line).join(", ")) : "",
    el("div", { class: "parts" }, part(table("What it did", [{ t: "figure" }, { t: "value", n: 1 }], rows)),
    reasons.length ? part(el("h4", {}, "Its warps waited"), bars(reasons.map(([n, v], i) => ({ label: n.replaceAll("_", " "), value: 100 * v / s.stalled_warp_cycles, hot: i === 0, title: extra.meaning[n] })))) : null,
    (s.accesses || []).map((a) => part(table(a.kind, [{ t: "figure" }, { t: "value", n: 1 }], [
      ["accesses of warps", number(a.requests)], ["lines or passes", number(a.transactions)], ["sectors of 32 bytes", number(a.sectors)], ["bytes asked for", bytes(a.bytes)],
      ["of the bytes moved", a.efficiency === null ? "–" : percent(100 * a.efficiency)], ["further passes (conflicts, lines)", number(a.replays)],
      ["latency, cycles", a.latency === null ? "–" : number(a.latency)], ["found in the SMX's cache", a.cache_accesses ? percent(100 * a.cache_hits / a.cache_accesses) : "–"],
    ])))));
}

// narrow is true where charts have a phone's width: they are drawn taller then, with larger letters.
const narrow = matchMedia("(max-width: 40rem)");
narrow.addEventListener("change", () => { if (kernels.length) drawAll(); });

// memoryChart draws the way of the kernel's bytes: from left to right, or from top to bottom where the window is narrow.
function memoryChart(edges) {
  const down = narrow.matches, most = Math.max(...edges.map((e) => e.bytes), 1), way = (to) => edges.find((e) => e.to === to), parts = [];
  // Along and across are the directions of the bytes and of what lies side by side.
  const [along, across] = down ? [470, 344] : [760, 300], at = (a, c) => (down ? [c, a] : [a, c]), line = down ? 14 : 16;
  const write = (a, c, texts) => {
    const [x, y] = at(a, c);
    parts.push(texts.map((text, i) => el("text", { x, y: y + 4.5 + line * (i - (texts.length - 1) / 2), "text-anchor": "middle", class: text.soft ? "soft" : null }, text.soft || text)));
  };
  const box = (a, c, long, wide, texts, more) => {
    const [x, y] = at(a, c), [width, height] = at(long, wide);
    parts.push(el("rect", { x, y, width, height, rx: 6, fill: "var(--paper)", stroke: "var(--ink)", ...more }));
    write(a + long / 2, c + wide / 2, texts);
  };
  // arrow is as thick as what moves; its label is beside it.
  const arrow = (from, to, c, e, what = "") => {
    if (!e || !e.bytes) return;
    const w = 1.5 + 7 * e.bytes / most, tip = from < to ? -1 : 1, half = Math.max(6, w), [x1, y1] = at(from, c), [x2, y2] = at(to + 8 * tip, c), [ax, ay] = at(to, c), label = bytes(e.bytes) + what;
    const [bx, by] = at(to + 12 * tip, c - half), [dx, dy] = at(to + 12 * tip, c + half);
    parts.push(el("line", { x1, y1, x2, y2, stroke: "var(--accent)", "stroke-width": w }), el("path", { d: `M${ax} ${ay}L${bx} ${by}L${dx} ${dy}z`, fill: "var(--accent)" }),
      down ? el("text", { x: c + half + 3, y: (from + to) / 2 + 4, class: "halo" }, label) : el("text", { x: (from + to) / 2, y: c - 5 - half, "text-anchor": "middle" }, label));
  };
  const hits = (e) => (e && e.hits !== undefined ? number(e.hits, 0) + " %" : ""), soft = (text) => ({ soft: text });
  const stores = [["shared memory", ["shared", "memory"]], ["L1", ["L1", "cache"]], ["read-only cache", ["read-only,", "textures"]], ["constant cache", ["constant", "cache"]], ["global memory", ["global", "memory"]]];
  const used = stores.filter(([to]) => !down || way(to)), wide = down ? Math.min(96, (across - 14) / used.length - 6) : 48, first = down ? (across - used.length * (wide + 6) + 6) / 2 : 28;
  const kernel = down ? [4, 34] : [4, 70], smx = down ? [84, 92] : [180, 186], l2 = down ? [262, 52] : [486, 84], dram = down ? [408, 52] : [684, 72];
  box(kernel[0], down ? 4 : 24, kernel[1], down ? across - 8 : across - 32, ["kernel"]);
  const [sx, sy] = at(smx[0], down ? 1 : 4), [sw, sh] = at(smx[1], down ? across - 2 : across - 8);
  parts.push(el("rect", { x: sx, y: sy, width: sw, height: sh, rx: 8, fill: "none", stroke: "var(--soft)" }), el("text", { x: sx + sw / 2, y: down ? sy + sh - 7 : 18, "text-anchor": "middle", class: "soft" }, "multiprocessors"));
  used.forEach(([to, label], i) => {
    const e = way(to), c = first + i * (wide + 6), passes = to === "global memory", state = e ? (e.hits !== undefined ? hits(e) + " hit" : passes ? (down ? "no cache" : "past these caches") : "") : "not used";
    box(smx[0] + (down ? 8 : 12), c, down ? 62 : 162, wide, [...(down ? label : [label.join(" ")]), state && soft(state)].filter(Boolean), { "stroke-dasharray": passes ? "4 3" : null });
    arrow(kernel[0] + kernel[1], smx[0] + (down ? 8 : 12), c + (down ? Math.min(14, wide / 4) : wide / 2 + 8), e);
  });
  const middle = across / 2 + (down ? 0 : 6), half = down ? 110 : 70, reads = (e, what) => (hits(e) ? (down ? [soft(hits(e) + " " + what)] : [soft(hits(e)), soft(what)]) : []);
  box(l2[0], middle - half, l2[1], 2 * half, ["L2", ...reads(way("L2 (reads)"), "of reads hit")]);
  const [left, right, further] = down ? [-95, 5, 80] : [-34, 10, 52];
  arrow(l2[0], smx[0] + smx[1], middle + left, way("L2 (reads)"), " reads");
  arrow(smx[0] + smx[1], l2[0], middle + right, way("L2 (writes)"), " writes");
  arrow(smx[0] + smx[1], l2[0], middle + further, way("L2 (atomics)"), " atomics");
  box(dram[0], middle - half, dram[1], 2 * half, ["DRAM", ...reads(way("DRAM (reads)"), "open rows")]);
  arrow(dram[0], l2[0] + l2[1], middle + (down ? -95 : -24), way("DRAM (reads)"), " reads");
  arrow(l2[0] + l2[1], dram[0], middle + (down ? 5 : 30), way("DRAM (writes)"), " writes");
  const [width, height] = at(along, across);
  return el("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", "aria-label": "Bytes between the kernel, caches, L2 and DRAM; the table below has them" }, parts.flat(2));
}

function memory() {
  const x = extra.launches[current];
  if (!x || !x.edges.length) return el("p", {}, "The kernel moved nothing.");
  return [
    el("div", { class: "two" }, memoryChart(x.edges),
      table("Bytes on each way", [{ t: "from" }, { t: "to" }, { t: "bytes", n: 1 }, { t: "found there", n: 1 }],
        x.edges.map((e) => [e.from, e.to, e.bytes ? bytes(e.bytes) : "–", e.hits === undefined ? "–" : percent(e.hits)]))),
    el("p", { class: "note" }, "The kernel's bytes are those that its lanes ask for; beyond the SMXs, traffic is in 32-byte sectors. For DRAM the hit rate counts open rows."),
  ];
}

function occupancy(k) {
  const o = k.occupancy, x = extra.launches[current], resources = { warps: "warps", registers: "registers", shared_memory: "shared memory", blocks: "block slots" };
  const perBlock = Math.ceil(k.block[0] * k.block[1] * k.block[2] / 32);
  return [
    bars([{ label: "possible", value: 100 * o.theoretical }, { label: "achieved", value: 100 * o.achieved, hot: o.achieved < 0.8 * o.theoretical }]),
    el("p", {}, number(o.blocks_per_smx) + " blocks of " + perBlock + " warps fit a multiprocessor. More are kept out by " + (o.limiters.map((l) => resources[l] || l).join(" and ") || "nothing") + "."),
    x && x.limits.length ? table("What each resource allows, and what would fit without it", [{ t: "resource" }, { t: "blocks", n: 1 }, { t: "blocks without it", n: 1 }, { t: "warps without it", n: 1 }],
      x.limits.map((l) => [(resources[l.resource] || l.resource) + (o.limiters.includes(l.resource) ? " (limits)" : ""), l.blocks < 0 ? "any" : number(l.blocks),
        l.what_if < 0 ? "any" : number(l.what_if), l.what_if < 0 ? "any" : number(l.what_if * perBlock)])) : null,
  ];
}

function mix(k) {
  const kinds = [["inst_fp_32", "32-bit floating point"], ["inst_fp_64", "64-bit floating point"], ["inst_integer", "integer"], ["inst_bit_convert", "conversion"], ["inst_control", "control flow"],
    ["inst_compute_ld_st", "memory"], ["inst_inter_thread_communication", "shuffle and vote"], ["inst_misc", "moves and other"]];
  const rows = kinds.map(([n, label]) => ({ label, value: k.metrics[n] || 0 })).filter((r) => r.value > 0).sort((a, b) => b.value - a.value), total = sum(rows.map((r) => r.value)) || 1;
  return [
    el("h3", {}, "Instructions of lanes"), bars(rows.map((r) => ({ ...r, value: 100 * r.value / total }))),
    el("h3", {}, "How long units were busy"), k.units.length ? bars(k.units.map((u, i) => ({ label: u.name.replace(/^the /, ""), value: 100 * u.busy, hot: i === 0 }))) : el("p", {}, "not known without timing"),
  ];
}

function advice(k) {
  return [
    el("ol", {}, k.findings.map((f) => el("li", {}, prose(f)))),
    el("p", {}, "What each limit costs can be measured: ", el("code", {}, "keplersim advise"), " runs the kernel with one limit lifted at a time."),
  ];
}

function baselines(k) {
  if (!extra.baselines.length) return el("p", {}, "There is no baseline. ", el("code", {}, "--baseline report.json"), " compares with an earlier JSON report.");
  const nth = kernels.slice(0, current).filter((o) => o.symbol === k.symbol).length;
  const versions = extra.baselines.map((b, i) => {
    const all = b.kernels || [], same = all.filter((o) => o.symbol === k.symbol);
    // A kernel that was given another name stands for the only one there.
    return [extra.baseline_names[i] + " (" + b.config + ")", same[nth] || same[0] || (all.length === 1 ? all[0] : null)];
  }).concat([["now", k]]);
  const pick = (name) => (o) => o.metrics[name];
  const rows = [
    ["time, µs", (o) => o.time_us, 1, -1], ["launch cycles", (o) => o.launch_cycles, 0, -1], ["warp instructions", pick("inst_executed"), 0, -1],
    ["instructions per cycle and SMX", pick("ipc"), 2, 1], ["issue slots used, %", pick("issue_slot_utilization"), 1, 1], ["achieved occupancy, %", (o) => 100 * o.occupancy.achieved, 1, 1],
    ["registers a thread", (o) => o.registers, 0, 0], ["shared memory a block, bytes", (o) => o.static_shared_bytes + o.dynamic_shared_bytes, 0, 0],
    ["bytes used of global loads, %", pick("gld_efficiency"), 1, 1], ["bytes used of global stores, %", pick("gst_efficiency"), 1, 1], ["shared memory efficiency, %", pick("shared_efficiency"), 1, 1],
    ["DRAM reads, sectors", pick("dram_read_transactions"), 0, -1], ["DRAM writes, sectors", pick("dram_write_transactions"), 0, -1],
  ].filter(([, of]) => versions.some(([, o]) => o && of(o) > 0)).map(([label, of, digits, good]) => [label, ...versions.map(([, o], i) => {
    if (!o || of(o) === undefined) return "–";
    const then = i < versions.length - 1 ? null : versions.slice(0, -1).map((v) => v[1]).find(Boolean), change = then && of(then) ? 100 * (of(o) - of(then)) / of(then) : 0;
    return [number(of(o), digits), Math.abs(change) < 0.05 ? null : el("span", { class: good * change > 0 ? "better" : good ? "worse" : null }, " " + (change > 0 ? "+" : "−") + percent(Math.abs(change)))];
  })]);
  const text = (label, of) => [label, ...versions.map(([, o]) => (o ? of(o) : "no such kernel"))];
  rows.push(text("kernel", (o) => o.name.split("(")[0]), text("what limits it", (o) => (o.units.length ? o.units[0].name.replace(/^the /, "") + ", " + percent(100 * o.units[0].busy, 0) : "–")));
  return [table("Versions side by side; changes are against the first", [{ t: "figure" }, ...versions.map(([name]) => ({ t: name, n: 1 }))], rows)];
}

// The timeline shows blocks on multiprocessors; zoomed in, where a window was recorded, the warps.
const view = { from: 0, to: 1, warps: false };
const reasonColours = ["#b8a9c9", "#f2c14e", "#e46a79", "#6c8ead", "#e08e45", "#e59aa5", "#a8c686", "#d98cb3", "#c26d9a", "#b5b5b5", "#e6a57e", "#9d9d9d", "#88a0b8", "#c7b299", "#cfcfcf", "#8c8c8c"];

function spans() {
  if (view.warps) {
    const rows = new Map();
    for (const w of extra.warps) {
      const name = "SMX " + w.smx + ", " + w.name;
      if (!rows.has(name)) rows.set(name, []);
      rows.get(name).push(...w.spans.map(([a, b, what]) => [a + extra.window.from, b + extra.window.from, what < 0 ? "#1b6ca8" : reasonColours[what], what < 0 ? "issues" : Object.keys(extra.meaning)[what]]));
    }
    return { rows: [...rows].sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true })), from: extra.window.from, to: extra.window.to, unit: "cycles" };
  }
  const rows = new Map(), list = report.timeline || [], names = [...new Set(list.map((i) => i.name))], palette = ["#2f7fc4", "#c4472f", "#2c7a4b", "#9a6fb0", "#b98a1d", "#3c8f92"];
  // What a kernel did on an SMX stands as its blocks, and as one span where its blocks were not noted, as those of kernels that kernels launch.
  const share = (i) => [i.device, i.smx, i.depth || 0, i.name].join("|"), noted = new Map();
  for (const i of list) {
    if (i.kind !== "block") continue;
    if (!noted.has(share(i))) noted.set(share(i), []);
    noted.get(share(i)).push(i.start_us);
  }
  let to = 0;
  for (const i of [...list].sort((a, b) => (a.depth || 0) - (b.depth || 0))) {
    to = Math.max(to, i.end_us);
    let row = null, order = 1;
    if (i.kind === "host") [row, order] = ["host", 0];
    else if (["kernel", "copy", "memset"].includes(i.kind)) row = "stream " + (i.stream || "0");
    else if (i.kind === "block" || (i.kind === "smx" && !(noted.get(share(i)) || []).some((at) => at >= i.start_us && at <= i.end_us))) [row, order] = ["SMX " + i.smx, 2];
    if (!row) continue;
    if (i.device) row = "device " + i.device + ", " + row;
    if (list.some((o) => o.process) && i.kind === "host") row = "process " + i.process + ", " + row;
    if (!rows.has(row)) rows.set(row, { order, spans: [] });
    const what = i.name + (i.block ? " (" + i.block.join(",") + ")" : "") + (i.parent ? ", launched by " + i.parent : ""), colour = order ? palette[names.indexOf(i.name) % palette.length] : "#8c97a3";
    if (i.first_us > i.start_us) rows.get(row).spans.push([i.start_us, i.first_us, colour, what + ", waiting for its first block", 0.3]);
    rows.get(row).spans.push([Math.max(i.start_us, i.first_us || 0), i.end_us, colour, what + (i.kind === "kernel" ? ", running" : ""), order === 2 && !i.depth ? 0.7 : 1, order === 2 && i.depth > 0]);
  }
  return { rows: [...rows].sort((a, b) => a[1].order - b[1].order || a[0].localeCompare(b[0], "en", { numeric: true })).map(([name, r]) => [name, r.spans]), from: 0, to: to || 1, unit: "µs" };
}

function timeline() {
  const canvas = el("canvas", { tabindex: "0", role: "img", id: "chart" }), status = el("p", { class: "note", id: "where", "aria-live": "polite" });
  const s = spans();
  view.from = s.from; view.to = s.to;
  const rowHeight = s.rows.length > 24 ? 12 : 18, pen = document.createElement("canvas").getContext("2d");
  pen.font = "11px system-ui, sans-serif";
  // Names stand in full where a third of the width has room for them.
  const margin = () => Math.min(canvas.clientWidth / 3, 10 + Math.max(40, ...s.rows.map(([name]) => pen.measureText(name).width)));
  const fitting = (name, room) => {
    if (pen.measureText(name).width <= room) return name;
    let end = name;
    while (end.length > 1 && pen.measureText("…" + end).width > room) end = end.slice(1);
    return "…" + end;
  };
  const paint = () => {
    const style = getComputedStyle(document.documentElement), width = canvas.clientWidth || 600, height = s.rows.length * rowHeight + 24, ratio = window.devicePixelRatio || 1;
    canvas.style.height = height + "px";
    canvas.width = width * ratio; canvas.height = height * ratio;
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    const names = margin();
    c.font = (rowHeight - 4 > 11 ? 11 : rowHeight - 3) + "px system-ui, sans-serif";
    const X = (t) => names + (width - names - 4) * (t - view.from) / (view.to - view.from);
    s.rows.forEach(([name, list], i) => {
      const y = i * rowHeight + 2;
      c.fillStyle = style.getPropertyValue("--ink");
      c.fillText(fitting(name, names - 8), 2, y + rowHeight - (rowHeight > 12 ? 6 : 4));
      c.save(); c.beginPath(); c.rect(names, 0, width, height); c.clip();
      for (const [a, b, colour, , strength, child] of list) {
        if (b < view.from || a > view.to) continue;
        c.fillStyle = colour;
        c.globalAlpha = strength ?? 1;
        c.fillRect(X(a), y + (child ? (rowHeight - 3) / 3 : 0), Math.max(0.7, X(b) - X(a) - (X(b) - X(a) > 4 ? 1 : 0)), (rowHeight - 3) * (child ? 2 / 3 : 1));
      }
      c.restore();
    });
    c.fillStyle = style.getPropertyValue("--soft");
    c.font = "11px system-ui, sans-serif";
    // Four parts, or as many as leave 70 pixels to each label.
    const parts = Math.max(1, Math.min(4, Math.floor((width - names) / 70)));
    for (let i = 0; i <= parts; i++) {
      const t = view.from + (view.to - view.from) * i / parts;
      c.textAlign = i === parts ? "right" : i ? "center" : "left";
      c.fillText(number(t, s.unit === "µs" ? 2 : 0) + (i ? "" : " " + s.unit), X(t), height - 6);
    }
    c.textAlign = "left";
    const what = s.rows.length + " rows, " + number(view.from, 1) + " to " + number(view.to, 1) + " " + s.unit;
    status.textContent = what;
    canvas.setAttribute("aria-label", "Timeline: " + what + ". Plus and minus zoom, arrows move, 0 shows all.");
  };
  const zoom = (factor, at = 0.5) => {
    const span = Math.min(s.to - s.from, Math.max((s.to - s.from) / 1e5, (view.to - view.from) * factor)), middle = view.from + (view.to - view.from) * at;
    view.from = Math.max(s.from, middle - span * at); view.to = Math.min(s.to, view.from + span); view.from = Math.max(s.from, view.to - span);
    paint();
  };
  const move = (part) => {
    const d = Math.max(s.from - view.from, Math.min(s.to - view.to, (view.to - view.from) * part));
    view.from += d; view.to += d;
    paint();
  };
  const all = () => { view.from = s.from; view.to = s.to; paint(); };
  const keys = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), 0: all, Home: all };
  canvas.addEventListener("keydown", (e) => { if (keys[e.key]) { keys[e.key](); e.preventDefault(); } });
  canvas.addEventListener("wheel", (e) => { if (e.ctrlKey || e.shiftKey) { zoom(e.deltaY > 0 ? 1.3 : 0.77, e.offsetX / canvas.clientWidth); e.preventDefault(); } }, { passive: false });
  canvas.addEventListener("mousemove", (e) => {
    const names = margin(), row = s.rows[Math.floor(e.offsetY / rowHeight)], t = view.from + (view.to - view.from) * (e.offsetX - names) / (canvas.clientWidth - names - 4);
    const hit = row && row[1].findLast(([a, b]) => a <= t && t < b);
    if (hit) status.textContent = row[0] + ": " + hit[3] + ", " + number(hit[0], 2) + " to " + number(hit[1], 2) + " " + s.unit;
  });
  new ResizeObserver(() => paint()).observe(canvas);
  const button = (text, label, action) => el("button", { type: "button", "aria-label": label, onclick: action }, text);
  const legend = view.warps ? el("ul", {}, el("li", {}, el("span", { style: "background:#1b6ca8;color:#fff;padding:0 .4rem" }, "issues")),
    [...new Set(extra.warps.flatMap((w) => w.spans.map((x) => x[2])))].filter((n) => n >= 0).sort((a, b) => a - b).map((n) =>
      el("li", {}, el("span", { style: "background:" + reasonColours[n] + ";color:#000;padding:0 .4rem" }, Object.keys(extra.meaning)[n].replaceAll("_", " ")), " " + Object.values(extra.meaning)[n]))) :
    el("p", { class: "note" }, "A kernel is pale while it waits for its first block, and full while it runs. A nested launch is a lower bar on an SMX, over its parent.");
  return [
    el("div", { class: "tools" }, button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), button("←", "Earlier", () => move(-0.25)), button("→", "Later", () => move(0.25)), button("All", "Show all", all),
      extra.window ? button(view.warps ? "Blocks" : "Warps of the recorded window", null, () => { view.warps = !view.warps; draw("timeline"); }) : null),
    canvas, status, legend,
    extra.window ? null : el("p", { class: "note" }, "To see warps here, record some cycles of one multiprocessor: ", el("code", {}, "--record-window 1000..1400 --record-smx 0"), "."),
  ];
}

// draw draws a section anew.
function draw(id) {
  const [, title, body] = sections.find((s) => s[0] === id), at = document.getElementById(id);
  at.replaceChildren(el("h2", { id: id + "-title" }, title), ...[body(kernels[current])].flat(9).filter((x) => x !== null && x !== undefined));
}

function drawAll() {
  for (const [id] of sections) draw(id);
}

// search lists what has a text in it: sections, launches, source lines, metrics. Each hit goes there.
const mostHits = 30;

function search(text) {
  const into = document.getElementById("hits"), wanted = text.trim().toLowerCase(), k = kernels[current], hits = [];
  const go = (id) => document.getElementById(id).scrollIntoView();
  const add = (kind, label, action) => { if (label.toLowerCase().includes(wanted)) hits.push([kind, label, action]); };
  if (wanted && k) {
    for (const [id, title] of sections) add("section", title, () => go(id));
    kernels.forEach((o, i) => add("launch", (i + 1) + ". " + o.name, () => { choose(i); go("verdict"); }));
    for (const s of k.source) if (s.file) add("line " + s.line, extra.texts[s.file + ":" + s.line] || s.function, () => { chosen = s.file + ":" + s.line; draw("source"); go("source"); });
    for (const [name, value] of Object.entries(k.metrics)) add("metric", name + ": " + number(value, Number.isInteger(value) ? 0 : 3), null);
    k.findings.forEach((f) => add("advice", f, () => go("advice")));
  }
  into.replaceChildren(...hits.slice(0, mostHits).map(([kind, label, action]) => el("li", {}, el("span", { class: "soft" }, kind + " "), action ? el("button", { type: "button", class: "link", onclick: action }, label) : label)));
  if (wanted) into.append(el("li", { class: "note" }, hits.length > mostHits ? mostHits + " of " + hits.length + " hits" : hits.length + (hits.length === 1 ? " hit" : " hits")));
}
document.getElementById("search").addEventListener("input", (e) => search(e.target.value));

const main = document.getElementById("main"), list = document.getElementById("sections"), choice = document.getElementById("launch");
for (const [id, title] of sections) {
  list.append(el("li", {}, el("a", { href: "#" + id }, title)));
  main.append(el("section", { id, "aria-labelledby": id + "-title" }));
}
kernels.forEach((k, i) => choice.append(el("option", { value: i }, (i + 1) + ". " + k.name + (timed(k) ? ", " + number(k.time_us, 1) + " µs" : ""))));
let longest = 0;
kernels.forEach((k, i) => { if (k.time_us > kernels[longest].time_us) longest = i; });
current = longest;
choice.value = String(current);
choice.addEventListener("change", () => choose(Number(choice.value)));
document.getElementById("subtitle").textContent = kernels.length + (kernels.length === 1 ? " launch" : " launches") + ", " + number(sum(kernels.map((k) => k.time_us)), 1) + " µs of kernels" +
  (report.overrides ? ", with " + report.overrides.join(", ") : "");
if (extra.left_out.length) document.getElementById("leftout").textContent = "To keep the page small it leaves out: " + extra.left_out.join("; ") + ".";
if (kernels.length) drawAll();
else main.append(el("p", {}, "No kernel ran."));
