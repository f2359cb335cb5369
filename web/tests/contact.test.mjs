// Contact while somebody pulls, in a real browser: frames keep coming and nothing crosses.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ARTEFACTS, launch, open, press, serve, shot, until } from "./harness.mjs";

/** Frames per second below which motion looks jerky; a tenth less is left to a machine that also draws by software. */
const SMOOTH = 30 * 0.9;

let browser;
before(async () => (browser = await launch()));
after(async () => browser?.close());

/** Looks at every frame that arrives from now on: how many, and which edges pass through which triangles of another body. */
const watch = (page) =>
  page.evaluate(() => {
    const { bodies } = suppleView.model;
    const faces = bodies.map((b) =>
      Array.from({ length: b.triangles.length / 3 }, (_, t) => [0, 1, 2].map((k) => b.first + b.origin[b.triangles[3 * t + k]])));
    const edges = faces.map((of) => {
      const all = new Map();
      for (const t of of) for (const k of [0, 1, 2]) {
        const [a, b] = [t[k], t[(k + 1) % 3]].sort((u, v) => u - v);
        all.set(`${a} ${b}`, [a, b]);
      }
      return [...all.values()];
    });
    const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const volume = (a, b, c, d) => dot(cross(minus(b, a), minus(c, a)), minus(d, a));
    const passes = ([p, q], [a, b, c]) => {
      // Positions come in single precision: what is less than 1e-6 m behind a triangle does not count.
      const n = cross(minus(b, a), minus(c, a)), size = Math.hypot(...n);
      const [u, v] = [dot(n, minus(p, a)) / size, dot(n, minus(q, a)) / size];
      if (!(u * v < 0 && Math.min(Math.abs(u), Math.abs(v)) > 1e-6)) return false;
      const signs = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)].map(Math.sign);
      return signs[0] !== 0 && signs[0] === signs[1] && signs[1] === signs[2];
    };
    const seen = (globalThis.seen = { shown: 0, first: null, last: null, crossings: [] });
    let before = -1;
    globalThis.watcher = setInterval(() => {
      const { frame } = suppleView;
      if (frame.frame === before) return;
      seen.shown++;
      seen.last = [performance.now(), frame.frame];
      seen.first ??= seen.last;
      before = frame.frame;
      const at = Array.from({ length: frame.positions.length / 3 }, (_, i) => Array.from(frame.positions.subarray(3 * i, 3 * i + 3)));
      const bounds = (nodes) => [Math.min, Math.max].map((f) => [0, 1, 2].map((c) => f(...nodes.map((i) => at[i][c]))));
      const boxes = faces.map((of) => of.map(bounds));
      const meet = (a, b) => [0, 1, 2].every((c) => a[0][c] <= b[1][c] && b[0][c] <= a[1][c]);
      const around = (all) => [Math.min, Math.max].map((f, k) => [0, 1, 2].map((c) => f(...all.map((b) => b[k][c]))));
      for (let a = 0; a < bodies.length; a++) for (let b = 0; b < bodies.length; b++) if (a !== b) {
        const whole = around(boxes[b]);
        for (const e of edges[a]) {
          const box = bounds(e);
          if (!meet(box, whole)) continue;
          faces[b].forEach((t, k) => {
            if (meet(box, boxes[b][k]) && passes(e.map((i) => at[i]), t.map((i) => at[i]))) seen.crossings.push([frame.frame, a, b]);
          });
        }
      }
    }, 4);
  });

const told = (page) =>
  page.evaluate(() => {
    clearInterval(globalThis.watcher);
    const { first, last, shown, crossings } = globalThis.seen;
    return { shown, crossings, rate: (1000 * (last[1] - first[1])) / (last[0] - first[0]) };
  });

/** Where the middle of a body's picture is. */
const middle = (page, name) =>
  page.evaluate((name) => {
    const b = suppleView.model.bodies.find((b) => b.name === name), p = suppleView.frame.positions;
    const all = Array.from({ length: b.vertices }, (_, k) => b.first + k);
    const mean = (f) => all.reduce((sum, v) => sum + f(v), 0) / all.length;
    return { x: mean((v) => suppleView.project(v)[0]), y: mean((v) => suppleView.project(v)[1]), at: mean((v) => p[3 * v]) };
  }, name);

test("a body that is dragged into another pushes it, and nothing crosses", async () => {
  const scene = join(ARTEFACTS, "push.toml");
  const cube = (name, x) => `[[body]]
name = "${name}"
shape = { kind = "box", size = [0.2, 0.2, 0.2], cells = [4, 4, 4] }
translate = [${x}, 0.002, -0.1]
material = { kind = "neo_hookean", young = 5e4, poisson = 0.35, density = 1000.0 }
`;
  writeFileSync(scene, `version = 1
[time]
dt = 0.01
[collide]
friction = 0.3
[[obstacle]]
name = "floor"
shape = { kind = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
friction = 0.3
${cube("left", -0.35)}${cube("right", 0.05)}`);
  const server = await serve(scene);
  try {
    const page = await open(browser, server.address);
    await page.keyboard.press("f");
    await page.waitForTimeout(300);
    await press(page, "run", true);
    await until(page, () => suppleView.frame.frame > 20);
    const [left, right] = [await middle(page, "left"), await middle(page, "right")];
    await watch(page);
    await page.mouse.move(left.x, left.y);
    await page.mouse.down();
    await until(page, () => suppleView.state.held === 1);
    // As far as the other stands, and on.
    const far = [right.x + 0.6 * (right.x - left.x), right.y + 0.6 * (right.y - left.y)];
    await page.mouse.move(...far, { steps: 40 });
    await page.waitForTimeout(1500);
    await shot(page, "pushed");
    const [l, r] = [await middle(page, "left"), await middle(page, "right")];
    const { shown, crossings, rate } = await told(page);
    console.log(`pushed: ${shown} frames shown, ${rate.toFixed(0)} solved per second, the other moved by ${(r.at - right.at).toFixed(3)} m`);
    await page.mouse.up();
    assert.ok(l.at > left.at + 0.1 && r.at > right.at + 0.05, `${l.at - left.at} m and ${r.at - right.at} m`);
    assert.ok(l.at < r.at, "the one that pushes is behind");
    assert.deepEqual(crossings.slice(0, 3), []);
    assert.ok(rate >= SMOOTH, `${rate} frames per second`);
    assert.deepEqual(page.wrong, []);
  } finally {
    await server.end();
  }
});

test("a cloth falls over a ball and is pulled, and nothing crosses", async () => {
  const scene = join(ARTEFACTS, "over.toml");
  writeFileSync(scene, `version = 1
[time]
dt = 0.01
[collide]
friction = 0.3
self = true
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.15, cells = 6 }
material = { kind = "neo_hookean", young = 2e5, poisson = 0.35, density = 1000.0 }
[[body]]
name = "cloth"
shape = { kind = "cloth", size = [0.6, 0.6], cells = [16, 16] }
material = { kind = "st_venant_kirchhoff", young = 1e5, poisson = 0.3, density = 500.0 }
cloth = { thickness = 0.001 }
translate = [-0.29, 0.17, -0.31]
[[pin]]
body = "ball"
select = { plane = { point = [0, -0.08, 0], normal = [0, -1, 0] } }
`);
  const server = await serve(scene);
  try {
    const page = await open(browser, server.address);
    await page.keyboard.press("f");
    await page.waitForTimeout(300);
    await watch(page);
    await press(page, "run", true);
    await until(page, () => suppleView.frame.frame > 60, undefined, 20_000);
    await shot(page, "draped");
    const cloth = await middle(page, "cloth");
    await page.mouse.move(cloth.x, cloth.y);
    await page.mouse.down();
    await until(page, () => suppleView.state.held === 1);
    await page.mouse.move(cloth.x + 120, cloth.y - 60, { steps: 20 });
    let way = 0;
    for (let k = 0; k < 30 && (k < 6 || way < 10); k++) {
      await page.waitForTimeout(250);
      const { x, y } = await middle(page, "cloth");
      way = Math.hypot(x - cloth.x, y - cloth.y);
    }
    await shot(page, "draped-pulled");
    const { shown, crossings, rate } = await told(page);
    console.log(`draped: ${shown} frames shown, ${rate.toFixed(0)} solved per second`);
    await page.mouse.up();
    assert.ok(way > 10, `the cloth did not follow: ${way} pixels`);
    assert.deepEqual(crossings.slice(0, 3), []);
    assert.ok(rate >= SMOOTH, `${rate} frames per second`);
    assert.deepEqual(page.wrong, []);
  } finally {
    await server.end();
  }
});
