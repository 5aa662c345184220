// The way to the simulator: the lab's own server where there is one, a worker with the WebAssembly engine elsewhere.

// connect returns {run, grade, compile, describe}; told hears of the engine's state in words.
export function connect(content, told) {
  return content.server ? server(told) : worker(told);
}

// kernelOf is the kernel that a cell runs: its own text, or the fixed one where that is a scheduler.
export const kernelOf = (cell) => cell.fixed ?? cell;

// ptxOf is the PTX of a kernel, which is compiled where nothing has done so.
export async function ptxOf(engine, kernel) {
  if (!kernel.ptx) {
    const answer = await engine.compile(kernel.text);
    if (answer.error) throw new Error(answer.error);
    kernel.ptx = answer.ptx;
  }
  return kernel.ptx;
}

function server(told) {
  told("Kernels run on this machine.");
  const post = async (path, request) => {
    const answer = await fetch("engine/" + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) });
    if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
    return answer.json();
  };
  return {
    run: (request) => post("run", request),
    grade: (request) => post("grade", request),
    compile: (text) => post("compile", { text }),
  };
}

function worker(told) {
  const engine = new Worker("worker.js"), waiting = new Map();
  let next = 0;
  engine.onmessage = ({ data }) => {
    if ("started" in data) {
      told(data.started ? "Kernels run in this browser." : `The simulator did not start: ${data.error}`);
      return;
    }
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) reject(new Error(data.error));
    else resolve(JSON.parse(data.result));
  };
  const ask = (call) => (request) => new Promise((resolve, reject) => {
    waiting.set(++next, { resolve, reject });
    engine.postMessage({ id: next, call, request });
  });
  const compile = ask("compile");
  return { run: ask("run"), grade: ask("grade"), compile: (text) => compile({ text }) };
}
