// The decoder of the page, with the bytes that the server sent (SUPPLE_STREAM_FIXTURE) and with broken ones.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

const source = (file) => build({ entryPoints: [file], bundle: true, format: "esm", write: false, logLevel: "error" })
  .then((r) => import(`data:text/javascript;base64,${Buffer.from(r.outputFiles[0].text).toString("base64")}`));
const { decode } = await source("src/stream.ts");
const { outcome, short } = await source("src/words.ts");
const { Rate } = await source("src/rate.ts");
const { glb } = await source("src/glb.ts");
const folder = process.env.SUPPLE_STREAM_FIXTURE;
const bytes = (name) => { const b = readFileSync(join(folder, name)); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); };
const truth = JSON.parse(readFileSync(join(folder, "truth.json"), "utf8"));

test("a model and a frame are what the library computed", () => {
  const model = decode(bytes("model.bin")), frame = decode(bytes("frame.bin"));
  assert.deepEqual(model.bodies.map((b) => b.name), truth.bodies);
  assert.deepEqual(model.bodies.map((b) => b.pins.length), truth.pins);
  assert.equal(model.bodies[0].triangles.length, 3 * truth.triangles);
  assert.deepEqual([...model.bodies[1].edges], truth.edges.flat());
  assert.equal(model.dt, truth.dt);
  assert.equal(frame.model, model.number);
  assert.equal(frame.vertices, model.vertices);
  for (const key of ["frame", "time", "iterations", "limit"]) assert.equal(frame[key], truth[key], key);
  for (const key of ["residual", "elastic", "kinetic"]) assert.equal(frame[key], Math.fround(truth[key]), key);
  const net = model.bodies[1];
  assert.deepEqual([...frame.positions.slice(3 * net.first)], truth.positions.flat().map(Math.fround));
  assert.deepEqual(Object.keys(frame.fields), ["stretch", "stress", "velocity"]);
  assert.ok(Number.isNaN(frame.fields.stretch.at(-1)) && frame.fields.stretch[0] > 0.5);
});

test("broken messages are errors", () => {
  for (const name of ["model.bin", "frame.bin"]) {
    const good = bytes(name);
    for (const length of [0, 3, 15, 40, good.byteLength - 1]) assert.throws(() => decode(good.slice(0, length)), `${name} ${length}`);
    for (const [at, value] of [[0, 88], [4, 9], [6, 7], [12, 255]]) {
      const wrong = good.slice(0);
      new Uint8Array(wrong)[at] = value;
      assert.throws(() => decode(wrong), `${name}, byte ${at}`);
    }
  }
});

test("a rounded frame is the box and its steps", () => {
  const count = 3, bytes = new ArrayBuffer(120 + 20), view = new DataView(bytes);
  new Uint8Array(bytes).set(new TextEncoder().encode("SUPL"));
  view.setUint16(4, 1, true);
  view.setUint16(6, 3, true);
  view.setUint32(8, 7, true);
  view.setUint32(12, count, true);
  view.setBigUint64(16, 5n, true);
  view.setFloat64(24, 0.25, true);
  [-1, 0, 2, 0.5, 1, 2].forEach((v, i) => view.setFloat64(72 + 8 * i, v, true));
  for (let i = 0; i < 9; i++) view.setUint16(120 + 2 * i, 1000 * i, true);
  const frame = decode(bytes);
  assert.deepEqual([frame.model, frame.vertices, frame.frame, frame.time], [7, 3, 5, 0.25]);
  assert.deepEqual([...frame.positions], [-1, 1000, 4002, 1499, 4000, 10002, 2999, 7000, 16002]);
  for (const length of [71, 119, 136, 139]) assert.throws(() => decode(bytes.slice(0, length)));
});

test("the rate is pictures, and seconds of the scene, per second", () => {
  const rate = new Rate();
  const words = [];
  for (let k = 0; k <= 120; k++) words.push(rate.add(1000 + 25 * k, 0.01 * k));
  // 40 pictures a second, each a hundredth of a second on.
  const said = words.filter(Boolean);
  assert.ok(said.length >= 5 && said.length <= 8, `${said.length}`);
  assert.ok(said.every((w) => w === "40 fps · 0.40 × real time"), said.join());
  // After a pause, or back at an earlier frame, it begins anew.
  assert.equal(rate.add(9000, 1.21), null);
  assert.equal(rate.add(9010, 0.1), null);
});

test("outcomes in words", () => {
  const frame = { status: 2, iterations: 20, limit: 20, inverted: 0, iteration: 0, residual: 0.1 };
  assert.equal(outcome(frame).text, "not converged: 20 of 20 iterations");
  assert.equal(outcome({ ...frame, status: 1, iterations: 1 }).text, "converged: 1 iteration");
  assert.equal(outcome({ ...frame, status: 1, inverted: 2 }).text, "converged: 20 iterations; 2 elements inside out");
  assert.deepEqual([0, 1234.5, 2e6, -9.8, NaN, 1.5e-7].map(short), ["0", "1230", "2.0e6", "-9.8", "–", "1.5e-7"]);
});

test("a recording has a mesh per body and a target per frame", () => {
  const model = decode(bytes("model.bin")), frame = decode(bytes("frame.bin"));
  const later = { ...frame, time: frame.time + 0.5, positions: frame.positions.map((v) => v + 1) };
  const file = glb(model, [frame, later]);
  const view = new DataView(file.buffer);
  assert.equal(view.getUint32(8, true), file.length);
  const json = JSON.parse(new TextDecoder().decode(file.slice(20, 20 + view.getUint32(12, true))));
  assert.equal(json.meshes.length, 2);
  const moved = json.accessors[json.meshes[1].primitives[0].targets[0].POSITION];
  moved.min.concat(moved.max).forEach((v) => assert.ok(Math.abs(v - 1) < 1e-6));
  const time = json.accessors[json.animations[0].samplers[0].input];
  assert.deepEqual([time.count, time.min[0], time.max[0]], [2, 0, 0.5]);
  const end = json.bufferViews.at(-1);
  assert.equal(end.byteOffset + end.byteLength, json.buffers[0].byteLength);
});
