// Runs requests on the WebAssembly engine under node, with the files of the browser: node run.js ENGINE LOADER FILES < requests > responses,
// a JSON text a line.
"use strict";
const files = require("fs"), readline = require("readline"), vm = require("vm");
const [engine, loader, shim] = process.argv.slice(2).map((name) => files.readFileSync(name));
const { stdin, stdout, exit } = process;

vm.runInThisContext(shim.toString());
vm.runInThisContext(loader.toString());

(async () => {
  const go = new Go(), { instance } = await WebAssembly.instantiate(engine, go.importObject);
  await new Promise((resolve) => { globalThis.keplersimReady = resolve; go.run(instance); });
  for await (const line of readline.createInterface({ input: stdin })) {
    const response = await keplersim.run(line);
    await new Promise((resolve) => { stdout.write(`${response}\n`, resolve); });
  }
  exit(0);
})();
