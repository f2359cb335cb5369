// The solver for the browser in Node: the same frames as the native one without fused multiply-add, up to rounding. Bits may differ because faer
// factors dense parts with wider registers and fused multiply-add natively: docs/site.md.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { Module } from "../module.mjs";

const bytes = readFileSync(process.env.SUPPLE_WASM);
const compiled = await WebAssembly.compile(bytes);
/** Scenes and frames. */
const FRAMES = Number(process.env.SUPPLE_PARITY_FRAMES ?? 50);
const SCENES = ["beams", "chain", "hanging", "net", "swing", "untwist_low", "recover", "muscle", "sail", "figure"];

const native = (words, input) =>
  execFileSync(process.env.SUPPLE_RECORD, words, { maxBuffer: 1 << 30, input });

/** The first number that differs, and the largest difference. */
function compare(a, b) {
  assert.equal(a.length, b.length, "lengths");
  const [x, y] = [a, b].map((d) => new BigUint64Array(d.buffer.slice(d.byteOffset, d.byteOffset + d.length)));
  const [p, q] = [x, y].map((d) => new Float64Array(d.buffer));
  let first = -1, most = 0, size = 0;
  for (let i = 0; i < x.length; i++) {
    if (x[i] !== y[i] && first < 0) first = i;
    most = Math.max(most, Math.abs(p[i] - q[i]));
    size = Math.max(size, Math.abs(q[i]));
  }
  return { first, most, size, numbers: x.length };
}

test("the module is at most 2 MB with gzip", () => {
  const size = gzipSync(bytes, { level: 9 }).length;
  console.log(`supple.wasm: ${bytes.length} bytes, ${size} with gzip`);
  assert.ok(size <= 2 << 20, `${size}`);
});

test("it imports a clock and nothing else", () => {
  assert.deepEqual(WebAssembly.Module.imports(compiled), [{ module: "page", name: "now", kind: "function" }]);
});

test("lanes of SIMD128 are plain numbers side by side", async () => {
  assert.equal((await Module.start(compiled)).exports.lanes_differ(), 0);
});

for (const scene of SCENES) {
  test(`${scene}: ${FRAMES} frames are the native ones to 1e-12 of the scene`, async () => {
    const module = await Module.start(compiled);
    module.put(scene);
    assert.equal(module.exports.record_frames(FRAMES), 1, module.words());
    const here = module.answer();
    const { first, most, size, numbers } = compare(here, native(["same", scene, String(FRAMES)]));
    const frame = Math.floor((first / numbers) * (FRAMES + 1));
    // What fused multiply-add changes: told, not tested. Where motion is chaotic it grows.
    const fused = compare(here, native([scene, String(FRAMES)]));
    console.log(`${scene}: ${first < 0 ? "same bits" : `differs from frame ${frame}, by at most ${most}`}; with fused multiply-add by at most ${fused.most}`);
    assert.ok(most <= 1e-12 * size, `frame ${frame} differs, at most by ${most}`);
  });
}
