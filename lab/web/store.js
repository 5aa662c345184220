// What the browser keeps: edits of cells, and which exercises are solved. Without storage nothing is kept, and nothing else changes.

const prefix = "keplersim lab: ";

// kept returns what was kept under a name, null for nothing.
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(prefix + name));
  } catch {
    return null;
  }
}

// keep keeps a value under a name; null forgets it.
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // a private window, or one that is full
  }
}

// show brings an element into sight, below what it belongs to: not where the reader sees it already.
export function show(element) {
  const { top, bottom } = element.getBoundingClientRect(), high = innerHeight;
  if (top >= 0 && (bottom <= high || top <= high * 0.45)) return;
  scrollBy({ top: Math.min(top - high * 0.3, Math.max(top - high * 0.55, bottom - high + 12)), behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "auto" });
}
