// A cell: a kernel in an editor, what it runs on, and what came of it.
import { createEditor } from "./editor.js";
import { labelled, make, number } from "./dom.js";
import { savePicture } from "./picture.js";
import { makeKnobs } from "./knobs.js";
import { pack } from "./share.js";
import { showView } from "./view.js";

// watchedCycles is how much of a launch can be watched at a time.
const watchedCycles = 6000;

// makeCell fills an element with a cell. spec is {name, language, text, ptx, workload}; lab is {content, engine}.
export function makeCell(element, spec, lab) {
  const { content, engine } = lab;
  let language = spec.language, original = spec.text;
  const place = make("div", { class: "code" });
  const editor = createEditor(place, { text: spec.text, language, label: `Kernel ${spec.name}`, run: () => run() });

  const chip = make("select", { "aria-label": "Chip" }, make("option", { value: "" }, "the lesson's chip"), content.chips.map((c) => make("option", { value: c }, c)));
  const kind = make("select", { "aria-label": "Language" }, spec.language === "cuda" && make("option", { value: "cuda" }, "CUDA C"), make("option", { value: "ptx" }, "PTX"));
  kind.value = language;
  kind.addEventListener("change", () => change(kind.value));
  const runButton = make("button", { class: "primary", type: "button", onclick: () => run() }, "Run");
  const watchButton = make("button", { type: "button", onclick: () => watch() }, "Watch");
  const checkButton = make("button", { type: "button", onclick: () => run({ check: true }) }, "Check for races");
  const resetButton = make("button", { type: "button", onclick: () => reset() }, "Start again");
  const linkButton = make("button", { type: "button", onclick: () => share() }, "Link");
  const workload = make("textarea", { rows: Math.min(14, spec.workload.split("\n").length + 1), spellcheck: "false" });
  workload.value = spec.workload;
  const chipOf = () => chip.value || workload.value.match(/^\s*config:\s*([\w-]+)/m)?.[1] || "gk110";
  const knobs = makeKnobs(content, chipOf, spec.set);
  chip.addEventListener("change", () => knobs.refresh());
  workload.addEventListener("change", () => knobs.refresh());
  const settings = make("div", { class: "settings" },
    knobs.element,
    labelled("Any key, as KEY=VALUE, one a line", make("textarea", { rows: 2, class: "keys", spellcheck: "false" })),
    labelled("What the host does: the workload file", workload));
  const out = make("div", { class: "out", "aria-live": "polite" });
  element.replaceChildren(
    make("div", { class: "bar" }, make("h2", { class: "name" }, spec.title || spec.name), kind, chip, make("span", { class: "grow" }), runButton, watchButton, checkButton, linkButton, resetButton),
    place, make("details", {}, make("summary", {}, "Chip and launch"), settings), out);

  // change shows the kernel as CUDA C or as the PTX that it becomes.
  async function change(to) {
    if (to === language) return;
    if (to === "ptx") {
      const ptx = await translated();
      if (ptx === null) {
        kind.value = language;
        return;
      }
      original = editor.text();
      language = "ptx";
      editor.setText(ptx);
    } else {
      language = "cuda";
      editor.setText(original);
    }
    editor.setLanguage(language);
  }

  // translated is the PTX of what the editor holds, null where there is none; then the reason stands below.
  async function translated() {
    const text = editor.text();
    if (language === "ptx") return text;
    if (text === spec.text && spec.ptx) return spec.ptx;
    const answer = await engine.compile(text);
    if (answer.error) {
      fail(answer.error, answer);
      return null;
    }
    return answer.ptx;
  }

  function fail(message, place) {
    out.replaceChildren(make("p", { class: "error", role: "alert" }, message));
    editor.setErrors(place?.line && (!place.file || place.file.startsWith("kernel")) ? [{ line: place.line, column: place.column, message }] : []);
  }

  // request is what the cell runs, null where it does not compile.
  async function request(more = {}) {
    const ptx = await translated();
    if (ptx === null) return null;
    const keys = element.querySelector(".keys").value.split("\n").map((l) => l.trim()).filter(Boolean);
    return {
      files: { "kernel.ptx": ptx, "workload.yaml": workload.value }, run: "workload.yaml", config: chip.value,
      set: [...knobs.overrides(), ...keys], ...more,
    };
  }

  // busy runs work with the buttons off and a word for who waits.
  async function busy(work) {
    const buttons = element.querySelectorAll("button");
    buttons.forEach((b) => { b.disabled = true; });
    element.setAttribute("aria-busy", "true");
    out.replaceChildren(make("p", { class: "verdict" }, "Running …"));
    editor.setErrors([]);
    try {
      await work();
    } catch (error) {
      fail(error.message);
    } finally {
      buttons.forEach((b) => { b.disabled = false; });
      element.removeAttribute("aria-busy");
    }
  }

  const run = (more) => busy(async () => {
    const q = await request(more);
    if (!q) return;
    const r = await engine.run(q);
    if (r.error && !r.report) {
      fail(r.error, r);
      return;
    }
    show(r, q.check);
  });

  // watch shows the first launch's first cycles on SMX 0; the view asks for other windows and warps of the same run.
  const watch = () => busy(async () => {
    const q = await request({ watch: { smx: 0, from: 0, cycles: watchedCycles } });
    if (!q) return;
    const r = await engine.run(q);
    if (r.error && !r.watched) {
      fail(r.error, r);
      return;
    }
    const place = make("div", { class: "view" });
    out.replaceChildren(verdict(r), place);
    showView(place, r.watched, lab, async (part) => {
      const other = await engine.run({ ...q, watch: { cycles: watchedCycles, ...part } });
      if (!other.watched) throw new Error(other.error || "Nothing was recorded.");
      return other.watched;
    });
    place.focus({ preventScroll: true });
  });

  function verdict(r) {
    const all = r.report ? r.report.kernels : [], facts = [];
    for (const k of all.slice(0, 4)) {
      facts.push(make("span", {}, make("b", {}, k.name.split("(")[0]), k.functional ? "" : `: ${number(k.kernel_cycles)} kernel cycles, occupancy ${Math.round(100 * k.metrics.achieved_occupancy)} %, ipc ${number(k.metrics.ipc)}`));
    }
    const judged = r.error ? make("span", { class: "bad" }, r.error) : r.wrong ? make("span", { class: "bad" }, "✗ wrong result") : make("span", { class: "good" }, r.report.checks?.length ? "✓ result as expected" : "✓ ran");
    return make("div", { class: "verdict" }, judged, facts);
  }

  function show(r, checked) {
    const parts = [verdict(r)];
    if (checked) parts.push(make("div", { class: "verdict" }, r.findings ? make("span", { class: "bad" }, `✗ ${r.findings.length} mistakes`) : make("span", { class: "good" }, "✓ no races, no unset shared memory")));
    for (const text of r.wrong || []) parts.push(make("p", { class: "error" }, text));
    const report = make("pre", { tabindex: "0", "aria-label": "Report" }, r.text);
    parts.push(report, make("div", { class: "bar foot" }, make("span", { class: "grow" }), make("button", { type: "button", onclick: () => savePicture(report, `${spec.name}-report`) }, "Save as SVG")));
    out.replaceChildren(...parts);
  }

  function reset() {
    language = spec.language;
    kind.value = language;
    editor.setLanguage(language);
    editor.setText(spec.text);
    workload.value = spec.workload;
    element.querySelector(".keys").value = "";
    chip.value = "";
    knobs.reset();
    out.replaceChildren();
    editor.setErrors([]);
  }

  async function share() {
    const ptx = language === "ptx" ? undefined : await translated();
    if (ptx === null) return;
    const text = await pack({ language, text: editor.text(), ptx, workload: workload.value, config: chip.value, set: knobs.turned(), keys: element.querySelector(".keys").value });
    location.hash = `code=${text}`;
    await navigator.clipboard?.writeText(location.href).catch(() => {});
  }

  // fill puts a text of a language into the editor.
  editor.fill = (name, text) => {
    language = kind.value = name;
    editor.setLanguage(name);
    editor.setText(text);
  };
  place.editor = editor;
  if (spec.config) chip.value = spec.config;
  if (spec.keys) element.querySelector(".keys").value = spec.keys;
  knobs.refresh();
  return { translated, out, fail, busy };
}
