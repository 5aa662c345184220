// The simulator in a worker of its own: it takes {id, call, request} and answers {id, result} or {id, error}.
"use strict";
importScripts("files.js", "wasm_exec.js");

const ready = new Promise((resolve) => { globalThis.keplersimReady = resolve; });

async function start() {
  const packed = await fetch("engine.wasm.gz");
  if (!packed.ok) throw new Error(`the engine could not be loaded: ${packed.status} ${packed.statusText}`);
  const program = new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  go.run(instance);
  await ready;
}

const started = start();
started.then(() => postMessage({ started: true }), (error) => postMessage({ started: false, error: error.message }));

onmessage = async ({ data: { id, call, request } }) => {
  try {
    await started;
    postMessage({ id, result: await globalThis.keplersim[call](JSON.stringify(request)) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
