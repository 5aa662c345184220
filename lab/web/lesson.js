// A lesson: its text, with cells and exercises made live.
import { makeCell } from "./cell.js";
import { make } from "./dom.js";
import { showScene } from "./scene.js";
import { keep, kept, show } from "./store.js";

// fromServer makes elements of the HTML that the lab itself made of a lesson, which has no markup of the lesson's author.
function fromServer(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}

// solved is how many of a lesson's exercises are.
export const solved = (lesson) => lesson.exercises.filter((e) => kept(`solved ${lesson.slug}/${e.name}`)).length;

// specOf is what a lesson's cell is made of, by itself or as an exercise. link is what a link brings to it, undefined for nothing.
function specOf(lesson, cell, exercise, link) {
  const place = `lesson=${lesson.slug}&${exercise ? `exercise=${exercise}` : `cell=${cell.name}`}`;
  return { ...cell, keep: place, link, power: lesson.exercises.some((e) => e.bounds?.some((b) => b.metric === "energy_uj")), scene: lesson.scenes?.find((s) => s.cell === cell.name)?.kind ?? lesson.scenes?.[0]?.kind, ...(exercise && { title: "Answer" }) };
}

// showOne fills an element with one cell or one scene of a lesson, for a slide.
export function showOne(element, lesson, cell, scene, lab) {
  const place = make("section", { class: scene ? "scene" : "cell" });
  element.replaceChildren(place);
  if (scene) showScene(place, scene, lesson.cells.find((c) => c.name === scene.cell), lab);
  else makeCell(place, specOf(lesson, cell), lab);
}

// showLesson fills an element with a lesson; at is what the address says of it besides, with the text of a link as link.
export function showLesson(element, lesson, lab, at = {}) {
  const number = lab.content.lessons.indexOf(lesson), next = lab.content.lessons[number + 1];
  element.replaceChildren(
    make("p", { class: "note" }, `Lesson ${number + 1} of ${lab.content.lessons.length}, about ${lesson.minutes} minutes${lesson.claim ? `. It shows what section ${lesson.claim} of NVIDIA's Kepler Tuning Guide says.` : ""}`),
    make("h1", {}, lesson.title), make("p", { class: "lede" }, lesson.summary), ...fromServer(lesson.html),
    lesson.today ? make("p", { class: "today" }, make("b", {}, "On today's GPUs: "), lesson.today) : "",
    make("p", {}, next ? make("a", { href: `#lesson=${next.slug}` }, `Next: ${next.title}`) : make("a", { href: "#" }, "All lessons")));
  for (const place of element.querySelectorAll("section.cell")) {
    const { cell } = place.dataset;
    makeCell(place, specOf(lesson, lesson.cells.find((c) => c.name === cell), "", at.cell === cell ? at.link : undefined), lab);
    if (at.link && at.cell === cell) setTimeout(() => place.scrollIntoView());
  }
  for (const place of element.querySelectorAll("section.scene")) {
    const scene = lesson.scenes[place.dataset.scene];
    showScene(place, scene, lesson.cells.find((c) => c.name === scene.cell), lab);
  }
  for (const place of element.querySelectorAll("section.exercise")) {
    const { exercise } = place.dataset;
    makeExercise(place, lesson, lesson.exercises.find((e) => e.name === exercise), at.exercise === exercise ? at.link : undefined, lab);
    if (at.link && at.exercise === exercise) setTimeout(() => place.scrollIntoView());
  }
}

// makeExercise fills an element with an exercise: its task, a cell to change, hints one by one, the answer, and the checks.
function makeExercise(element, lesson, exercise, link, lab) {
  const cell = lesson.cells.find((c) => c.name === exercise.cell);
  const work = make("div"), result = make("div", { class: "out result", "aria-live": "polite" });
  const live = makeCell(work, { ...specOf(lesson, cell, exercise.name, link), begun: () => result.replaceChildren() }, lab);
  const check = () => live.busy(async () => {
    const ptx = await live.translated();
    if (ptx === null) return;
    const grade = await lab.engine.grade({ cell, exercise, ptx });
    live.out.replaceChildren();
    if (grade.error) live.mark(grade.error, grade);
    if (grade.passed) keep(`solved ${lesson.slug}/${exercise.name}`, true);
    result.replaceChildren(
      make("p", { class: `verdict ${grade.passed ? "good" : "bad"}` }, grade.passed ? "✓ Solved" : "✗ Not yet"),
      make("ul", { class: "checks" }, grade.checks.map((c) => make("li", {},
        make("span", { class: c.passed ? "good" : "bad", role: "img", "aria-label": c.passed ? "passed" : "failed" }, c.passed ? "✓" : "✗"), make("span", {}, c.name), make("span", {}, c.detail, c.trust ? make("small", { class: "trust" }, ` ${c.trust}`) : "")))));
    show(result);
  });
  const hints = (exercise.hints || []).map((h, n) => make("details", {}, make("summary", {}, `Hint ${n + 1}`), make("div", { class: "settings" }, ...fromServer(h))));
  const answer = make("details", {}, make("summary", {}, "Model answer"), make("pre", { tabindex: "0" }, exercise.answer.text));
  element.replaceChildren(
    make("div", { class: "task" }, ...fromServer(exercise.task)), work,
    make("div", { class: "bar" }, make("button", { type: "button", class: "primary check", onclick: check }, "Check the answer")), result, ...hints, answer);
}
