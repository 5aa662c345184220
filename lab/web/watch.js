// Watch in two levels: Simple is one scene with the kernel's line lit in the editor, Full the whole SMX with the memory behind it.
import { make } from "./dom.js";
import { Player, contextOf, lineOf, scenes } from "./scene.js";
import { showView } from "./view.js";

// showWatch fills an element. run is {response, free, text, language, name, scene, lit}; free is the same run with a mechanism off, or null.
export function showWatch(element, run, lab, again) {
  const place = make("div", {});
  const buttons = ["Simple", "Full"].map((name) => make("button", { type: "button", "aria-pressed": "false", onclick: () => choose(name) }, name));
  const level = make("span", { class: "steps", role: "group", "aria-label": "How much to watch" }, make("span", { class: "what", "aria-hidden": "true" }, "watch"), buttons);
  const kinds = make("select", { "aria-label": "Scene" }, Object.entries(scenes).map(([name, s]) => make("option", { value: name }, s.title)));
  kinds.value = run.scene || "occupancy";
  element.replaceChildren(make("div", { class: "bar", "data-unpictured": true }, level, kinds), place);

  function choose(name) {
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b.textContent === name)));
    kinds.hidden = name === "Full";
    if (name === "Full") full();
    else simple();
  }

  function full() {
    run.lit([]);
    const view = make("div", { class: "view" });
    place.replaceChildren(view);
    showView(view, run.response.watched, lab, again, (operations) => run.lit(operations.map((o) => lineOf(o, run.language))));
    view.focus({ preventScroll: true });
  }

  // simple shows the scene; with a mechanism off, the run without it below, on the same clock.
  function simple() {
    const main = make("div", { class: "player" }), other = make("div", { class: "player without" });
    place.replaceChildren(main, run.free ? make("h3", {}, "With the mechanism off, at the same time") : "", run.free ? other : "");
    const second = run.free && new Player(other, kinds.value, `${run.name}-off`), what = contextOf(run.response, run.text, run.language);
    second?.show(contextOf(run.free, run.text, run.language));
    const first = new Player(main, kinds.value, run.name, (lines) => { run.lit(lines); second?.go(first?.at ?? second.at); });
    first.show(what);
    kinds.onchange = () => { second?.choose(kinds.value); first.choose(kinds.value); };
  }
  choose("Simple");
}
