// The figures of a run, each with how far it can be trusted, and what they are where one mechanism is turned off.
import { make, number } from "./dom.js";

const percent = (x) => `${number(x)}\u00a0%`;

// Rows are what a figure is called, its value in a kernel of the report, how it is written, and whether it depends on simulated time: what does
// not is counted from the program's own instructions and addresses.
const rows = [
  ["kernel cycles", (k) => k.kernel_cycles, number, true],
  ["time", (k) => k.time_us, (x) => `${number(x)} µs`, true],
  ["energy", (k) => k.power && 1e6 * k.power.energy_j, (x) => `${number(x)} µJ`, "±15 % of published readings"],
  ["power", (k) => k.power?.average_w, (x) => `${number(x)} W`, "±15 % of published readings"],
  ["instructions of warps", (k) => k.metrics.inst_executed, number, false],
  ["lanes that do work", (k) => k.metrics.warp_execution_efficiency, percent, false],
  ["instructions in a cycle", (k) => k.metrics.ipc, number, "follows from the cycles"],
  ["warps on an SMX, of 64", (k) => 64 * k.metrics.achieved_occupancy, number, "follows from the cycles"],
  ["of the bytes loaded, asked for", (k) => (k.metrics.gld_transactions ? k.metrics.gld_efficiency : undefined), percent, false],
  ["passes of a shared load", (k) => k.metrics.shared_load_transactions_per_request || undefined, number, false],
];

// figures is a table of a report's longest kernel, empty without timing. free is the report without a mechanism, title what that is.
export function figures(report, free, title) {
  const longest = (r) => (r?.kernels || []).filter((k) => !k.functional && k.metrics).sort((a, b) => b.kernel_cycles - a.kernel_cycles)[0];
  const k = longest(report), f = longest(free);
  if (!k) return make("div", {});
  const trust = k.trust?.typical_percent ? `±${Math.round(k.trust.typical_percent)} % of a real card is typical` : "no card was compared";
  return make("div", { class: "figures", tabindex: "0", role: "region", "aria-label": "Figures" }, make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, k.name.split("(")[0]), make("th", { scope: "col" }, "here"), f && make("th", { scope: "col" }, title), make("th", { scope: "col" }, "how far to trust it"))),
    make("tbody", {}, rows.map(([name, of, write, timed]) => {
      const value = of(k), other = f && of(f);
      if (value === undefined || value === null) return null;
      return make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, write(value)), f && make("td", {}, other === undefined ? "" : write(other), timed && value ? make("small", {}, ` ${other > value ? "+" : "−"}${Math.abs(Math.round(100 * (other - value) / value))} %`) : ""),
        make("td", { class: "trust", title: timed ? k.trust?.text ?? "" : "The same on every chip of this kind; nvcc's code may have other instructions." }, timed === true ? trust : timed || "counted, not estimated"));
    }))));
}
