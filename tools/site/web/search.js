// The search: every word that is typed begins a word of a section. Sections with the words in their titles come first.
const up = document.body.dataset.up, input = document.getElementById("find"), found = document.getElementById("found"), count = document.getElementById("count");
const most = 12;
const fold = (text) => text.toLowerCase();
const index = sections.map((s) => ({ ...s, page: fold(s.p), heading: fold(s.h), text: fold(s.t) }));
const begins = (text, word) => {
  for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + 1)) if (i === 0 || !/[a-z0-9]/.test(text[i - 1])) return i;
  return -1;
};

function search(query) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const hits = [];
  for (const s of index) {
    let score = 0;
    for (const w of words) {
      const here = (begins(s.heading, w) >= 0 ? 6 : 0) + (begins(s.page, w) >= 0 ? 3 : 0) + (begins(s.text, w) >= 0 ? 1 : 0);
      if (!here) { score = 0; break; }
      score += here;
    }
    if (score) hits.push({ s, score: score - Math.min(1, s.text.length / 1e5) });
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
  const word = fold(input.value).trim().split(/\s+/)[0];
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
