// The lanes of one warp as a cycle begins: registers, predicates, the paths of its divergence, and what its scoreboard waits for.
import { entryName, lanesOf } from "./trace.js";
import { make, number } from "./dom.js";
import { svg } from "./looks.js";

const buffer = new DataView(new ArrayBuffer(4));

// floatsOf are the registers that some operation of the kernel computes with as floats.
const floatsOf = (r) => new Set(r.operations.filter((o) => /^(F[A-Z]|MUFU|RRO)/.test(o.text)).flatMap((o) => [...(o.reads || []), ...(o.writes || [])]));

// floating says whether 32 bits are 0 or the float of a size that programs have: registers hold integers at other times.
const floating = (v) => v === 0 || ((v >>> 23 & 255) > 80 && (v >>> 23 & 255) < 190);

// forms are how a register's 32 bits can be read; by its use is as a float where the kernel computes with it so.
const forms = {
  "by use": (v) => String(v | 0),
  integer: (v) => String(v | 0),
  float: (v) => {
    buffer.setUint32(0, v);
    const x = buffer.getFloat32(0);
    return Number.isFinite(x) ? String(Number(x.toPrecision(5))) : String(x);
  },
  hex: (v) => "0x" + v.toString(16).padStart(8, "0"),
};

// squares draws 32 lanes, those of a mask filled.
export function squares(mask, label) {
  const drawing = svg("svg", { class: "squares", viewBox: "0 0 262 10", role: "img", "aria-label": `${label}: ${lanesOf(mask)} of 32` });
  for (let lane = 0; lane < 32; lane++) {
    drawing.append(svg("rect", { x: lane * 8 + 2 * Math.floor(lane / 8), y: 1, width: 7, height: 8, rx: 1, class: mask >>> lane & 1 ? "in" : "out" }));
  }
  return drawing;
}

// step is the distance of neighbouring lanes where all have the same, null where they do not.
function step(values) {
  const d = (values[1] - values[0]) | 0;
  for (let i = 2; i < values.length; i++) if (((values[i] - values[i - 1]) | 0) !== d) return null;
  return d;
}

// LanesView shows a LaneHistory in an element.
export class LanesView {
  constructor(element, r) {
    this.r = r;
    this.floats = floatsOf(r);
    this.form = make("select", { "aria-label": "Registers as" }, Object.keys(forms).map((f) => make("option", { value: f }, f)));
    this.form.addEventListener("change", () => this.redraw());
    this.all = make("input", { type: "checkbox" });
    this.all.addEventListener("change", () => this.redraw());
    this.title = make("h3", {});
    this.stack = make("div", { class: "stack" });
    this.predicates = make("div", { class: "predicates" });
    this.table = make("div", { class: "registers", tabindex: "0", role: "region", "aria-label": "Registers, lane by lane" });
    element.replaceChildren(
      make("div", { class: "lanes-head" }, this.title, make("label", {}, "as ", this.form), make("label", {}, this.all, " every lane apart")),
      make("div", { class: "lanes-columns" },
        make("div", {}, make("h4", {}, "Paths of the warp (divergence stack)"), this.stack),
        make("div", {}, make("h4", {}, "Predicates"), this.predicates)),
      make("h4", {}, "Registers"), this.table);
    this.shown = null;
  }

  redraw() { if (this.shown) this.draw(...this.shown); }

  // draw shows the lanes as a cycle begins; op is what the warp issues or waits to issue, null for none.
  draw(history, cycle, op) {
    this.shown = [history, cycle, op];
    const now = history.at(cycle), { block, warp } = history.lanes;
    this.title.textContent = `Lanes of block ${block}, warp ${warp}, as cycle ${number(cycle)} begins`;
    if (!now) {
      this.stack.replaceChildren(make("p", { class: "note" }, `Nothing is known before cycle ${number(history.begin)}: the warp was not on the SMX, or nothing happened there.`));
      this.predicates.replaceChildren();
      this.table.replaceChildren();
      return;
    }
    this.drawStack(now);
    const set = now.predicates.map((mask, n) => [mask, n]).filter(([mask, n]) => mask || op?.text.includes(`P${n}`));
    this.predicates.replaceChildren(...(set.length ? set.map(([mask, n]) => make("div", { class: "mask" }, make("b", {}, `P${n}`), squares(mask, `lanes where P${n} is true`))) : [make("p", { class: "note" }, "No predicate is true in any lane.")]));
    this.drawRegisters(now, op);
  }

  drawStack(now) {
    const place = (n) => (n < 0 ? "nowhere" : `${n}  ${this.r.operations[n]?.text ?? ""}`);
    this.stack.replaceChildren(...now.paths.map(([at, meet, lanes, depth], n) => make("div", { class: n === 0 ? "path runs" : "path" },
      make("div", { class: "mask" }, make("b", {}, n === 0 ? "runs" : "waits"), squares(lanes >>> 0, "lanes of this path")),
      make("code", {}, at < 0 ? "until its lanes have ended" : place(at)),
      make("small", {}, `${meet < 0 ? "meets nobody" : `meets the others at ${meet}`}${depth ? `, in ${depth} ${depth === 1 ? "call" : "calls"}` : ""}`))));
  }

  drawRegisters(now, op) {
    const pending = new Map(now.pending.map((p) => [p[0], p]));
    const rows = [...now.registers.keys()].sort((a, b) => a - b).map((n) => {
      const value = now.registers.get(n), float = this.form.value === "by use" && this.floats.has(n) && [value].flat().every(floating), show = forms[float ? "float" : this.form.value], wait = pending.get(n), name = make("th", { scope: "row" }, entryName(n));
      const use = [op?.reads?.includes(n) && "read", op?.writes?.includes(n) && "written"].filter(Boolean).join(", ");
      const note = make("td", { class: "use" }, wait ? `waits: ${this.r.reasons[wait[2]].replaceAll("_", " ")}${wait[1] < 0 ? "" : `, until cycle ${number(wait[1])}`}` : use);
      let cells;
      if (this.all.checked) cells = Array.from({ length: 32 }, (_, lane) => make("td", {}, show(Array.isArray(value) ? value[lane] : value)));
      else if (!Array.isArray(value)) cells = [make("td", { class: "alike" }, `${show(value)} in all lanes`)];
      else if (!float && step(value) !== null) cells = [make("td", { class: "alike" }, `${show(value[0])}, ${show(value[1])} … ${show(value[31])}: ${step(value) >= 0 ? "+" : "−"}${number(Math.abs(step(value)))} a lane`)];
      else cells = [make("td", { class: "alike" }, value.slice(0, 4).map(show).join(", ") + " … " + show(value[31]))];
      return make("tr", { class: `${wait ? "waits " : ""}${now.changed.has(n) ? "changed " : ""}${use ? "used" : ""}` }, name, note, cells);
    });
    const head = this.all.checked ? make("tr", {}, make("th", {}, "register"), make("th", {}, "scoreboard, use"), Array.from({ length: 32 }, (_, lane) => make("th", { scope: "col" }, String(lane)))) :
      make("tr", {}, make("th", { scope: "col" }, "register"), make("th", { scope: "col" }, "scoreboard, use"), make("th", { scope: "col" }, "lanes"));
    this.table.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, rows)));
  }
}
