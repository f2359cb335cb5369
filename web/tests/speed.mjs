// Seconds per step of beams in the browser's engine (Node's is Chromium's) and natively on one thread, in turns within one run.
// usage: SUPPLE_WASM=… SUPPLE_RECORD=… node speed.mjs
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Module } from "../module.mjs";

const compiled = await WebAssembly.compile(readFileSync(process.env.SUPPLE_WASM));
const scene = (cells, material, admm) => `version = 1
[time]
dt = 0.04
[solve]
threads = 1
${admm ? 'method = "admm"\niterations = 10\ntolerance = 0.0' : ""}
[[body]]
name = "beam"
shape = { kind = "box", size = [1.0, 0.25, 0.25], cells = [${cells}], split = 6 }
material = { kind = "${material}", young = 1e5, poisson = 0.4, density = 1000.0 }
[[pin]]
body = "beam"
select = { plane = { point = [0, 0, 0], normal = [-1, 0, 0] } }
`;
for (const [name, cells] of [["1080 tetrahedra", [20, 3, 3]], ["9600 tetrahedra", [25, 8, 8]]]) {
  for (const [material, admm] of [["corotated", true], ["corotated", false], ["neo_hookean", true], ["neo_hookean", false]]) {
    const text = scene(cells, material, admm);
    const steps = 12;
    let [wasm, native] = [Infinity, Infinity];
    for (let round = 0; round < 3; round++) {
      const module = await Module.start(compiled);
      module.put(text);
      const seconds = module.exports.time_steps(steps);
      if (seconds < 0) throw new Error(module.words());
      wasm = Math.min(wasm, seconds);
      native = Math.min(native, Number(execFileSync(process.env.SUPPLE_RECORD, ["time", String(steps)], { input: text })));
    }
    console.log(`${name}, ${material}, ${admm ? "ADMM, 10 iterations" : "auto"}: native ${(1e3 * native).toFixed(2)} ms, `
      + `browser ${(1e3 * wasm).toFixed(2)} ms: ${(wasm / native).toFixed(2)} times`);
  }
}
