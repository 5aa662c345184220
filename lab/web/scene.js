// The player of scenes: one drawing, a handle, and the moment that is shown. In a lesson it runs its cell by itself; Watch plays a run that is there.
import { labelled, make, number } from "./dom.js";
import { kernelOf, ptxOf } from "./engine.js";
import { svg } from "./looks.js";
import { saveFilm, savePicture } from "./picture.js";
import { scenes } from "./scenes.js";
import { Trace } from "./trace.js";

export { scenes };

// lineOf is the line of the kernel's text that an operation comes from, 0 where it comes from none.
export const lineOf = (o, language) => (language === "ptx" ? o.ptx_line : /kernel\.cu$/.test(o.file || "") ? o.line : 0) || 0;

// contextOf is what scenes draw of: a response with a recording, and the kernel's text that its lines are of.
export function contextOf(response, text, language) {
  const lines = text.split("\n");
  const source = (o) => {
    const n = lineOf(o, language), line = lines[n - 1]?.trim();
    return line === "{" ? `${lines.slice(0, n - 1).join(" ").match(/(\w+)\s*\([^(]*$/)?.[1]}(…) begins` : line;
  };
  return { trace: new Trace(response.watched), r: response.watched, report: response.report, language, source };
}

// Player shows one scene; lit hears of the kernel's lines that issue at the moment that is shown.
export class Player {
  constructor(element, kind, name, lit) {
    Object.assign(this, { element, name, lit, timer: null, drawn: null });
    const button = (text, label, action) => make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    this.play = make("button", { type: "button", onclick: () => (this.timer ? this.stop() : this.start()) }, "Play");
    this.slider = make("input", { type: "range", "aria-label": "Moment", oninput: () => { this.stop(); this.go(Number(this.slider.value)); } });
    this.shown = make("output", { class: "cycle" });
    this.title = make("p", { class: "title" });
    this.drawing = make("div", { class: "drawing" });
    this.words = make("p", { class: "words" });
    element.replaceChildren(
      make("div", { class: "steer", "data-unpictured": true }, button("◀", "The moment before", () => this.step(-1)), this.play, button("▶", "The next moment", () => this.step(1)), this.slider, this.shown,
        button("SVG", "Save this picture as SVG", () => savePicture(this.stage, `${this.name}-${this.kind}`)),
        button("GIF", "Save this moment and the next ones as a moving GIF", () => { this.stop(); saveFilm(this.stage, () => this.step(1), `${this.name}-${this.kind}`); })),
      this.stage = make("div", { class: "stage" }, this.title, this.drawing, this.words));
    this.choose(kind);
    new ResizeObserver(() => { if (this.what && this.width() !== this.drawn) this.draw(); }).observe(element);
  }

  choose(kind) {
    this.kind = kind;
    this.scene = scenes[kind];
    this.title.textContent = this.scene.title;
    if (this.what) this.show(this.what);
  }

  // show plays a recording, from the scene's first moment.
  show(what) {
    const [from, to] = this.scene.span?.(what) ?? [what.r.from, Math.max(what.r.from, Math.min(what.r.to, what.r.end) - 1)];
    this.what = what;
    Object.assign(this.slider, { min: from, max: to });
    this.moments = this.scene.moments(what);
    this.go(this.scene.begin(what));
  }

  go(at) {
    this.at = Math.min(Number(this.slider.max), Math.max(Number(this.slider.min), at));
    this.slider.value = this.at;
    this.draw();
  }

  // step goes to the next (1) or the previous (-1) moment, and says whether there was one.
  step(by) {
    this.stop();
    const before = this.at;
    const next = by > 0 ? this.next() : this.moments.findLast((c) => c < this.at);
    this.go(next ?? (this.scene.playsMoments ? this.at : this.at + by * (this.scene.step || 1)));
    return this.at !== before;
  }

  // next is the next moment, undefined behind the last.
  next() { return this.moments.find((c) => c > this.at); }

  start() {
    this.play.textContent = "Pause";
    const by = this.scene.step || Math.max(1, Math.round((this.slider.max - this.slider.min) / 100));
    const next = () => (this.scene.playsMoments ? this.next() : this.at < Number(this.slider.max) ? this.at + by : undefined);
    if (next() === undefined) this.go(this.scene.playsMoments ? this.moments[0] : Number(this.slider.min));
    this.timer = setInterval(() => {
      const to = next();
      if (!this.element.isConnected || to === undefined) this.stop();
      else this.go(to);
    }, 120);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  width() { return Math.min(1100, Math.max(320, this.drawing.clientWidth)); }

  draw() {
    const w = this.drawn = this.width(), { high, marks, words } = this.scene.draw(this.what, this.at, w);
    this.drawing.replaceChildren(svg("svg", { viewBox: `0 0 ${w} ${high}`, role: "img", "aria-label": `${this.scene.title}. ${words}` }, marks));
    this.words.textContent = words;
    this.shown.textContent = this.scene.unit ? `${number(this.at)} ${this.scene.unit}` : `cycle ${number(this.at)}`;
    this.lit?.(this.scene.span ? [] : this.what.trace.issued(this.at).map((i) => lineOf(this.what.r.operations[i[2]], this.what.language)));
  }
}

// turnedTo puts a value into the last number of a piece of a text, wherever the text has the piece.
const turnedTo = (text, piece, value) => (piece ? text.replaceAll(piece, piece.replace(/\d+(?=\D*$)/, value)) : text);

// unpacked reads a file of JSON that gzip has packed.
async function unpacked(name) {
  const packed = await fetch(name);
  if (!packed.ok) throw new Error(`the recording could not be loaded: ${packed.status} ${packed.statusText}`);
  return new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).json();
}

// showScene fills an element with a scene of a lesson: {kind, cell, handle, values, start, change, set, look, cycles, recorded}, drawn from runs of the cell.
export function showScene(element, spec, cell, lab) {
  const place = make("div", { class: "player" }), runs = new Map(), values = spec.values || [""], begin = spec.start ?? values[0];
  const player = new Player(place, spec.kind, cell.name);
  const told = make("p", { class: "note", role: "status" }, "The picture is drawn when it comes into sight.");
  const shown = make("output", {}), handle = make("input", { type: "range", min: 0, max: values.length - 1, value: Math.max(0, values.indexOf(begin)) });
  element.replaceChildren(make("p", { class: "look" }, (spec.look || "").split("`").map((words, n) => (n % 2 ? make("code", {}, words) : words))), spec.handle ? make("div", { class: "handle" }, labelled(spec.handle, handle), shown) : "", told, place);
  place.hidden = true;

  // recordingOf runs the cell with the handle at a value, once for each; where the handle is first, the site may have that run.
  async function recordingOf(value) {
    if (spec.recorded && value === begin) return contextOf(await unpacked(spec.recorded), kernelOf(cell).text, kernelOf(cell).language);
    const workload = turnedTo(cell.workload, spec.change, value);
    let kernel = kernelOf(cell);
    const text = turnedTo(kernel.text, spec.change, value);
    if (text !== kernel.text) kernel = { text, language: kernel.language };
    const ptx = await ptxOf(lab.engine, kernel);
    const r = await lab.engine.run({ files: { "kernel.ptx": ptx, "workload.yaml": workload }, run: "workload.yaml", set: spec.set ? [`${spec.set}=${value}`] : [], watch: { smx: 0, from: 0, cycles: spec.cycles } });
    if (!r.watched) throw new Error(r.error || "Nothing was recorded.");
    return contextOf(r, text, kernel.language);
  }

  async function turn() {
    const value = values[Number(handle.value)];
    shown.textContent = value;
    handle.setAttribute("aria-valuetext", value);
    told.textContent = "Running …";
    place.classList.add("old");
    try {
      if (!runs.has(value)) runs.set(value, recordingOf(value));
      const what = await runs.get(value);
      if (values[Number(handle.value)] !== value) return; // it was turned on meanwhile
      place.classList.remove("old");
      told.textContent = spec.recorded && value === begin ? "Recorded when this site was made. Move the handle, and the run is simulated here." : "";
      place.hidden = false;
      player.stop();
      player.show(what);
    } catch (error) {
      runs.delete(value);
      told.textContent = `There is no picture: ${error.message}`;
    }
  }
  handle.addEventListener("input", turn);
  shown.textContent = values[Number(handle.value)];
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    seen.disconnect();
    turn();
  });
  seen.observe(element);
}
