// The view of an SMX, cycle by cycle. All that it draws follows from a recording and the cycle that is shown, so that going back is as exact
// as going forward.
import { make, labelled, number } from "./dom.js";
import { LanesView } from "./lanes.js";
import { laneText, lookOf, nameOf, svg, wordOf } from "./looks.js";
import { Machine, parts } from "./machine.js";
import { saveFilm, savePicture } from "./picture.js";
import { LaneHistory, Trace, addresses, entryName, upTo, warpName } from "./trace.js";

const strip = 72; // cycles of a warp's past that are drawn

const keyHelp = "Arrow keys step a cycle, with Shift ten, Page keys fifty; N and P go to the next and the previous instruction, B and V to the next and the previous block, S and A to the next and the previous " +
  "cycle with the chosen state; Space plays; Home and End go to the window's ends.";

// showView fills an element with the view of a recording. lab.content.words has the glossary; again(watch) asks the engine for another
// recording of the same run: {smx, from, follow}, and returns it; lit hears of the operations that issue in the cycle that is shown.
export function showView(element, recording, lab, again, lit) {
  new View(element, recording, lab, again, lit).draw();
}

class View {
  constructor(element, recording, lab, again, lit) {
    Object.assign(this, { element, lab, again, lit, timer: null });
    this.load(recording);
    element.tabIndex = 0;
    element.setAttribute("role", "group");
    element.addEventListener("keydown", (event) => this.key(event));
  }

  // load shows a recording from its first cycle.
  load(recording) {
    this.stop?.();
    this.r = recording;
    this.trace = new Trace(recording);
    Object.assign(this, { cycle: recording.from, follow: -1, history: null, life: null, asked: null });
    this.element.setAttribute("aria-label", `What SMX ${recording.smx} does, cycle by cycle. ${keyHelp}`);
    this.build();
  }

  build() {
    const { r } = this;
    this.board = make("div", { class: "schedulers" });
    this.about = make("div", { class: "about" });
    this.code = make("pre", { class: "program", tabindex: "0", "aria-label": "Operations of the kernel" }, r.operations.map((o, n) => make("span", { class: "line" }, `${String(n).padStart(4)}  ${o.text}\n`)));
    this.machine = new Machine(this.trace, (part) => { this.asked = part; this.drawAbout(); });
    this.lanes = make("section", { class: "lanes", hidden: true });
    this.lanesView = new LanesView(this.lanes, r);
    this.element.replaceChildren(this.transport(), this.legend(), this.board, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The SMX and the memory" }, this.machine.drawing),
      make("div", { class: "columns" }, this.about, this.code), this.lanes, this.footer());
    this.buildBoard();
  }

  // transport is what moves the cycle.
  transport() {
    const { r } = this, button = (text, label, action) => make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    this.shown = make("output", { class: "cycle" });
    this.slider = make("input", { type: "range", min: r.from, max: this.trace.last, value: r.from, "aria-label": "Cycle", oninput: () => this.go(Number(this.slider.value)) });
    this.speed = make("select", { "aria-label": "Speed" }, [2, 8, 30, 120].map((v) => make("option", { value: v }, `${v} cycles a second`)));
    this.speed.value = 8;
    this.speed.addEventListener("change", () => { if (this.timer) { this.stop(); this.play(); } });
    this.playButton = make("button", { type: "button", onclick: () => (this.timer ? this.stop() : this.play()) }, "Play");
    this.kinds = make("select", { "aria-label": "State to look for" }, ["pair", "replay", ...r.reasons].map((name) => make("option", { value: name }, nameOf(name))));
    this.kinds.value = r.reasons.includes("memory_dependency") ? "memory_dependency" : r.reasons[0];
    this.warpChoice = make("select", { "aria-label": "Warp to follow" }, make("option", { value: -1 }, "every warp"), r.warps.map((w, n) => make("option", { value: n }, warpName(w))));
    this.warpChoice.addEventListener("change", () => this.choose(Number(this.warpChoice.value)));
    const group = (name, ...children) => make("span", { class: "steps", role: "group", "aria-label": name }, make("span", { class: "what", "aria-hidden": "true" }, name), children);
    return make("div", { class: "transport", "data-unpictured": true },
      make("div", { class: "bar" },
        button("|◀", "First cycle", () => this.go(r.from)), button("◀", "One cycle back (left arrow)", () => this.go(this.cycle - 1)), this.playButton, button("▶", "One cycle forward (right arrow)", () => this.go(this.cycle + 1)), button("▶|", "Last cycle", () => this.go(this.trace.last)),
        this.shown,
        group("instruction", button("◀", "The previous instruction (P)", () => this.step("instruction", -1)), button("▶", "The next instruction (N)", () => this.step("instruction", 1))),
        group("block", button("◀", "The previous cycle in which a block comes or leaves (V)", () => this.step("block", -1)), button("▶", "The next cycle in which a block comes or leaves (B)", () => this.step("block", 1)))),
      make("div", { class: "slider" }, this.slider),
      make("div", { class: "bar second" },
        make("label", {}, "follow ", this.warpChoice),
        group("next", this.kinds, button("◀", "The previous cycle in which this begins (A)", () => this.step("kind", -1)), button("▶", "The next cycle in which this begins (S)", () => this.step("kind", 1))), this.speed));
  }

  legend() {
    const { r } = this, seen = new Set(r.stalls.map((s) => r.reasons[s[4]]));
    return make("p", { class: "legend" }, ["issue", "second", "replay", ...r.reasons.filter((name) => seen.has(name))]
      .map((name) => make("span", { title: wordOf(name, this.lab) }, make("i", { style: `background:${lookOf(name)[0]}` }, lookOf(name)[1]), nameOf(name))));
  }

  // footer has the window, and pictures of what is shown.
  footer() {
    const { r } = this;
    const from = make("input", { type: "number", min: 0, max: Math.max(0, r.end - 1), value: r.from }), smx = make("input", { type: "number", min: 0, max: 63, value: r.smx });
    this.told = make("span", { role: "status", class: "note" }, r.truncated ? "There was more than a recording takes: the last cycles are missing." : "");
    const file = (name) => `${r.kernel.split("(")[0]}-smx${r.smx}-cycle${this.cycle}-${name}`;
    const save = (name, part) => make("button", { type: "button", onclick: () => savePicture(part(), file(name)) }, name);
    const film = (name, part) => make("button", { type: "button", onclick: () => { this.stop(); saveFilm(part(), () => this.goOn(), file(name)); } }, name);
    return make("div", { class: "bar foot", "data-unpictured": true },
      make("span", { class: "pick" }, labelled("SMX", smx)), make("span", { class: "pick" }, labelled("from cycle", from)),
      make("button", { type: "button", onclick: () => this.window(Number(smx.value), Number(from.value)) }, "Watch there"), this.told, make("span", { class: "grow" }),
      make("span", { class: "steps", role: "group", "aria-label": "Save as SVG" }, make("span", { class: "what", "aria-hidden": "true" }, "save as SVG"),
        save("all", () => this.element), save("warps", () => this.board), save("machine", () => this.machine.drawing.parentElement), save("lanes", () => (this.lanes.hidden ? this.about : this.lanes))),
      make("span", { class: "steps", role: "group", "aria-label": "Save the next cycles as GIF" }, make("span", { class: "what", "aria-hidden": "true" }, "the next cycles as GIF"),
        film("warps", () => this.board), film("machine", () => this.machine.drawing.parentElement)));
  }

  buildBoard() {
    const { r } = this;
    this.rows = [];
    for (let s = 0; s < r.schedulers; s++) {
      const column = make("div", { class: "scheduler" }, make("h3", {}, `Scheduler ${s}`));
      for (let slot = 0; slot < r.slots; slot++) {
        if (!r.warps.some((w) => w.scheduler === s && w.slot === slot)) continue;
        const line = svg("svg", { class: "strip", viewBox: `0 0 ${strip} 8`, preserveAspectRatio: "none", "aria-hidden": "true" });
        const mark = make("span", { class: "mark", "aria-hidden": "true" }), text = make("span", { class: "op" }), spoken = make("span", { class: "spoken" });
        const row = make("button", { type: "button", class: "warp", onclick: () => { const n = this.trace.inSlot(s, slot, this.cycle); this.choose(n === this.follow ? -1 : n); } }, mark, line, text, spoken);
        column.append(row);
        this.rows.push({ s, slot, row, line, mark, text, spoken });
      }
      this.board.append(column);
    }
  }

  // window asks for another part of the launch.
  async window(smx, from) {
    this.told.textContent = "Running again …";
    try {
      this.load(await this.again({ smx, from }));
      this.draw();
      this.element.focus({ preventScroll: true });
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  // choose follows a warp, -1 for none, and asks the engine for its lanes.
  async choose(n) {
    Object.assign(this, { follow: n, history: null, life: null, asked: null });
    this.warpChoice.value = n;
    this.draw();
    if (n < 0) return;
    const w = this.r.warps[n];
    this.told.textContent = "Running again for the registers of this warp …";
    try {
      const answer = await this.again({ smx: this.r.smx, from: this.r.from, follow: { block: w.block, warp: w.index } });
      if (this.follow !== n || !this.element.isConnected) return;
      this.history = answer.lanes ? new LaneHistory(answer.lanes) : null;
      this.told.textContent = answer.lanes ? "" : "Nothing of this warp's lanes is known in the window.";
    } catch (error) {
      this.told.textContent = error.message;
    }
    this.draw();
  }

  go(to) {
    this.cycle = Math.min(this.trace.last, Math.max(this.r.from, to));
    this.asked = null;
    this.draw();
  }

  // goOn goes to the next cycle, and says whether there is one.
  goOn() {
    const before = this.cycle;
    this.go(before + 1);
    return this.cycle !== before;
  }

  // step goes to the next (1) or the previous (-1) instruction, block, or cycle with the chosen state.
  step(what, by) {
    const to = what === "instruction" ? this.trace.instruction(this.follow, this.cycle, by) : what === "block" ? this.trace.block(this.cycle, by) : this.trace.begins(this.kinds.value, this.follow, this.cycle, by);
    if (to >= 0) {
      this.told.textContent = "";
      this.go(to);
      return;
    }
    const sought = what === "kind" ? nameOf(this.kinds.value) : what === "block" ? "block that comes or leaves" : "instruction";
    this.told.textContent = `No ${by > 0 ? "further" : "earlier"} ${sought} in this window${this.follow < 0 || what === "block" ? "" : " and warp"}.`;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.playButton) this.playButton.textContent = "Play";
  }

  play() {
    this.playButton.textContent = "Pause";
    this.timer = setInterval(() => {
      if (!this.element.isConnected || this.cycle >= this.trace.last) this.stop();
      else this.go(this.cycle + 1);
    }, 1000 / Number(this.speed.value));
  }

  key(event) {
    const inList = event.target.closest("select") && /^[npsabv]$/i.test(event.key); // no entry of a list is looked for by these letters
    if (event.target.closest("select, input") && !inList || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1, PageDown: 50, PageUp: -50 }[event.key];
    const other = {
      n: () => this.step("instruction", 1), p: () => this.step("instruction", -1), b: () => this.step("block", 1), v: () => this.step("block", -1),
      s: () => this.step("kind", 1), a: () => this.step("kind", -1), Home: () => this.go(this.r.from), End: () => this.go(this.trace.last),
      " ": event.target.closest("button, [role=button]") ? null : () => (this.timer ? this.stop() : this.play()),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!by && !other) return;
    event.preventDefault();
    if (by) this.go(this.cycle + by * (event.shiftKey ? 10 : 1));
    else other();
  }

  draw() {
    const { r, trace, cycle } = this;
    this.slider.value = cycle;
    this.shown.textContent = `cycle ${number(cycle)} of ${number(r.end)}`;
    for (const row of this.rows) this.drawRow(row);
    const state = this.follow < 0 ? null : trace.state(this.follow, cycle), marked = new Set(trace.issued(cycle).map((i) => i[2]));
    [...this.code.children].forEach((line, n) => {
      line.classList.toggle("issued", marked.has(n));
      line.classList.toggle("at", n === state?.op);
    });
    if (state && state.op >= 0) {
      const line = this.code.children[state.op];
      this.code.scrollTop = line.offsetTop - this.code.clientHeight / 2;
    }
    this.lit(state && state.op >= 0 ? [r.operations[state.op]] : [...marked].map((n) => r.operations[n]));
    const access = this.follow < 0 ? null : trace.accessAt(this.follow, cycle);
    if (this.life?.access !== access) this.life = access && trace.life(access);
    this.machine.draw(cycle, this.life);
    this.drawAbout();
    this.lanes.hidden = !this.history || !state;
    if (!this.lanes.hidden) this.lanesView.draw(this.history, cycle, state.op >= 0 ? r.operations[state.op] : null);
  }

  drawRow({ s, slot, row, line, mark, text, spoken }) {
    const { r, trace, cycle } = this, n = trace.inSlot(s, slot, cycle), state = n < 0 ? null : trace.state(n, cycle), kind = state?.pair ? "second" : state?.kind;
    row.classList.toggle("followed", n >= 0 && n === this.follow);
    row.classList.toggle("empty", !state);
    mark.textContent = state ? lookOf(kind)[1] : "";
    mark.style.background = state ? lookOf(kind)[0] : "transparent";
    text.textContent = state && state.op >= 0 ? r.operations[state.op].text : "";
    spoken.textContent = state ? ` ${warpName(r.warps[n])}: ${nameOf(kind)}` : "empty slot";
    row.title = state ? `${warpName(r.warps[n])}: ${nameOf(kind)}${state.entry >= 0 ? `, for ${entryName(state.entry)}` : ""}` : "";
    this.drawStrip(line, s, slot);
  }

  // drawStrip draws what a slot's warps did in the last cycles, as spans of one kind.
  drawStrip(line, s, slot) {
    const { r, trace, cycle } = this, begin = cycle - strip + 1, spans = [];
    for (const [n, w] of r.warps.entries()) {
      if (w.scheduler !== s || w.slot !== slot || w.start > cycle || (w.end && w.end <= begin)) continue;
      for (let c = Math.max(begin, r.from, w.start); c <= cycle; c++) {
        const state = trace.state(n, c);
        if (!state) break;
        const kind = state.pair ? "second" : state.kind, before = spans.at(-1);
        if (before && before.kind === kind && before.to === c) before.to = c + 1;
        else spans.push({ kind, from: c, to: c + 1 });
      }
    }
    const full = (kind) => kind === "issue" || kind === "second";
    line.replaceChildren(...spans.map((x) => svg("rect", { x: x.from - begin, y: full(x.kind) ? 0 : 2, width: x.to - x.from, height: full(x.kind) ? 8 : 4, fill: lookOf(x.kind)[0] })));
  }

  drawAbout() {
    if (this.asked) this.drawPart();
    else if (this.follow < 0) this.drawCycle();
    else this.drawWarp();
  }

  // drawPart says what an element of the drawing is, and what makes it so on this chip.
  drawPart() {
    const [title, term, keys] = parts[this.asked];
    this.about.replaceChildren(make("h3", {}, title), make("p", {}, make("b", {}, `${term}: `), wordOf(term, this.lab)),
      make("dl", { class: "keys-of" }, keys.filter((k) => this.r.settings?.[k] !== undefined).flatMap((k) => [make("dt", {}, k), make("dd", {}, this.r.settings[k])])),
      make("button", { type: "button", onclick: () => { this.asked = null; this.drawAbout(); } }, "Back to the cycle"));
  }

  drawCycle() {
    const { r, trace, cycle } = this, all = trace.issued(cycle);
    const barriers = r.barriers.filter((b) => b[0] === cycle), blocks = r.blocks.filter((b) => b[0] === cycle || b[1] === cycle);
    this.about.replaceChildren(make("h3", {}, "This cycle"),
      all.length + barriers.length + blocks.length === 0 ? make("p", {}, "No scheduler issues.") : make("ul", {},
        blocks.map((b) => make("li", {}, `Block ${b[2]} ${b[0] === cycle ? "comes to the SMX" : "leaves the SMX"}`)),
        barriers.map((b) => make("li", {}, b[1] < 0 ? `Block ${b[2]}: all warps have come to the barrier, and go on` : `${warpName(r.warps[b[1]])} comes to a barrier`)),
        all.map((i) => {
          const w = r.warps[i[1]], o = r.operations[i[2]];
          return make("li", {}, `Scheduler ${w.scheduler}: ${warpName(w)} ${i[5] ? "pairs" : "issues"} `, make("code", {}, o.text));
        })),
      make("p", { class: "note" }, "Choose a warp to follow it and to see its lanes; choose a part of the drawing to see what it is."));
  }

  drawWarp() {
    const { r, trace, cycle, follow } = this, w = r.warps[follow], state = trace.state(follow, cycle);
    const title = make("h3", {}, `${warpName(w)[0].toUpperCase()}${warpName(w).slice(1)}`);
    if (!state) {
      this.about.replaceChildren(title, make("p", {}, cycle < w.start ? `It starts in cycle ${number(w.start)}.` : "It has ended."));
      return;
    }
    const o = r.operations[state.op], past = trace.perWarp[follow].issues, k = upTo(past, cycle) - 1;
    const facts = [["doing", { issue: state.pair ? "issues a pair" : "issues", replay: "replays a memory operation" }[state.kind] || `waits: ${nameOf(state.kind)}`]];
    if (state.entry >= 0) facts.push(["for", entryName(state.entry)]);
    if (state.until) facts.push(["until", `cycle ${number(state.until)}, ${number(state.until - cycle)} more`]);
    if (o) facts.push(["operation", o.text], ["unit", `${o.unit.replace("_", "/")}, ${o.latency} cycles`]);
    if (o?.line) facts.push(["source", `${o.file.split("/").pop()}:${o.line}`]);
    if (o?.banks?.length) facts.push(["register banks", `${o.reads.map((n, at) => `R${n} in ${o.banks[at]}`).join(", ")}${o.conflict ? `: +${o.conflict} cycles` : ""}`]);
    if (k >= 0) facts.push(["lanes on the path", laneText(past[k][3])], ["lanes that execute", laneText(past[k][4])], ["issued so far", String(k + 1)]);
    this.about.replaceChildren(title, make("dl", {}, facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
      make("p", { class: "note" }, wordOf(state.kind, this.lab)), ...(this.life ? this.journey() : []));
  }

  // journey is the way of the followed warp's last access: what it asked for, where its requests are, and when the answer comes.
  journey() {
    const { r, trace, cycle } = this, { access: a, lookups, flights, answer } = this.life;
    const to = (c, text) => make("li", { class: c <= cycle ? "past" : "" }, make("button", { type: "button", class: "link", onclick: () => { this.go(c); this.element.focus({ preventScroll: true }); this.machine.drawing.scrollIntoView({ block: "nearest" }); } }, `cycle ${number(c)}`), ` ${text}`);
    const bytes = Number(r.settings?.["l1.line"]) || 128, lines = new Set(addresses(a).filter((x) => x !== undefined).map((x) => Math.floor(x / bytes)));
    const stages = [to(a.cycle, `issues: ${r.operations[a.op].text}${a.space === "shared" ? "" : `, ${lines.size} ${lines.size === 1 ? "line" : "lines"}`}`)];
    const replay = r.replays.find((x) => x[0] === a.cycle && x[1] === a.warp);
    if (replay) stages.push(to(a.cycle + replay[3], `the last of ${replay[3]} further issue ${replay[3] === 1 ? "slot" : "slots"}`));
    for (const [n, name] of r.founds.entries()) {
      const some = lookups.filter((l) => l[5] === n);
      if (some.length) stages.push(to(some[0][0], `${some.length} ${some.length === 1 ? "line" : "lines"} in the SMX's cache: ${name}`));
    }
    if (flights.length) {
      const first = (column) => Math.min(...flights.map((f) => f[column])), last = (column) => Math.max(...flights.map((f) => f[column])), below = flights.filter((f) => f[5]);
      stages.push(to(first(1), `the first of ${flights.length} ${flights.length === 1 ? "request" : "requests"} leaves the load/store unit`), to(last(3), "the last is at its slice of L2"));
      const hits = flights.filter((f) => r.founds[f[12]] === "hit").length;
      stages.push(to(last(4), `L2 has looked all up: ${hits} hit, ${flights.length - hits} not`));
      if (below.length) stages.push(to(Math.max(...below.map((f) => f[5])), `DRAM has sent ${below.length}: ${r.rows.map((name, n) => [name, below.filter((f) => f[8] === n).length]).filter(([, n]) => n).map(([name, n]) => `${n} ${name}`).join(", ")}`));
      stages.push(to(last(6), "the last response is at the SMX"));
    }
    if (answer) stages.push(to(answer[0], a.kind === "store" ? "the store is acknowledged" : "the result can be used"));
    const order = stages.map((s, n) => [Number(s.querySelector("button").textContent.replace(/\D/g, "")), n, s]).sort((x, y) => x[0] - y[0] || x[1] - y[1]).map((x) => x[2]);
    return [make("h3", {}, `Its last access to ${a.space} memory`), make("ol", { class: "journey" }, order)];
  }
}
