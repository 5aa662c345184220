// The search: what is typed begins words of a section. Sections that have all words come first, and among them those with the words in
// their titles. Rare words count more. Small words of questions count for nothing, so that whole questions can be asked.
const up = document.body.dataset.up, input = document.getElementById("find"), found = document.getElementById("found"), count = document.getElementById("count");
const most = 12, small = new Set("a an and are can do does for explain explained how i in is it many mean my not of off on or own the there to under use what when where which why with work".split(" "));
const reasons = /rationale|CHANGELOG|CONTRIBUTING|SECURITY/; // reasons and changes come after instructions
const fold = (text) => text.toLowerCase();
const index = sections.map((s) => ({ ...s, page: fold(s.p), heading: fold(s.h), text: fold(s.t) }));
const begins = (text, word) => {
  for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + 1)) if (i === 0 || !/[a-z0-9]/.test(text[i - 1])) return i;
  return -1;
};

function search(query) {
  const typed = fold(query).split(/[\s?"]+/).filter(Boolean), asked = typed.filter((w) => !small.has(w)), words = asked.length ? asked : typed;
  const hits = [], has = (s, w) => (begins(s.heading, w) >= 0 ? 4 : 0) + (begins(s.page, w) >= 0 ? 2 : 0) + (begins(s.text, w) >= 0 ? 2 : 0);
  const weights = words.map((w) => Math.log(1 + index.length / (1 + index.filter((s) => has(s, w)).length)));
  for (const s of index) {
    let score = 0, missing = 0;
    words.forEach((w, i) => {
      const here = has(s, w);
      score += weights[i] * (here || -4);
      if (!here) missing++;
    });
    if (words.length && 2 * missing < words.length + 1) hits.push({ s, score: score - (reasons.test(s.a) ? 6 : 0) - Math.min(1, s.text.length / 1e5) });
  }
  return hits.sort((a, b) => b.score - a.score).map((h) => h.s);
}

// excerpt returns the part of a text around a word.
function excerpt(s, word) {
  const at = Math.max(0, begins(s.text, word)), from = Math.max(0, at - 50);
  return (from ? "… " : "") + s.t.slice(from, from + 150) + (from + 150 < s.t.length ? " …" : "");
}

function show() {
  const hits = search(input.value);
  const word = fold(input.value).split(/[\s?"]+/).find((w) => w && !small.has(w)) || "";
  found.hidden = !input.value.trim();
  count.textContent = found.hidden ? "" : `${hits.length} results`;
  const list = document.createElement("ol");
  for (const s of hits.slice(0, most)) {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
    link.href = up + s.a;
    link.textContent = s.p === s.h ? s.h : `${s.p} › ${s.h}`;
    text.textContent = excerpt(s, word);
    item.append(link, text);
    list.append(item);
  }
  found.replaceChildren(hits.length ? list : Object.assign(document.createElement("p"), { textContent: "Nothing found." }));
}

input.addEventListener("input", show);
input.addEventListener("focus", show);
document.addEventListener("keydown", (e) => {
  const links = [...found.querySelectorAll("a")], at = links.indexOf(document.activeElement);
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (e.key === "/" && !typing) { e.preventDefault(); input.focus(); input.select(); }
  else if (e.key === "Escape" && !found.hidden) { found.hidden = true; input.focus(); found.hidden = true; }
  else if (e.key === "Enter" && document.activeElement === input && links.length) location.href = links[0].href;
  else if (!found.hidden && (at >= 0 || document.activeElement === input) && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
    e.preventDefault();
    const next = at + (e.key === "ArrowDown" ? 1 : -1);
    (links[next] || input).focus();
  }
});
document.addEventListener("click", (e) => { if (!e.target.closest(".search")) found.hidden = true; });

// The list of pages is open where there is room for it.
const shelves = document.querySelector(".shelves"), wide = matchMedia("(min-width: 60rem)");
const place = () => { if (shelves) shelves.open = wide.matches; };
wide.addEventListener("change", place);
place();
