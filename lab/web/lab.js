// The lab's start: it loads the lessons, connects to the simulator, and shows what the address names.
import { makeCell } from "./cell.js";
import { connect } from "./engine.js";
import { make } from "./dom.js";
import { showLesson, showOne, solved } from "./lesson.js";
import { unpack } from "./share.js";

const main = document.getElementById("main"), status = document.getElementById("engine");

// what a bench begins with: two arrays added.
const first = {
  name: "bench", title: "Bench", language: "ptx",
  text: `.version 4.2
.target sm_35
.address_size 64

.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)
{
	.reg .f32 %f<4>;
	.reg .b32 %r<5>;
	.reg .b64 %l<8>;

	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	mul.wide.s32 %l1, %r4, 4;
	ld.param.u64 %l2, [a];
	ld.param.u64 %l3, [b];
	ld.param.u64 %l4, [c];
	add.s64 %l5, %l2, %l1;
	add.s64 %l6, %l3, %l1;
	add.s64 %l7, %l4, %l1;
	ld.global.f32 %f1, [%l5];
	ld.global.f32 %f2, [%l6];
	add.f32 %f3, %f1, %f2;
	st.global.f32 [%l7], %f3;
	ret;
}
`,
  workload: `name: bench
module: kernel.ptx
config: gk110
buffers:
  a: {type: f32, count: 16384, init: {random: {seed: 1, min: -1, max: 1}}}
  b: {type: f32, count: 16384, init: {random: {seed: 2, min: -1, max: 1}}}
  c: {type: f32, count: 16384}
steps:
  - launch: {kernel: add, grid: [64], block: [256], args: [a, b, c]}
`,
};

function showLessons(content) {
  main.replaceChildren(
    make("h1", {}, "GPU architecture, one kernel at a time"),
    make("p", { class: "lede" }, "Change a kernel, run it on a simulated Kepler, and see where the cycles go. Nothing to install."),
    make("ol", { class: "lessons" }, content.lessons.map((l, n) => make("li", {}, make("a", { href: `#lesson=${l.slug}` },
      make("span", { class: "number" }, String(n + 1)), make("span", { class: "title" }, l.title), make("span", { class: "minutes" }, `${solved(l) === l.exercises.length && solved(l) ? "✓ solved, " : ""}${l.minutes} min`),
      make("span", { class: "about" }, l.summary))))));
}

// embedded is what ?embed=1&cell=LESSON/CELL or ?embed=1&scene=LESSON/NUMBER asks for, [lesson, cell, scene]: one part of a lesson, for slides.
// It is null where the address asks for the whole lab, or for what no lesson has.
function embedded(content) {
  const asked = new URLSearchParams(location.search), [slug, part] = (asked.get("cell") ?? asked.get("scene") ?? "").split("/");
  if (!asked.get("embed")) return null;
  const lesson = content.lessons.find((l) => l.slug === slug || l.cells.some((c) => c.name === slug)), cell = lesson?.cells.find((c) => c.name === (part ?? slug)) ?? lesson?.cells[0];
  const scene = asked.has("scene") ? lesson?.scenes?.[Number(part ?? 1) - 1] : null;
  return lesson && (scene || !asked.has("scene")) ? [lesson, cell, scene] : null;
}

async function show(lab) {
  const at = Object.fromEntries(new URLSearchParams(location.hash.slice(1))), lesson = lab.content.lessons.find((l) => l.slug === at.lesson);
  const bench = !lesson && (at.bench !== undefined || at.code !== undefined);
  document.title = `${lesson ? lesson.title : bench ? "Bench" : "Lessons"} · keplersim lab`;
  let failure = "", link;
  if (at.code !== undefined) {
    try {
      link = await unpack(at.code);
    } catch {
      failure = make("p", { class: "error", role: "alert" }, "The link does not hold a program: it was cut, or changed.");
    }
  }
  const part = embedded(lab.content);
  if (part) {
    document.body.classList.add("embed");
    showOne(main, ...part, lab);
  } else if (lesson) {
    showLesson(main, lesson, lab, { ...at, link });
    if (failure) main.prepend(failure);
  } else if (bench) {
    const place = make("section", { class: "cell" });
    main.replaceChildren(make("h1", {}, "Bench"), make("p", { class: "lede" }, "A kernel of your own, on a chip of your own."), failure, place);
    makeCell(place, { ...first, keep: "bench", link }, lab);
  } else {
    showLessons(lab.content);
  }
  window.scrollTo({ top: 0, behavior: "instant" });
}

async function start() {
  const answer = await fetch("content.json");
  if (!answer.ok) throw new Error(`the lessons could not be loaded: ${answer.status}`);
  const content = await answer.json();
  const lab = { content, engine: connect(content, (text) => { status.textContent = text; }) };
  let shown = null;
  const route = () => {
    if (location.hash.startsWith("#main") || location.hash === shown) return;
    shown = location.hash;
    show(lab);
  };
  addEventListener("hashchange", route);
  await show(lab);
}

start().catch((error) => { main.replaceChildren(make("p", { class: "error", role: "alert" }, `The lab did not start: ${error.message}`)); });
