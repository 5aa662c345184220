// A lesson: its text, with cells and exercises made live.
import { makeCell } from "./cell.js";
import { make } from "./dom.js";

// fromServer makes elements of the HTML that the lab itself made of a lesson, which has no markup of the lesson's author.
function fromServer(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}

// showLesson fills an element with a lesson.
export function showLesson(element, lesson, lab) {
  const number = lab.content.lessons.indexOf(lesson), next = lab.content.lessons[number + 1];
  element.replaceChildren(
    make("p", { class: "note" }, `Lesson ${number + 1} of ${lab.content.lessons.length}, about ${lesson.minutes} minutes${lesson.claim ? `. It shows what section ${lesson.claim} of NVIDIA's Kepler Tuning Guide says.` : ""}`),
    make("h1", {}, lesson.title), make("p", { class: "lede" }, lesson.summary), ...fromServer(lesson.html),
    make("p", {}, next ? make("a", { href: `#lesson=${next.slug}` }, `Next: ${next.title}`) : make("a", { href: "#" }, "All lessons")));
  for (const place of element.querySelectorAll("section.cell")) {
    makeCell(place, lesson.cells.find((c) => c.name === place.dataset.cell), lab);
  }
  for (const place of element.querySelectorAll("section.exercise")) {
    makeExercise(place, lesson, lesson.exercises.find((e) => e.name === place.dataset.exercise), lab);
  }
}

// makeExercise fills an element with an exercise: its task, a cell to change, hints one by one, the answer, and the checks.
function makeExercise(element, lesson, exercise, lab) {
  const cell = lesson.cells.find((c) => c.name === exercise.cell);
  const work = make("div"), result = make("div", { class: "out result", "aria-live": "polite" });
  const live = makeCell(work, { ...cell, title: `Exercise: ${exercise.name}` }, lab);
  const check = () => live.busy(async () => {
    const ptx = await live.translated();
    if (ptx === null) return;
    result.replaceChildren();
    const grade = await lab.engine.grade({ cell, exercise, ptx });
    live.out.replaceChildren();
    if (grade.error) live.fail(grade.error, { line: grade.line, file: "kernel.ptx" });
    result.replaceChildren(
      make("p", { class: `verdict ${grade.passed ? "good" : "bad"}` }, grade.passed ? "✓ Solved" : "✗ Not yet"),
      make("ul", { class: "checks" }, grade.checks.map((c) => make("li", {},
        make("span", { class: c.passed ? "good" : "bad", "aria-label": c.passed ? "passed" : "failed" }, c.passed ? "✓" : "✗"), make("span", {}, c.name), make("span", {}, c.detail)))));
  });
  const hints = (exercise.hints || []).map((h, n) => make("details", {}, make("summary", {}, `Hint ${n + 1}`), make("div", { class: "settings" }, ...fromServer(h))));
  const answer = make("details", {}, make("summary", {}, "Model answer"), make("pre", { tabindex: "0" }, exercise.answer.text));
  element.replaceChildren(
    make("div", { class: "task" }, ...fromServer(exercise.task)), work,
    make("div", { class: "bar" }, make("button", { type: "button", class: "primary check", onclick: check }, "Check the answer")), result, ...hints, answer);
}
