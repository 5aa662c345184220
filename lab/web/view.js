// The view of an SMX, cycle by cycle. All that it draws follows from a recording and the cycle that is shown, so that going back is as exact
// as going forward.
import { labelled, make, number } from "./dom.js";

const strip = 72; // cycles of a warp's past that are drawn

// Each reason has a letter beside its colour, so that neither alone carries it.
const looks = {
  issue: ["#1b7a56", "I"], second: ["#0c5138", "P"], replay: ["#8a4b00", "R"],
  inst_fetch: ["#62676d", "f"], exec_dependency: ["#9a6b12", "x"], exec_dependency_shared: ["#b0851f", "d"], memory_dependency: ["#b3462f", "m"], memory_throttle: ["#7b2d1e", "t"],
  texture: ["#9c4f9a", "u"], sync: ["#3767b1", "s"], constant_memory_dependency: ["#5c6bc0", "c"], pipe_busy: ["#3f7576", "b"],
  not_selected: ["#5f7d71", "n"], other_branch: ["#7d6947", "j"], other_fence: ["#6a5acd", "w"], other_exit: ["#55585c", "e"], other: ["#666b72", "o"],
};
const lookOf = (reason) => looks[reason] || looks.other;

// wordOf is what the glossary says of a state.
const wordOf = (name, lab) => lab.content.words[name.replaceAll("_", " ")] || lab.content.words[name] || "";

// index prepares a recording for questions of one cycle.
function index(r) {
  const issues = new Map(), perWarp = r.warps.map(() => ({ issues: [], stalls: [], replays: [] }));
  for (const i of r.issues || []) {
    if (!issues.has(i[0])) issues.set(i[0], []);
    issues.get(i[0]).push(i);
    perWarp[i[1]].issues.push(i);
  }
  for (const s of r.stalls || []) perWarp[s[2]].stalls.push(s);
  for (const s of r.replays || []) perWarp[s[1]].replays.push(s);
  return { issues, perWarp };
}

// upTo is the number of rows of a sorted list whose first column is at most a cycle.
function upTo(rows, cycle) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][0] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}

// stateOf is what a warp does in a cycle: {kind, op, active, mask, until}; null before and after its life.
function stateOf(r, at, n, cycle) {
  const warp = r.warps[n], mine = at.perWarp[n];
  if (cycle < warp.start || (warp.end && cycle >= warp.end)) return null;
  for (let k = upTo(mine.issues, cycle) - 1, seen = 0; k >= 0 && seen < 2 && mine.issues[k][0] === cycle; k--, seen++) {
    const [, , op, active, mask, second] = mine.issues[k];
    if (!second) return { kind: "issue", op, active, mask, pair: seen === 1 };
  }
  const k = upTo(mine.replays, cycle) - 1;
  if (k >= 0 && cycle <= mine.replays[k][0] + mine.replays[k][3]) return { kind: "replay", op: mine.replays[k][2] };
  for (let s = upTo(mine.stalls, cycle) - 1; s >= 0 && s >= upTo(mine.stalls, cycle) - 2; s--) {
    if (cycle < mine.stalls[s][1]) return { kind: r.reasons[mine.stalls[s][4]], op: mine.stalls[s][3], until: mine.stalls[s][1] };
  }
  return { kind: "other", op: -1 };
}

// lanes draws 32 lanes as a text of filled and empty squares.
const lanes = (mask) => Array.from({ length: 32 }, (_, i) => (mask >>> i & 1 ? "■" : "□")).join("").replace(/(.{8})/g, "$1 ").trim();

const svg = (tag, attributes = {}, ...children) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};

// showView fills an element with the view of a recording; lab.content.words has the glossary.
export function showView(element, r, lab) {
  const at = index(r), last = Math.max(r.from, r.to - 1);
  let cycle = r.from, follow = -1, timer = null;

  const shown = make("output", { class: "cycle" });
  const slider = make("input", { type: "range", min: r.from, max: last, value: r.from, "aria-label": "Cycle" });
  const speed = make("select", { "aria-label": "Speed" }, [[2, "2 cycles a second"], [8, "8 cycles a second"], [30, "30 cycles a second"], [120, "120 cycles a second"]].map(([v, t]) => make("option", { value: v }, t)));
  speed.value = 8;
  const reasons = make("select", { "aria-label": "Reason" }, ["pair", "replay", ...r.reasons].map((name) => make("option", { value: name }, name)));
  reasons.value = r.reasons.includes("memory_dependency") ? "memory_dependency" : r.reasons[0];
  const warpChoice = make("select", { "aria-label": "Warp to follow" }, make("option", { value: -1 }, "no warp"),
    r.warps.map((w, n) => make("option", { value: n }, `block ${w.block}, warp ${w.index}`)));
  const play = make("button", { type: "button" }, "Play");
  const button = (text, label, action) => make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
  const board = make("div", { class: "schedulers" }), units = make("div", { class: "units" }), about = make("div", { class: "about" }), code = make("pre", { class: "program", tabindex: "0", "aria-label": "Operations of the kernel" });
  const legend = make("p", { class: "legend" }, ["issue", "second", "replay", ...r.reasons].filter((name) => name === "issue" || name === "second" || name === "replay" || (r.stalls || []).some((s) => r.reasons[s[4]] === name))
    .map((name) => make("span", { title: wordOf(name, lab) }, make("i", { style: `background:${lookOf(name)[0]}` }, lookOf(name)[1]), { issue: "issued", second: "issued a pair" }[name] || name)));

  element.replaceChildren(
    make("div", { class: "bar transport" },
      button("|◀", "First cycle", () => go(r.from)), button("◀", "One cycle back (left arrow)", () => go(cycle - 1)), play, button("▶", "One cycle forward (right arrow)", () => go(cycle + 1)), button("▶|", "Last cycle", () => go(last)),
      shown, speed, make("span", { class: "grow" }), reasons, button("Next", "Next cycle with this", () => jump(reasons.value)), warpChoice, button("Its next instruction", "The next cycle in which the followed warp issues", () => nextIssue())),
    make("div", { class: "slider" }, slider), legend, board, units, make("div", { class: "columns" }, about, code));
  element.tabIndex = 0;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", `What SMX ${r.smx} does, cycle by cycle. Arrow keys step.`);

  const rows = [];
  for (let s = 0; s < r.schedulers; s++) {
    const column = make("div", { class: "scheduler" }, make("h4", {}, `Scheduler ${s}`));
    for (let slot = 0; slot < r.slots; slot++) {
      if (!r.warps.some((w) => w.scheduler === s && w.slot === slot)) continue;
      const line = svg("svg", { class: "strip", viewBox: `0 0 ${strip} 8`, preserveAspectRatio: "none", "aria-hidden": "true" });
      const mark = make("span", { class: "mark" }), text = make("span", { class: "op" });
      const row = make("button", { type: "button", class: "warp", onclick: () => choose(slotWarp(s, slot)) }, mark, line, text);
      column.append(row);
      rows.push({ s, slot, row, line, mark, text });
    }
    board.append(column);
  }
  code.replaceChildren(...r.operations.map((o, n) => make("span", { class: "line" }, `${String(n).padStart(4)}  ${o.text}\n`)));

  // slotWarp is the warp that has a slot in the shown cycle, -1 for none.
  function slotWarp(s, slot) {
    return r.warps.findIndex((w) => w.scheduler === s && w.slot === slot && cycle >= w.start && (!w.end || cycle < w.end));
  }

  function choose(n) {
    follow = n === follow ? -1 : n;
    warpChoice.value = follow;
    draw();
  }

  function go(to) {
    cycle = Math.min(last, Math.max(r.from, to));
    draw();
  }

  // holds says whether a cycle has what the choice of reasons names, of the followed warp if there is one.
  function holds(name, c) {
    if (name === "pair") return (at.issues.get(c) || []).some((i) => i[5] && (follow < 0 || i[1] === follow));
    const all = follow < 0 ? r.warps.keys() : [follow];
    for (const n of all) if (stateOf(r, at, n, c)?.kind === name) return true;
    return false;
  }

  function jump(name) {
    for (let c = cycle + 1; c <= last; c++) {
      if (holds(name, c) && (name === "pair" || !holds(name, c - 1))) {
        go(c);
        return;
      }
    }
    about.replaceChildren(make("p", { role: "status" }, `No further cycle of the window has ${name}${follow < 0 ? "" : " in this warp"}.`));
  }

  function nextIssue() {
    if (follow < 0) return;
    for (let c = cycle + 1; c <= last; c++) {
      if (stateOf(r, at, follow, c)?.kind === "issue") {
        go(c);
        return;
      }
    }
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  }

  play.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    play.textContent = "Pause";
    timer = setInterval(() => {
      if (!element.isConnected || cycle >= last) stop();
      else go(cycle + 1);
    }, 1000 / Number(speed.value));
  });
  speed.addEventListener("change", () => { if (timer) { play.click(); play.click(); } });
  slider.addEventListener("input", () => go(Number(slider.value)));
  warpChoice.addEventListener("change", () => { follow = Number(warpChoice.value); draw(); });
  element.addEventListener("keydown", (event) => {
    if (event.target.closest("select, input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 50, PageUp: -50 }[event.key];
    if (!step) return;
    event.preventDefault();
    go(cycle + step * (event.shiftKey ? 10 : 1));
  });

  // drawStrip draws what a slot's warps did in the last cycles, as spans of one kind.
  function drawStrip(line, s, slot) {
    const begin = cycle - strip + 1, spans = [];
    for (const [n, w] of r.warps.entries()) {
      if (w.scheduler !== s || w.slot !== slot || w.start > cycle || (w.end && w.end <= begin)) continue;
      for (let c = Math.max(begin, r.from, w.start); c <= cycle; c++) {
        const state = stateOf(r, at, n, c);
        if (!state) break;
        const kind = state.pair ? "second" : state.kind, before = spans.at(-1);
        if (before && before.kind === kind && before.to === c) before.to = c + 1;
        else spans.push({ kind, from: c, to: c + 1 });
      }
    }
    line.replaceChildren(...spans.map((x) => svg("rect", { x: x.from - begin, y: x.kind === "issue" || x.kind === "second" ? 0 : 2, width: x.to - x.from, height: x.kind === "issue" || x.kind === "second" ? 8 : 4, fill: lookOf(x.kind)[0] })));
  }

  // drawUnits draws what the units of the SMX and the memory behind it have in hand.
  function drawUnits() {
    const busy = new Map();
    for (const i of at.issues.get(cycle) || []) {
      const unit = r.operations[i[2]].unit;
      busy.set(unit, (busy.get(unit) || 0) + 1);
    }
    const names = [...new Set(r.operations.map((o) => o.unit))].filter(Boolean).sort();
    const box = (title, value, on) => make("div", { class: on ? "unit on" : "unit" }, make("b", {}, title), make("span", {}, value));
    const places = [["translation and crossbar", 1, 3], ["waiting at L2", 3, 4]], flights = r.flights || [];
    const inside = (f, from, to) => cycle >= f[from] && cycle < f[to];
    const count = (test) => flights.reduce((sum, f) => sum + (test(f) ? 1 : 0), 0);
    const lookups = (r.lookups || []).filter((l) => l[0] === cycle);
    const replaying = (r.replays || []).filter((x) => cycle > x[0] && cycle <= x[0] + x[3]).length;
    units.replaceChildren(
      make("div", { class: "group" }, make("h4", {}, "Units of the SMX"), names.map((u) => box(u, busy.get(u) ? `${busy.get(u)} issued` : "–", busy.has(u))),
        box("load/store replays", replaying ? String(replaying) : "–", replaying > 0),
        box("cache lookups", lookups.length ? `${lookups.filter((l) => l[3]).length} of ${lookups.length} hit` : "–", lookups.length > 0)),
      make("div", { class: "group" }, make("h4", {}, "Its requests"), places.map(([title, from, to]) => { const n = count((f) => inside(f, from, to)); return box(title, String(n), n > 0); }),
        (() => { const n = count((f) => f[5] && cycle >= f[4] && cycle < f[5]); return box("in DRAM", String(n), n > 0); })(),
        (() => { const n = count((f) => cycle >= (f[5] || f[4]) && cycle < f[6]); return box("on the way back", String(n), n > 0); })()),
      ways(flights.filter((f) => cycle >= f[1] && cycle < f[6])));
  }

  // ways draws each request in flight as a point between the SMX, L2 and DRAM.
  function ways(flying) {
    const stops = [[0, "SMX"], [1, "L2"], [2, "DRAM"]], drawing = svg("svg", { class: "ways", viewBox: "0 0 240 96", role: "img", "aria-label": `${flying.length} requests in flight` });
    for (const [x, name] of stops) {
      drawing.append(svg("line", { x1: 20 + 100 * x, y1: 8, x2: 20 + 100 * x, y2: 78, class: "stop" }), svg("text", { x: 20 + 100 * x, y: 92, "text-anchor": "middle" }, name));
    }
    const part = (f, from, to) => (f[to] > f[from] ? Math.min(1, (cycle - f[from]) / (f[to] - f[from])) : 1);
    for (const f of flying) {
      let x, y = 12 + (f[7] % Math.max(1, r.slices)) * (26 / Math.max(1, r.slices - 1 || 1));
      if (cycle < f[3]) x = part(f, 1, 3);
      else if (cycle < f[4]) x = 1;
      else if (f[5] && cycle < f[5]) x = 1 + Math.sin(Math.PI * part(f, 4, 5) / 2);
      else {
        const from = f[5] ? 5 : 4;
        x = (f[5] ? 2 : 1) * (1 - part(f, from, 6));
        y += 36;
      }
      drawing.append(svg("circle", { cx: 20 + 100 * x, cy: y, r: 2.4, class: f[8] > 0 ? "closed" : f[5] ? "dram" : "l2" }));
    }
    return make("div", { class: "group" }, make("h4", {}, `In flight: ${flying.length}`), drawing);
  }

  function drawAbout() {
    if (follow < 0) {
      const all = at.issues.get(cycle) || [];
      about.replaceChildren(make("h4", {}, "This cycle"), all.length === 0 ? make("p", {}, "No scheduler issues.") : make("ul", {}, all.map((i) => {
        const w = r.warps[i[1]], o = r.operations[i[2]];
        return make("li", {}, `Scheduler ${w.scheduler}: block ${w.block}, warp ${w.index} ${i[5] ? "pairs" : "issues"} `, make("code", {}, o.text));
      })), make("p", { class: "note" }, "Choose a warp to follow it."));
      return;
    }
    const w = r.warps[follow], state = stateOf(r, at, follow, cycle);
    if (!state) {
      about.replaceChildren(make("h4", {}, `Block ${w.block}, warp ${w.index}`), make("p", {}, cycle < w.start ? `It starts in cycle ${number(w.start)}.` : "It has ended."));
      return;
    }
    const o = r.operations[state.op], past = at.perWarp[follow].issues, k = upTo(past, cycle) - 1;
    const facts = [["doing", { issue: state.pair ? "issues a pair" : "issues", replay: "replays a memory operation" }[state.kind] || `waits: ${state.kind}`]];
    if (state.until) facts.push(["until", `cycle ${number(state.until)}, ${state.until - cycle} more`]);
    if (o) facts.push(["operation", o.text], ["unit", `${o.unit}, ${o.latency} cycles`]);
    if (o?.line) facts.push(["source", `${o.file.split("/").pop()}:${o.line}`]);
    if (o?.conflict) facts.push(["register banks", `+${o.conflict} cycles`]);
    if (k >= 0) facts.push(["lanes on the path", lanes(past[k][3])], ["lanes that execute", lanes(past[k][4])], ["issued so far", String(k + 1)]);
    about.replaceChildren(make("h4", {}, `Block ${w.block}, warp ${w.index}`), make("dl", {}, facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
      make("p", { class: "note" }, wordOf(state.kind, lab)));
  }

  function draw() {
    slider.value = cycle;
    shown.textContent = `cycle ${number(cycle)} of ${number(r.end)}`;
    const marked = new Set();
    for (const { s, slot, row, line, mark, text } of rows) {
      const n = slotWarp(s, slot), state = n < 0 ? null : stateOf(r, at, n, cycle);
      const kind = state?.pair ? "second" : state?.kind;
      row.classList.toggle("followed", n >= 0 && n === follow);
      row.classList.toggle("empty", !state);
      mark.textContent = state ? lookOf(kind)[1] : "";
      mark.style.background = state ? lookOf(kind)[0] : "transparent";
      text.textContent = state && state.op >= 0 ? r.operations[state.op].text : "";
      row.setAttribute("aria-label", state ? `Block ${r.warps[n].block}, warp ${r.warps[n].index}: ${kind === "second" ? "issues a pair" : kind}` : "empty slot");
      drawStrip(line, s, slot);
    }
    for (const i of at.issues.get(cycle) || []) marked.add(i[2]);
    const followed = follow >= 0 ? stateOf(r, at, follow, cycle)?.op : -1;
    [...code.children].forEach((line, n) => {
      line.classList.toggle("issued", marked.has(n));
      line.classList.toggle("at", n === followed);
    });
    if (followed >= 0) {
      const line = code.children[followed];
      code.scrollTop = line.offsetTop - code.offsetTop - code.clientHeight / 2;
    }
    drawUnits();
    drawAbout();
  }

  draw();
}
