// What states look like and what they are called. Each has a letter beside its colour, so that neither alone carries it.

const looks = {
  issue: ["#1b7a56", "I"], second: ["#0c5138", "P"], replay: ["#8a4b00", "R"],
  inst_fetch: ["#62676d", "f"], exec_dependency: ["#9a6b12", "x"], exec_dependency_shared: ["#7a7118", "d"], memory_dependency: ["#b3462f", "m"], memory_throttle: ["#7b2d1e", "t"],
  texture: ["#9c4f9a", "u"], sync: ["#3767b1", "s"], constant_memory_dependency: ["#5c6bc0", "c"], pipe_busy: ["#3f7576", "b"],
  ended: ["#6f757c", "·"], not_selected: ["#5f7d71", "n"], other_branch: ["#7d6947", "j"], other_fence: ["#6a5acd", "w"], other_exit: ["#55585c", "e"], other: ["#666b72", "o"],
};

// lookOf is the colour and the letter of a state.
export const lookOf = (kind) => looks[kind] || looks.other;

const words = { issue: "issued", second: "issued a pair", replay: "replay", pair: "a pair issued", ended: "ended, its block has not" };

// nameOf is a state in words.
export const nameOf = (kind) => words[kind] || kind.replaceAll("_", " ");

// wordOf is what the glossary says of a term or of a reason to wait.
export const wordOf = (name, lab) => lab.content.words[name] || lab.content.words[name.replaceAll("_", " ")] || "";

// svg makes an element of a drawing.
export function svg(tag, attributes = {}, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v);
  e.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

// laneText draws 32 lanes as a text of filled and empty squares.
export const laneText = (mask) => Array.from({ length: 32 }, (_, i) => (mask >>> i & 1 ? "■" : "□")).join("").replace(/(.{8})/g, "$1 ").trim();
