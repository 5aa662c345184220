// A cell: a kernel in an editor, what it runs on, and what came of it.
import { createEditor } from "./editor.js";
import { labelled, make, number } from "./dom.js";
import { kernelOf, ptxOf } from "./engine.js";
import { figures } from "./figures.js";
import { savePicture } from "./picture.js";
import { makeKnobs } from "./knobs.js";
import { pack } from "./share.js";
import { keep, kept, show } from "./store.js";
import { showWatch } from "./watch.js";

// watchedCycles is how much of a launch can be watched at a time.
const watchedCycles = 6000;

const languages = { cuda: "CUDA C", ptx: "PTX", scheduler: "Scheduler" };

// passTab lets Tab go on through an editor that the keyboard came to, until something else is done there: then Tab indents.
function passTab(place) {
  let used = false;
  place.addEventListener("focusin", () => { used = false; });
  place.addEventListener("click", () => { used = true; });
  place.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && !used) event.stopPropagation();
    else if (event.key !== "Shift") used = true;
  }, true);
}

// makeCell fills an element with a cell. spec is {name, language, text, ptx, workload}, with keep, the address of the cell, under which edits
// are kept and with which links begin, the scene that Watch begins with, and begun, which hears of each run; lab is {content, engine}.
export function makeCell(element, spec, lab) {
  const { content, engine } = lab, before = kept(spec.keep);
  const link = spec.link === undefined ? before : spec.link; // what a link brings goes before what was kept
  let language = link?.language ?? spec.language, original = link?.language === spec.language ? link.text : spec.text, saving = null;
  const place = make("div", { class: "code" });
  const changed = () => {
    clearTimeout(saving);
    saving = setTimeout(() => keep(spec.keep, editor.text() === spec.text && workload.value === spec.workload ? null : { language, text: editor.text(), workload: workload.value }), 200);
  };
  const editor = createEditor(place, { text: link?.text ?? spec.text, language, label: `Kernel ${spec.name}`, run: () => run(), changed });

  const chip = make("select", {}, make("option", { value: "" }, "the lesson's chip"), content.chips.map((c) => make("option", { value: c }, c)));
  const kind = make("select", { "aria-label": "Language" }, Object.entries(languages).filter(([name]) => name === spec.language || (name === "ptx" && spec.language === "cuda")).map(([value, name]) => make("option", { value }, name)));
  kind.value = language;
  const off = make("select", { class: "off", "aria-label": "What if one limit were gone?" }, make("option", { value: "" }, "what if …?"),
    content.knobs.filter((k) => k.key.startsWith("ideal.")).map((k) => make("option", { value: k.key }, k.title)));
  kind.addEventListener("change", () => change(kind.value));
  const runButton = make("button", { class: "primary", type: "button", onclick: () => run() }, "Run");
  const watchButton = make("button", { type: "button", onclick: () => watch() }, "Watch");
  const checkButton = make("button", { type: "button", onclick: () => run({ check: true }) }, "Check for races");
  const resetButton = make("button", { type: "button", onclick: () => reset() }, "Start again");
  const linkButton = make("button", { type: "button", onclick: () => share() }, "Copy link");
  const workload = make("textarea", { rows: Math.min(14, spec.workload.split("\n").length + 1), spellcheck: "false" });
  workload.value = link?.workload ?? spec.workload;
  const chipOf = () => chip.value || workload.value.match(/^\s*config:\s*([\w-]+)/m)?.[1] || "gk110";
  const knobs = makeKnobs(content, chipOf, link?.set);
  chip.addEventListener("change", () => knobs.refresh());
  workload.addEventListener("change", () => { knobs.refresh(); changed(); });
  const settings = make("div", { class: "settings" },
    labelled("Chip", chip), knobs.element,
    labelled("Any key, as KEY=VALUE, one a line", make("textarea", { rows: 2, class: "keys", spellcheck: "false" })),
    labelled("What the host does: the workload file", workload));
  const out = make("div", { class: "out", "aria-live": "polite" });
  passTab(place);
  element.replaceChildren(
    make("div", { class: "bar" }, make("h2", { class: "name" }, spec.title || spec.name), kind, off, make("span", { class: "grow" }), checkButton, watchButton, runButton),
    place, make("div", { class: "under" }, make("details", {}, make("summary", {}, "Chip and launch"), settings), make("p", { class: "note keys" }, "Ctrl+Enter runs, Esc and Tab leaves"), linkButton, resetButton), out);

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
    if (language !== "cuda") return text;
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
    mark(message, place);
  }

  // mark marks the line of an error, if it is a line of what the editor holds.
  function mark(message, place) {
    const mine = { cuda: "kernel.cu", ptx: "kernel.ptx", scheduler: place?.file }[language];
    editor.setErrors(place?.line && (place.file || mine) === mine ? [{ line: place.line, column: place.column, message }] : []);
  }

  const kernel = kernelOf(spec), fixed = kernel !== spec; // then what the editor holds is a scheduler

  // request is what the cell runs, null where it does not compile.
  async function request(more = {}) {
    const ptx = await translated();
    if (ptx === null) return null;
    const keys = element.querySelector(".keys").value.split("\n").map((l) => l.trim()).filter(Boolean);
    return {
      files: { "kernel.ptx": fixed ? await ptxOf(engine, kernel) : ptx, "workload.yaml": workload.value }, run: "workload.yaml", config: chip.value,
      set: [...knobs.overrides(), ...keys], scheduler: fixed ? ptx : "", power: spec.power, ...more,
    };
  }

  // busy runs work with the buttons off and a word for who waits.
  async function busy(work) {
    const buttons = element.querySelectorAll("button"), focused = document.activeElement; // a button that is off loses the keyboard
    buttons.forEach((b) => { b.disabled = true; });
    element.setAttribute("aria-busy", "true");
    out.replaceChildren(make("p", { class: "verdict" }, "Running …"));
    editor.setErrors([]);
    spec.begun?.();
    try {
      await work();
    } catch (error) {
      fail(error.message);
    } finally {
      buttons.forEach((b) => { b.disabled = false; });
      if (document.activeElement === document.body) focused.focus({ preventScroll: true });
      element.removeAttribute("aria-busy");
    }
  }

  const run = (more = {}) => busy(async () => {
    const q = await request(more);
    if (!q) return;
    const [r, free] = await withOff(q);
    if (r.error && !r.report) {
      fail(r.error, r);
      return;
    }
    tell(r, free, q.check);
    show(out);
  });

  // withOff runs a request, and, where a mechanism is turned off, once more without it.
  const withOff = async (q) => [await engine.run(q), off.value && !q.check ? await engine.run({ ...q, set: [...q.set, `${off.value}=true`] }) : null];

  // watch shows the first launch's first cycles on SMX 0; the view asks for other windows and warps of the same run.
  const watch = () => busy(async () => {
    const q = await request({ watch: { smx: 0, from: 0, cycles: watchedCycles } });
    if (!q) return;
    const [r, free] = await withOff(q);
    if (r.error && !r.watched) {
      fail(r.error, r);
      return;
    }
    const place = make("div", { class: "watch" });
    out.replaceChildren(verdict(r), place);
    showWatch(place, { response: r, free: free?.watched ? free : null, text: fixed ? kernel.text : editor.text(), language: fixed ? kernel.language : language, name: spec.name, scene: spec.scene, lit: (lines) => fixed || editor.light(lines) }, lab, async (part) => {
      const other = await engine.run({ ...q, watch: { cycles: watchedCycles, ...part } });
      if (!other.watched) throw new Error(other.error || "Nothing was recorded.");
      return other.watched;
    });
    show(out);
  });

  function verdict(r) {
    const judged = r.error ? make("span", { class: "bad" }, r.error) : r.wrong ? make("span", { class: "bad" }, "✗ wrong result") : make("span", { class: "good" }, r.report.checks?.length ? "✓ result as expected" : "✓ ran");
    const kernels = (r.report?.kernels || []).filter((k) => !k.functional).slice(0, 4).map((k) => make("span", {}, make("b", {}, k.name.split("(")[0]), `: ${number(k.kernel_cycles)} kernel cycles`));
    return make("div", { class: "verdict" }, judged, kernels);
  }

  function tell(r, free, checked) {
    const parts = [verdict(r)];
    if (checked) parts.push(make("div", { class: "verdict" }, r.findings ? make("span", { class: "bad" }, `✗ ${r.findings.length} mistakes`) : make("span", { class: "good" }, "✓ no races, no unset shared memory")));
    for (const text of r.wrong || []) parts.push(make("p", { class: "error" }, text));
    const report = make("pre", { class: "report", tabindex: "0", "aria-label": "Report" }, r.text);
    const whole = make("details", { open: kept("report") }, make("summary", {}, "Report"), report,
      make("div", { class: "bar foot" }, make("span", { class: "grow" }), make("button", { type: "button", onclick: () => savePicture(report, `${spec.name}-report`) }, "Save as SVG")));
    whole.addEventListener("toggle", () => keep("report", whole.open || null));
    parts.push(figures(r.report, free?.report, free && content.knobs.find((k) => k.key === off.value).title), whole);
    out.replaceChildren(...parts);
  }

  function reset() {
    language = spec.language;
    kind.value = language;
    editor.setLanguage(language);
    editor.setText(spec.text);
    workload.value = spec.workload;
    element.querySelector(".keys").value = "";
    chip.value = off.value = "";
    knobs.reset();
    changed();
    out.replaceChildren();
    editor.setErrors([]);
  }

  async function share() {
    const ptx = language === "ptx" ? undefined : await translated();
    if (ptx === null) return;
    const text = await pack({ language, text: editor.text(), ptx, workload: workload.value, config: chip.value, set: knobs.turned(), keys: element.querySelector(".keys").value });
    history.replaceState(null, "", `#${spec.keep}&code=${text}`);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    linkButton.textContent = "Link copied";
    setTimeout(() => { linkButton.textContent = "Copy link"; }, 2000);
  }

  // fill puts a text of a language into the editor.
  editor.fill = (name, text) => {
    language = kind.value = name;
    editor.setLanguage(name);
    editor.setText(text);
  };
  place.editor = editor;
  chip.value = link?.config ?? "";
  element.querySelector(".keys").value = link?.keys ?? "";
  knobs.refresh();
  return { translated, out, mark, busy };
}
