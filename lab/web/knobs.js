// Knobs: keys of the configuration that are worth turning, as sliders and choices. The chip's own value holds where one was not turned.
import { labelled, make, number } from "./dom.js";

// inUnits writes a value for people.
const inUnits = (value, unit) => {
  if (Number.isNaN(Number(value))) return { true: "on", false: "off" }[value] ?? value;
  if (unit === "bytes" && value % 1024 === 0) return value % 1048576 === 0 ? `${value / 1048576} MiB` : `${value / 1024} KiB`;
  return `${number(Number(value))}${/^(cycles|MHz)$/.test(unit) ? ` ${unit}` : ""}`; // other units stand in the title
};

// makeKnobs returns {element, overrides, turned, reset, refresh} for the chip that chipOf names; begin are pairs of keys and values that a
// link brings.
export function makeKnobs(content, chipOf, begin) {
  const turned = new Map(begin), refreshers = [];
  const own = (k) => (content.own[chipOf()] || content.own.gk110)[k.key];
  const valuesOf = (k) => {
    const all = k.times ? k.times.map((t) => String(Math.max(1, Math.round(own(k) * t)))) : [...k.values];
    const numeric = all.every((v) => !Number.isNaN(Number(v)));
    if (!all.includes(own(k))) all.push(own(k));
    return numeric ? [...new Set(all)].sort((a, b) => a - b) : all;
  };

  function row(k) {
    const shown = make("output", {});
    const words = !k.times && k.values.some((v) => Number.isNaN(Number(v)));
    const input = words ? make("select", {}) : make("input", { type: "range", min: 0, step: 1 });
    const tell = () => {
      const value = turned.get(k.key);
      shown.textContent = value === undefined ? `${words ? "" : inUnits(own(k), k.unit)} as built`.trim() : words ? "" : inUnits(value, k.unit);
      shown.classList.toggle("turned", value !== undefined);
    };
    refreshers.push(() => {
      const all = valuesOf(k), at = all.indexOf(turned.get(k.key) ?? own(k));
      if (words) input.replaceChildren(...all.map((v) => make("option", { value: v }, inUnits(v, k.unit))));
      else input.max = all.length - 1;
      input.value = words ? all[Math.max(0, at)] : Math.max(0, at);
      if (!words) input.setAttribute("aria-valuetext", inUnits(all[Math.max(0, at)], k.unit));
      tell();
    });
    input.addEventListener("input", () => {
      const value = words ? input.value : valuesOf(k)[Number(input.value)];
      if (value === own(k)) turned.delete(k.key);
      else turned.set(k.key, value);
      if (!words) input.setAttribute("aria-valuetext", inUnits(value, k.unit));
      tell();
    });
    const [label, field] = labelled(k.title, input);
    label.title = k.key;
    return make("div", { class: "knob" }, label, field, shown);
  }

  const groups = [...new Set(content.knobs.map((k) => k.group))];
  const element = make("div", { class: "knobs" }, groups.map((g) => make("fieldset", {}, make("legend", {}, g), content.knobs.filter((k) => k.group === g).map(row))));
  const refresh = () => refreshers.forEach((r) => r());
  return {
    element, refresh,
    turned: () => [...turned],
    reset() { turned.clear(); refresh(); },
    // overrides are those of the knobs that were turned, and of the keys that follow them.
    overrides: () => [...turned].flatMap(([key, value]) => [`${key}=${value}`, ...Object.entries(content.knobs.find((k) => k.key === key)?.with || {}).map(([other, times]) => `${other}=${value * times}`)]),
  };
}
