// Elements without markup in strings: what a program or a kernel says is never HTML.

// make returns an element with attributes (on… are listeners) and children.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

let last = 0;

// labelled returns a form's element with its label, tied together.
export function labelled(text, element) {
  element.id ||= `field-${++last}`;
  return [make("label", { for: element.id }, text), element];
}

const group = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

// number writes a number for people: four digits, thousands apart.
export const number = (value) => (Math.abs(value) >= 1e4 ? Math.round(value).toLocaleString("en") : group.format(value));
