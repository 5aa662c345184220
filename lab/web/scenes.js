// Scenes: each answers one question about a run with one drawing. A scene is data: what it is called, at which moments something happens, and
// the marks that it draws of a recording at one of them. Nothing is drawn that was not simulated.
import { number } from "./dom.js";
import { lookOf, nameOf, svg } from "./looks.js";
import { addresses, bankOf, lanesOf, lineBytes, linesOf, upTo, warpName } from "./trace.js";

const box = (x, y, width, height, kind, title) => svg("rect", { x, y, width: Math.max(width, 0.5), height, rx: Math.min(2, width / 4), class: kind }, title && svg("title", {}, title));
const tint = (x, y, width, height, fill) => svg("rect", { x, y, width, height, fill });
const say = (x, y, words, kind = "", anchor = "start") => svg("text", { x, y, class: kind, "text-anchor": anchor }, words);
const curve = (x, y, to, below, kind) => svg("path", { d: `M${x} ${y}C${x} ${(y + below) / 2} ${to} ${(y + below) / 2} ${to} ${below}`, class: kind });
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const percent = (part, whole) => `${Math.round(100 * part / Math.max(1, whole))}\u00a0%`;
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// key says what colours mean, [the mark at a place, its words] each, in as many rows as it needs, and returns how high it is.
function key(marks, y, w, entries) {
  let x = 0, rows = 1;
  for (const [mark, words] of entries) {
    const wide = 19 + 8.3 * words.length;
    if (x > 0 && x + wide > w) {
      x = 0;
      rows++;
    }
    const top = y + 22 * (rows - 1);
    marks.push(mark(x, top), say(x + 19, top + 12, words));
    x += wide + 20;
  }
  return 22 * rows;
}

// lastOf is the last of some accesses in a cycle or before it, the first where there is none yet.
const lastOf = (all, at) => all[Math.max(0, upTo(all.map((a) => [a.cycle]), at) - 1)];

// lanes draws the 32 lanes of an access in a row, and returns where each stands.
function lanes(marks, access, y, w, kindOf) {
  const wide = w / 32;
  for (let lane = 0; lane < 32; lane++) {
    marks.push(box(lane * wide + 1, y, wide - 2, 24, access.active >>> lane & 1 ? kindOf(lane) : "idle", `lane ${lane}`));
    if (w > 600) marks.push(say((lane + 0.5) * wide, y + 17, String(lane), access.active >>> lane & 1 ? "on" : "dim", "middle"));
  }
  return (lane) => (lane + 0.5) * wide;
}

// rowsOf are the lines of the kernel that the issues until a cycle come from, in order: a row for each while the same lanes execute. now is the
// row of the last. An instruction that comes from no line counts with the next one that does; what ends lanes is a return.
function rowsOf(issues, at, r, source) {
  const rows = [], lines = issues.map((i) => source(r.operations[i[2]]));
  for (let n = lines.length - 2; n >= 0; n--) lines[n] ||= lines[n + 1];
  let begin = 0; // of the rows with the same lanes
  for (const [n, i] of issues.slice(0, upTo(issues, at)).entries()) {
    const { text } = r.operations[i[2]], line = lines[n] || text, mask = i[4] || i[3]; // a branch that no lane takes is of all that asked
    const words = /\bEXIT\b/.test(text) && !/return|^}/.test(line) ? "return" : line;
    if (rows.length && rows.at(-1).mask !== mask) begin = rows.length;
    rows.now = rows.slice(begin).find((row) => row.words === words);
    if (rows.now) rows.now.times++;
    else rows.push(rows.now = { words, mask, times: 1 });
  }
  return rows;
}

// scenes by name. moments are the cycles in which something happens, begin is the one that is shown first; draw returns {high, marks, words}.
// what has the trace of a recording, its report, and source(operation), the line of the kernel that an operation comes from.
export const scenes = {
  divergence: {
    title: "32 lanes under one instruction", step: 1,
    moments: ({ trace }) => trace.perWarp[0].issues.map((i) => i[0]),
    begin: ({ trace }) => trace.perWarp[0].issues.at(-1)?.[0] ?? 0,
    playsMoments: true,
    draw({ trace, r, report, source }, at, w) {
      const all = trace.perWarp[0].issues, past = all.slice(0, upTo(all, at)), marks = [], most = Math.min(9, rowsOf(all, Infinity, r, source).length), rows = rowsOf(all, at, r, source), now = rows.now, shown = rows.slice(-9);
      const left = w > 600 ? 350 : 0, high = left ? 30 : 46, wide = (w - left) / 32;
      shown.forEach((row, n) => {
        const y = n * high;
        if (row === now) marks.push(box(0, y, w, high - 2, "lit"));
        marks.push(say(8, y + 19, `${cut(row.words, 36)}${row.times > 1 ? ` ×${row.times}` : ""}`, row === now ? "code strong" : "code"));
        for (let lane = 0; lane < 32; lane++) marks.push(box(left + lane * wide + 1, y + (left ? 4 : 24), wide - 2, left ? 20 : 18, row.mask >>> lane & 1 ? "work" : "idle"));
      });
      const did = past.reduce((n, i) => n + lanesOf(i[4]), 0), y = most * high + 8;
      marks.push(box(0, y, w, 14, "idle"), box(0, y, w * did / Math.max(1, 32 * past.length), 14, "work"));
      return { high: y + 18, marks, words: now ? `${lanesOf(now.mask) === 32 ? "All 32 lanes execute" : `${lanesOf(now.mask)} of 32 lanes execute`} this instruction. The bar: so far, ${percent(did, 32 * past.length)} of the lanes did work.${past.length === all.length && at < r.end ? ` The warp has issued its last instruction; the kernel takes ${number(report.kernels[0].kernel_cycles)} cycles in all, from the launch until its stores have arrived.` : ""}` : "The warp has not begun." };
    },
  },

  coalescing: {
    title: "32 addresses, and the lines that they touch", step: 1,
    moments: ({ r }) => [...new Set(r.accesses.filter((a) => a.space === "global").map((a) => a.cycle))].slice(0, 400),
    begin: ({ r }) => r.accesses.find((a) => a.space === "global")?.cycle ?? 0,
    draw({ trace, r }, at, w) {
      const all = r.accesses.filter((a) => a.space === "global"), marks = [];
      if (all.length === 0) return { high: 40, marks: [say(0, 26, "No access to global memory in these cycles.")], words: "" };
      const a = lastOf(all, at), by = addresses(a), bytes = lineBytes(r), used = by.filter((x) => x !== undefined);
      const lines = linesOf(r, by), sectors = new Set(used.map((x) => Math.floor(x / 32)));
      const { flights } = trace.life(a), room = Math.min(w / lines.length, w / 3), first = (w - room * lines.length) / 2, place = lanes(marks, a, 4, w, () => "work");
      const stateOf = (line) => {
        const mine = flights.filter((f) => Math.floor(f[10] / bytes) === line);
        return mine.length === 0 || mine.some((f) => f[2] > at) ? "waits" : mine.some((f) => f[6] > at) ? "flies" : "work";
      };
      const states = lines.map(stateOf);
      by.forEach((x, lane) => {
        if (x === undefined) return;
        const n = lines.indexOf(Math.floor(x / bytes)), within = Math.floor(x % bytes / 32) + 0.5, parts = bytes / 32;
        marks.push(curve(place(lane), 30, first + n * room + 2 + within * (room - 4) / parts, 200, `arrow ${states[n]}`));
      });
      lines.forEach((line, n) => {
        const x = first + n * room, parts = bytes / 32;
        for (let s = 0; s < parts; s++) marks.push(box(x + 2 + s * (room - 4) / parts, 202, (room - 4) / parts - (room > 60 ? 2 : 0.5), 30, sectors.has(line * parts + s) ? states[n] : "idle", `line ${n}, sector ${s}`));
      });
      const count = (state) => states.filter((s) => s === state).length;
      const below = key(marks, 246, w, ["waits", "flies", "work"].map((kind, n) => [(x, y) => box(x, y, 14, 14, kind), `${count(kind)} ${["to send", "on the way", "back"][n]}`]));
      const asked = new Set(used).size * a.bytes, moved = sectors.size * 32;
      return { high: 246 + below, marks, words: `${warpName(r.warps[a.warp])}, a ${a.kind}: ${lanesOf(a.active)} lanes touch ${plural(lines.length, "line")} of ${bytes} bytes, so it takes ${plural(lines.length, "request")}. ${plural(sectors.size, "sector")} of 32 bytes move; the warp asked for ${percent(asked, moved)} of their bytes.` };
    },
  },

  banks: {
    title: "32 lanes, and the banks of shared memory", step: 1,
    moments: ({ trace }) => trace.shared.slice(0, 400).map((a) => a.cycle),
    begin: ({ trace }) => (trace.shared.find((a) => a.kind === "load") || trace.shared[0])?.cycle ?? 0,
    draw({ trace, r }, at, w) {
      const marks = [];
      if (trace.shared.length === 0) return { high: 40, marks: [say(0, 26, "No access to shared memory in these cycles.")], words: "" };
      const a = lastOf(trace.shared, at), by = addresses(a), rows = a.banks[0], of = a.passes[0], pass = Math.min(of, at - a.cycle + 1);
      const kind = (bank) => (rows[bank] > 1 ? "clash" : "work"), place = lanes(marks, a, 4, w, (lane) => kind(bankOf(r, by[lane]))), wide = w / 32;
      by.forEach((x, lane) => { if (x !== undefined) marks.push(curve(place(lane), 30, place(bankOf(r, x)), 160, `arrow ${kind(bankOf(r, x))}`)); });
      for (let b = 0; b < 32; b++) {
        marks.push(box(b * wide + 1, 162, wide - 2, 24, rows[b] ? kind(b) : "idle", `bank ${b}: ${plural(rows[b], "row")}`));
        if (rows[b]) marks.push(say((b + 0.5) * wide, w > 600 ? 179 : 200, String(rows[b]), w > 600 ? "on" : "dim", "middle"));
      }
      const low = w > 600 ? 202 : 214; // below the numbers of narrow banks
      marks.push(say(0, low + 14, of === 1 ? "one pass" : `pass ${Math.max(1, pass)} of ${of}`, of > 1 ? "bad" : ""));
      const left = 110, room = (w - left) / Math.max(of, 16);
      for (let n = 0; n < of; n++) marks.push(box(left + n * room + 1, low, room - 2, 18, n < pass ? (of > 1 ? "clash" : "work") : "waits", `pass ${n + 1}`));
      return { high: low + 26, marks, words: `${warpName(r.warps[a.warp])}, a ${a.kind}: ${of === 1 ? "no bank has to give more than one row, so all lanes are served in one pass." : `the busiest bank has to give ${of} rows, one after another. All 32 lanes wait for ${of} passes.`} The numbers below the arrows are rows.` };
    },
  },

  occupancy: {
    title: "Warps that wait, and warps that issue", step: 8,
    moments: () => [],
    begin({ trace, r }) { // well into the run; of a short one the end of the longest wait
      const at = (r.warps[0]?.start ?? 0) + 2000, waits = (trace.perWarp[0]?.stalls ?? []).map((s) => [s[1] - s[0], s[1]]);
      return at < r.end ? Math.min(r.to - 1, at) : waits.reduce((most, wait) => (wait[0] > most[0] ? wait : most), [0, r.end - 1])[1];
    },
    draw({ trace, r }, at, w) {
      const marks = [], span = w > 600 ? 480 : 240, from = Math.max(r.from, at - span), mine = r.warps.map((x, n) => [x, n]).filter(([x]) => x.start <= at && (!x.end || x.end > from));
      const each = Math.max(3.5, Math.min(22, 250 / Math.max(1, mine.length))), x = (cycle) => (Math.min(at, Math.max(from, cycle)) - from) * w / span;
      const waits = new Map();
      mine.sort(([a], [b]) => a.scheduler - b.scheduler || a.slot - b.slot).forEach(([warp, n], row) => {
        const y = row * each, high = each - Math.min(2, each / 4);
        marks.push(box(x(warp.start), y, x(warp.end || at) - x(warp.start), high, "idle", warpName(warp)));
        for (const s of trace.perWarp[n].stalls) {
          if (s[1] <= from || s[0] >= at) continue;
          const name = r.reasons[s[4]], part = Math.min(at, s[1]) - Math.max(from, s[0]);
          waits.set(name, (waits.get(name) || 0) + part);
          marks.push(tint(x(s[0]), y, x(s[1]) - x(s[0]), high, lookOf(name)[0]));
        }
        for (const i of trace.perWarp[n].issues) if (i[0] >= from && i[0] < at) marks.push(tint(x(i[0]), y, Math.max(1.2, w / span), high, lookOf("issue")[0]));
      });
      const full = new Set();
      for (const i of r.issues) if (i[0] >= from && i[0] < at) full.add(i[0] * 8 + r.warps[i[1]].scheduler);
      const y = Math.max(60, mine.length * each + 10), slots = Math.max(1, at - from) * r.schedulers, most = [...waits].sort((p, q) => q[1] - p[1]).slice(0, 3);
      marks.push(say(0, y + 14, "issue slots used:"), box(150, y + 1, w - 150, 16, "idle"), box(150, y + 1, (w - 150) * full.size / slots, 16, "work"));
      const below = key(marks, y + 28, w, [["issue"], ...most].map(([name]) => [(x, top) => tint(x, top, 14, 14, lookOf(name)[0]), nameOf(name)]));
      return { high: y + 28 + below, marks, words: `${plural(mine.length, "warp")} of 64 ${mine.length === 1 ? "is" : "are"} on SMX ${r.smx}: a row each, over ${at - from} cycles. The four schedulers used ${percent(full.size, slots)} of their issue slots.` };
    },
  },

  "dual-issue": {
    title: "Four schedulers, two dispatch slots each", step: 1,
    moments: ({ trace }) => trace.issueCycles,
    begin: ({ trace }) => trace.issueCycles[Math.floor(trace.issueCycles.length / 2)] ?? 0,
    draw({ trace, r }, at, w) {
      const marks = [], span = w > 600 ? 14 : 6, left = w > 600 ? 110 : 30, wide = (w - left) / span;
      let first = 0, pairs = 0;
      for (let s = 0; s < r.schedulers; s++) {
        marks.push(say(0, s * 66 + 36, w > 600 ? `scheduler ${s}` : String(s)));
        for (let k = 0; k < span; k++) {
          const here = trace.issued(at - span + 1 + k).filter((i) => r.warps[i[1]].scheduler === s);
          for (const slot of [0, 1]) {
            const i = here.find((one) => one[5] === slot), x = left + k * wide, y = s * 66 + slot * 28;
            marks.push(box(x + 1, y + 2, wide - 3, 26, i ? (slot ? "second" : "work") : "idle", i ? `${warpName(r.warps[i[1]])}: ${r.operations[i[2]].text}` : "empty"));
            if (!i) continue;
            if (slot) pairs++;
            else first++;
            marks.push(say(x + wide / 2 - 1, y + 19, cut(r.operations[i[2]].text.split(/[ .]/)[0], 6), "on", "middle"));
          }
        }
      }
      const y = r.schedulers * 66 + 6, lanesUsed = 32 * (first + pairs) / span;
      marks.push(say(left, y + 14, `cycle ${at - span + 1}`, "dim"), say(w - 2, y + 14, `cycle ${at}`, "dim", "end"));
      return { high: y + 22, marks, words: `In these ${span} cycles the first slots issued ${plural(first, "instruction")} and the second slots ${pairs}: ${Math.round(lanesUsed)} lanes a cycle, and the SMX has 192 for 32-bit arithmetic.` };
    },
  },

  streams: {
    title: "Streams: what waits and what runs", step: 0,
    span: ({ report }) => [0, Math.ceil(Math.max(1, ...kernelsOf(report).map((k) => k.end_us)))],
    moments: ({ report }) => [...new Set(kernelsOf(report).flatMap((k) => [k.start_us, k.first_us ?? k.start_us, k.end_us]).map(Math.ceil))].sort((a, b) => a - b),
    begin: (what) => scenes.streams.span(what)[1],
    unit: "µs",
    draw(what, at, w) {
      const all = kernelsOf(what.report), end = scenes.streams.span(what)[1], marks = [], left = w > 600 ? 90 : 34, x = (us) => left + Math.min(us, at) * (w - left) / end;
      const rows = rowsOfStreams(all), each = Math.max(8, Math.min(24, 300 / Math.max(1, rows.length)));
      rows.forEach(([wide, narrow, mine], row) => {
        const y = row * each;
        if (each >= 14 || row % 4 === 0) marks.push(say(0, y + Math.min(each, 16) - 2, w > 600 ? wide : narrow, "dim"));
        for (const k of mine) {
          const first = k.first_us ?? k.start_us;
          if (k.start_us < at) marks.push(box(x(k.start_us), y + 1, x(first) - x(k.start_us), each - 2, "waits", `${k.name} waits for room until ${first.toFixed(1)} µs`));
          if (first < at) marks.push(box(x(first), y + 1, x(k.end_us) - x(first), each - 2, "work", `${k.name} runs until ${k.end_us.toFixed(1)} µs`));
        }
      });
      const y = rows.length * each + 8, children = all.filter((k) => k.depth).length, streams = new Set(all.filter((k) => !k.depth).map((k) => k.stream)).size, waiting = all.filter((k) => k.start_us < at && (k.first_us ?? k.start_us) >= at).length, running = all.filter((k) => (k.first_us ?? k.start_us) < at && k.end_us >= at).length;
      marks.push(box(left, y + 2, 14, 14, "waits"), say(left + 20, y + 14, "sent, waits for room"), box(left + 200, y + 2, 14, 14, "work"), say(left + 220, y + 14, "runs"), svg("line", { x1: x(at), x2: x(at), y1: 0, y2: y - 4, class: "now" }));
      return { high: y + 24, marks, words: at >= end ? `${plural(all.length - children, "kernel")} in ${plural(streams, "stream")}${children ? ` and ${children} launched by kernels` : ""}: the last ends after ${end} µs.` : `At ${at} µs ${plural(running, "kernel")} run and ${waiting} wait for room on the SMXs.` };
    },
  },
};

const kernelsOf = (report) => (report?.timeline || []).filter((t) => t.kind === "kernel");

// rowsOfStreams are the rows of a timeline, [name, short name, kernels]: one for each stream, and for what kernels launched as many as run at a time.
function rowsOfStreams(all) {
  const streams = Map.groupBy(all.filter((k) => !k.depth), (k) => k.stream), rows = [];
  for (const [name, mine] of [...streams].sort(([a], [b]) => Number(a) - Number(b))) rows.push([`stream ${name}`, name, mine]);
  const nested = [];
  for (const k of all.filter((one) => one.depth).sort((a, b) => a.start_us - b.start_us)) {
    const free = nested.find((mine) => mine.at(-1).end_us <= k.start_us);
    if (free) free.push(k);
    else nested.push([k]);
  }
  return [...rows, ...nested.map((mine, n) => [n ? "" : "launched", n ? "" : "↳", mine])];
}
