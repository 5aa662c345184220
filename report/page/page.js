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
  const units = ["B", "KB", "MB", "GB"];
  let i = 0;
  while (n >= 10000 && i < units.length - 1) { n /= 1000; i++; }
  return number(n, i ? 1 : 0) + " " + units[i];
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

const timed = (k) => !k.functional;

// The sections, each with what draws it.
const sections = [
  ["verdict", "Verdict", verdict], ["roofline", "Roofline", roofline], ["stalls", "What warps wait for", stalls], ["source", "Source", source],
  ["memory", "Memory", memory], ["occupancy", "Occupancy", occupancy], ["mix", "Instructions and pipes", mix], ["advice", "Advice", advice],
  ["baselines", "Comparison", baselines], ["timeline", "Timeline", timeline],
];

function verdict(k) {
  const m = k.metrics, first = k.findings[0] || "Nothing stands out.";
  const near = k.roofline && k.roofline.nearest_ceiling;
  return [
    el("p", { class: "verdict", id: "finding" }, first),
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
    report.checks.length ? el("p", {}, report.checks.map((c) => c.buffer + (c.passed === false || c.mismatch ? " differs from what is expected" : " is as expected")).join(", ")) : null,
  ];
}

function roofline(k) {
  const r = k.roofline;
  if (!r) return el("p", {}, "There is no roofline without timing.");
  const c = r.ceilings, W = 640, H = 320, L = 62, R = 12, T = 14, B = 40;
  const levels = [["shared memory", c.shared_bytes_per_second], ["L2", c.l2_bytes_per_second], ["DRAM", c.dram_bytes_per_second]];
  const points = r.points || [];
  const xs = [0.05, 64, ...points.map((p) => p.flop_per_byte)], ys = [c.single_flops * 2, c.single_flops / 3000, ...points.map((p) => p.flops)];
  const x0 = Math.log10(Math.min(...xs) / 1.5), x1 = Math.log10(Math.max(...xs) * 1.5), y0 = Math.log10(Math.min(...ys)), y1 = Math.log10(Math.max(...ys));
  const X = (v) => L + (W - L - R) * (Math.log10(v) - x0) / (x1 - x0), Y = (v) => T + (H - T - B) * (y1 - Math.log10(v)) / (y1 - y0);
  const parts = [];
  for (let d = Math.ceil(x0); d <= x1; d++) {
    parts.push(el("line", { x1: X(10 ** d), x2: X(10 ** d), y1: T, y2: H - B, stroke: "var(--line)" }), el("text", { x: X(10 ** d), y: H - B + 16, "text-anchor": "middle" }, String(10 ** d)));
  }
  for (let d = Math.ceil(y0); d <= y1; d++) {
    parts.push(el("line", { x1: L, x2: W - R, y1: Y(10 ** d), y2: Y(10 ** d), stroke: "var(--line)" }), el("text", { x: L - 6, y: Y(10 ** d) + 4, "text-anchor": "end" }, rate(10 ** d, "")));
  }
  const roofs = [["f32 peak", c.single_flops, ""], ["f64 peak", c.double_flops, "6 4"]];
  for (const [name, flops, dash] of roofs) {
    parts.push(el("line", { x1: L, x2: W - R, y1: Y(flops), y2: Y(flops), stroke: "var(--ink)", "stroke-dasharray": dash }), el("text", { x: W - R - 2, y: Y(flops) - 4, "text-anchor": "end" }, name));
  }
  const dashes = ["", "8 3", "2 3"];
  levels.forEach(([name, b], i) => {
    const from = Math.max(10 ** x0, 10 ** y0 / b), to = Math.min(10 ** x1, c.single_flops / b);
    if (to <= from) return;
    parts.push(el("line", { x1: X(from), y1: Y(from * b), x2: X(to), y2: Y(to * b), stroke: "var(--accent)", "stroke-width": 2, "stroke-dasharray": dashes[i] }),
      el("text", { x: X(from) + 10, y: Y(from * b) + 4, class: "halo" }, name));
  });
  const marks = { "shared memory": "M-6 0L0 -6L6 0L0 6Z", L2: "M-5 -5H5V5H-5Z", DRAM: "M0 -6L6 5H-6Z" };
  for (const p of points) {
    parts.push(el("path", { d: marks[p.level], transform: `translate(${X(p.flop_per_byte)} ${Y(p.flops)})`, fill: "var(--hot)" },
      el("title", {}, `${p.precision}, ${p.level}: ${number(p.flop_per_byte, 2)} flop/byte, ${rate(p.flops, "flop/s")}, ${percent(100 * p.reached)} of what it allows`)));
  }
  parts.push(el("text", { x: (L + W) / 2, y: H - 6, "text-anchor": "middle", class: "soft" }, "flop per byte"));
  const plot = el("svg", { viewBox: `0 0 ${W} ${H}`, width: "100%", role: "img", "aria-label": "Roofline; the table below has its points" }, parts);
  const rows = points.map((p) => [p.precision, p.level, number(p.flop_per_byte, 2), rate(p.flops, "flop/s"), rate(p.allows_flops, "flop/s"), percent(100 * p.reached)]);
  return [
    points.length ? plot : el("p", {}, "The kernel has no floating-point operations. What it moves: " + levels.map(([n]) => n).join(", ") + ", below."),
    points.length ? table("Points", [{ t: "precision" }, { t: "level" }, { t: "flop/byte", n: 1 }, { t: "reached", n: 1 }, { t: "allowed", n: 1 }, { t: "share", n: 1 }], rows) : null,
    table("Bandwidths", [{ t: "level" }, { t: "moved", n: 1 }, { t: "rate", n: 1 }, { t: "of its peak", n: 1 }],
      [["shared memory", r.shared_bytes, levels[0][1]], ["L2", r.l2_bytes, levels[1][1]], ["DRAM", r.dram_bytes, levels[2][1]]].map(([n, b, peak]) =>
        [n, bytes(b), rate(b / r.seconds, "B/s"), percent(100 * b / r.seconds / peak)])),
  ];
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

function source(k) {
  const rows = k.source.filter((s) => s.file);
  if (!rows.length) return el("p", {}, "The source lines of this launch were left out.");
  const total = sum(rows.map(heatOf)) || 1, top = Math.max(...rows.map(heatOf), 1);
  const detail = el("div", { id: "detail", "aria-live": "polite" }), ops = el("div", { id: "operations" });
  const body = el("tbody", {});
  const show = (s, tr) => {
    chosen = s.file + ":" + s.line;
    body.querySelectorAll("tr").forEach((r) => r.classList.toggle("on", r === tr));
    lineDetail(detail, s);
    operations(ops, k, s);
  };
  rows.forEach((s, i) => {
    const tr = el("tr", {},
      el("td", { class: "n" }, String(s.line)),
      el("td", {}, el("span", { class: "heat", "aria-hidden": "true" }, el("span", { style: "width:" + 100 * heatOf(s) / top + "%" }))),
      el("td", { class: "n" }, percent(100 * heatOf(s) / total)),
      el("td", { class: "code" }, el("button", { class: "line", type: "button", onclick: () => show(s, tr) }, extra.texts[s.file + ":" + s.line] || s.function)));
    body.append(tr);
    if (chosen === s.file + ":" + s.line || (!chosen && heatOf(s) === top)) queueMicrotask(() => show(s, tr));
  });
  return [
    el("div", { class: "tools" }, el("label", { for: "heat" }, "Heat"), el("select", { id: "heat", onchange: (e) => { heat = e.target.value; draw("source"); } },
      heats.map(([v, t]) => el("option", { value: v, selected: v === heat }, t)))),
    el("p", { class: "note" }, rows[0].file + (new Set(rows.map((s) => s.file)).size > 1 ? " and others" : "")),
    el("div", { class: "beside" },
      el("div", { class: "scroll", style: "max-height:32rem;overflow:auto", tabindex: "0", role: "region", "aria-label": "Source lines" }, el("table", { class: "lines" },
        el("thead", {}, el("tr", {}, el("th", { class: "n", scope: "col" }, "line"), el("th", { scope: "col" }, "heat"), el("th", { class: "n", scope: "col" }, "share"), el("th", { scope: "col" }, "text"))), body)),
      ops, detail),
  ];
}

function lineDetail(into, s) {
  const rows = [["warp instructions", number(s.inst_executed)], ["lanes at work", percent(100 * s.thread_inst_executed / (32 * s.inst_executed || 1))], ["waiting, warp cycles", number(s.stalled_warp_cycles)]];
  const reasons = Object.entries(s.stalls || {}).sort((a, b) => b[1] - a[1]);
  into.replaceChildren(el("h3", {}, "Line " + s.line + (s.function ? ", " + s.function : "")),
    s.inlined_at ? el("p", { class: "note" }, "inlined at " + s.inlined_at.map((c) => c.file.split("/").pop() + ":" + c.line).join(", ")) : "",
    table("What it did", [{ t: "" }, { t: "", n: 1 }].map((h, i) => ({ t: i ? "value" : "figure", n: i })), rows),
    reasons.length ? el("h3", {}, "Its warps waited") : "",
    reasons.length ? bars(reasons.map(([n, v], i) => ({ label: n.replaceAll("_", " "), value: 100 * v / s.stalled_warp_cycles, hot: i === 0, title: extra.meaning[n] }))) : "",
    ...(s.accesses || []).map((a) => [el("h3", {}, a.kind), table(a.kind, [{ t: "figure" }, { t: "value", n: 1 }], [
      ["accesses of warps", number(a.requests)], ["lines or passes", number(a.transactions)], ["sectors of 32 bytes", number(a.sectors)], ["bytes asked for", bytes(a.bytes)],
      ["of the bytes moved", a.efficiency === null ? "–" : percent(100 * a.efficiency)], ["further passes (conflicts, lines)", number(a.replays)],
      ["latency, cycles", a.latency === null ? "–" : number(a.latency)], ["found in the SMX's cache", a.cache_accesses ? percent(100 * a.cache_hits / a.cache_accesses) : "–"],
    ])]).flat());
}

function operations(into, k, s) {
  const x = extra.launches[current], program = x && x.kernel >= 0 ? extra.kernels[x.kernel] : null;
  if (!program) { into.replaceChildren(el("p", { class: "note" }, "Its " + s.operations + " machine operations: keplersim lower prints them.")); return; }
  const name = s.file;
  const list = program.operations.map((o, i) => [o, i]).filter(([o]) => o.file === name && o.line === s.line);
  const ptx = [...new Map(list.filter(([o]) => o.ptx).map(([o]) => [o.ptx, o.code || ""])).entries()];
  into.replaceChildren(
    el("h3", {}, "PTX"), ptx.length ? el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "PTX" }, el("pre", {}, ptx.map(([n, t]) => n + "  " + t).join("\n"))) : el("p", { class: "note" }, "none"),
    el("h3", {}, "Machine operations"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Machine operations" },
      el("pre", {}, list.map(([o, i]) => (o.pair ? "{ " : "  ") + i + "  " + o.text + "  (" + o.unit.replace("_", "/") + ")").join("\n"))));
}

function memory() {
  const x = extra.launches[current];
  if (!x || !x.edges.length) return el("p", {}, "The kernel moved nothing.");
  const most = Math.max(...x.edges.map((e) => e.bytes), 1), boxes = [["kernel", 10, 70], ["SMX, caches", 180, 100], ["L2", 410, 60], ["DRAM", 600, 60]];
  const reads = (to) => x.edges.find((e) => e.to === to);
  const W = 670, H = 180, parts = [];
  boxes.forEach(([name, left, wide]) => parts.push(el("rect", { x: left, y: 40, width: wide, height: 100, rx: 6, fill: "var(--paper)", stroke: "var(--ink)" }),
    el("text", { x: left + wide / 2, y: 94, "text-anchor": "middle" }, name)));
  const arrow = (from, to, y, e, back, below) => {
    if (!e || !e.bytes) return;
    const w = 2 + 8 * e.bytes / most, a = back ? to : from, b = back ? from : to, tip = back ? 6 : -6, half = Math.max(7, w);
    parts.push(el("line", { x1: a, x2: b + tip, y1: y, y2: y, stroke: "var(--accent)", "stroke-width": w }), el("path", { d: `M${b} ${y}l${2 * tip} ${-half}v${2 * half}z`, fill: "var(--accent)" }),
      el("text", { x: (from + to) / 2, y: below ? y + 18 + w / 2 : y - 7 - w / 2, "text-anchor": "middle" }, bytes(e.bytes) + (e.hits !== undefined ? ", " + number(e.hits, 0) + " % hit" : "")));
  };
  const asked = { bytes: sum(x.edges.filter((e) => e.from === "kernel").map((e) => e.bytes)) };
  arrow(80, 180, 90, asked);
  arrow(280, 410, 72, reads("L2 (reads)"), true);
  arrow(280, 410, 108, reads("L2 (writes)"), false, true);
  arrow(470, 600, 72, reads("DRAM (reads)"), true);
  arrow(470, 600, 108, reads("DRAM (writes)"), false, true);
  return [
    el("svg", { viewBox: `0 20 ${W} ${H - 20}`, width: "100%", role: "img", "aria-label": "Bytes between the kernel, caches, L2 and DRAM; the table below has them" }, parts.filter(Boolean)),
    table("Bytes on each way", [{ t: "from" }, { t: "to" }, { t: "bytes", n: 1 }, { t: "found there", n: 1 }],
      x.edges.map((e) => [e.from, e.to, e.bytes ? bytes(e.bytes) : "–", e.hits === undefined ? "–" : percent(e.hits)])),
    el("p", { class: "note" }, "Bytes from the kernel are those that its lanes ask for; behind the SMXs sectors of 32 bytes move. Of DRAM, what is found there are open rows."),
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
    el("ol", {}, k.findings.map((f) => el("li", {}, f))),
    el("p", {}, "What each limit costs can be measured: ", el("code", {}, "keplersim advise"), " runs the kernel with one limit lifted at a time."),
  ];
}

function baselines(k) {
  if (!extra.baselines.length) return el("p", {}, "There is no baseline. ", el("code", {}, "--baseline report.json"), " compares with an earlier JSON report.");
  const rows = [];
  extra.baselines.forEach((b, i) => {
    const nth = kernels.slice(0, current).filter((o) => o.symbol === k.symbol).length;
    const same = (b.kernels || []).filter((o) => o.symbol === k.symbol), old = same[nth] || same[0];
    if (!old) { rows.push([extra.baseline_names[i], "has no such kernel", "", "", "", ""]); return; }
    const change = 100 * (k.time_us - old.time_us) / old.time_us;
    rows.push([extra.baseline_names[i] + " (" + old.config + ")", number(old.time_us, 1) + " µs", number(k.time_us, 1) + " µs",
      el("span", { class: change <= 0 ? "better" : "worse" }, (change > 0 ? "+" : "−") + percent(Math.abs(change)) + (change <= 0 ? " faster" : " slower")),
      percent(100 * old.occupancy.achieved) + " → " + percent(100 * k.occupancy.achieved), number(old.metrics.inst_executed) + " → " + number(k.metrics.inst_executed)]);
  });
  return table("This run beside earlier ones", [{ t: "baseline" }, { t: "then", n: 1 }, { t: "now", n: 1 }, { t: "time", n: 1 }, { t: "achieved occupancy", n: 1 }, { t: "warp instructions", n: 1 }], rows);
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
  let to = 0;
  const has = (kind) => list.some((i) => i.kind === kind), blocks = has("block");
  for (const i of list) {
    to = Math.max(to, i.end_us);
    let row = null;
    if (i.kind === "host") row = "host";
    else if (["kernel", "copy", "memset"].includes(i.kind)) row = "stream " + (i.stream || "0");
    else if (i.kind === (blocks ? "block" : "smx")) row = "SMX " + i.smx;
    if (!row) continue;
    if (i.device) row = "device " + i.device + ", " + row;
    if (!rows.has(row)) rows.set(row, []);
    rows.get(row).push([i.start_us, i.end_us, palette[names.indexOf(i.name) % palette.length], i.name + (i.block ? " (" + i.block.join(",") + ")" : "")]);
  }
  return { rows: [...rows].sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true })), from: 0, to: to || 1, unit: "µs" };
}

function timeline() {
  const canvas = el("canvas", { tabindex: "0", role: "img", id: "chart" }), status = el("p", { class: "note", id: "where", "aria-live": "polite" });
  const s = spans();
  view.from = s.from; view.to = s.to;
  const rowHeight = s.rows.length > 24 ? 12 : 18, left = 120;
  const paint = () => {
    const style = getComputedStyle(document.documentElement), width = canvas.clientWidth || 600, height = s.rows.length * rowHeight + 24, ratio = window.devicePixelRatio || 1;
    canvas.style.height = height + "px";
    canvas.width = width * ratio; canvas.height = height * ratio;
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    const names = width < 480 ? 74 : left;
    c.font = (rowHeight - 4 > 11 ? 11 : rowHeight - 3) + "px system-ui, sans-serif";
    const X = (t) => names + (width - names - 4) * (t - view.from) / (view.to - view.from);
    s.rows.forEach(([name, list], i) => {
      const y = i * rowHeight + 2;
      c.fillStyle = style.getPropertyValue("--ink");
      c.fillText(name.length > 20 && width >= 480 ? "…" + name.slice(-19) : name.slice(width < 480 ? -12 : 0), 2, y + rowHeight - 6);
      c.save(); c.beginPath(); c.rect(names, 0, width, height); c.clip();
      for (const [a, b, colour] of list) {
        if (b < view.from || a > view.to) continue;
        c.fillStyle = colour;
        c.globalAlpha = s.unit === "µs" ? 0.7 : 1;
        c.fillRect(X(a), y, Math.max(0.7, X(b) - X(a) - (X(b) - X(a) > 4 ? 1 : 0)), rowHeight - 3);
      }
      c.restore();
    });
    c.fillStyle = style.getPropertyValue("--soft");
    c.font = "11px system-ui, sans-serif";
    for (let i = 0; i <= 4; i++) {
      const t = view.from + (view.to - view.from) * i / 4;
      c.textAlign = i === 4 ? "right" : i ? "center" : "left";
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
    const names = canvas.clientWidth < 480 ? 74 : left, row = s.rows[Math.floor(e.offsetY / rowHeight)], t = view.from + (view.to - view.from) * (e.offsetX - names) / (canvas.clientWidth - names - 4);
    const hit = row && row[1].find(([a, b]) => a <= t && t < b);
    if (hit) status.textContent = row[0] + ": " + hit[3] + ", " + number(hit[0], 2) + " to " + number(hit[1], 2) + " " + s.unit;
  });
  new ResizeObserver(() => paint()).observe(canvas);
  const button = (text, label, action) => el("button", { type: "button", "aria-label": label, onclick: action }, text);
  const legend = view.warps ? el("ul", {}, el("li", {}, el("span", { style: "background:#1b6ca8;color:#fff;padding:0 .4rem" }, "issues")),
    [...new Set(extra.warps.flatMap((w) => w.spans.map((x) => x[2])))].filter((n) => n >= 0).sort((a, b) => a - b).map((n) =>
      el("li", {}, el("span", { style: "background:" + reasonColours[n] + ";color:#000;padding:0 .4rem" }, Object.keys(extra.meaning)[n].replaceAll("_", " ")), " " + Object.values(extra.meaning)[n]))) : null;
  return [
    el("div", { class: "tools" }, button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)), button("←", "Earlier", () => move(-0.25)), button("→", "Later", () => move(0.25)), button("All", "Show all", all),
      extra.window ? button(view.warps ? "Blocks" : "Warps of the recorded window", null, () => { view.warps = !view.warps; draw("timeline"); }) : null),
    canvas, status, legend,
    extra.window ? null : el("p", { class: "note" }, "Warps show where a window is recorded: --record-window 1000..1400 --record-smx 0."),
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
choice.addEventListener("change", () => { current = Number(choice.value); chosen = null; drawAll(); });
document.getElementById("subtitle").textContent = kernels.length + (kernels.length === 1 ? " launch" : " launches") + ", " + number(sum(kernels.map((k) => k.time_us)), 1) + " µs of kernels" +
  (report.overrides ? ", with " + report.overrides.join(", ") : "");
if (extra.left_out.length) document.getElementById("leftout").textContent = "To keep the page small it leaves out: " + extra.left_out.join("; ") + ".";
if (kernels.length) drawAll();
else main.append(el("p", {}, "No kernel ran."));
