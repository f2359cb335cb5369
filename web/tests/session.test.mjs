// What a person does with a running scene besides looking: going back, taking back, opening files, comparing two methods, cameras.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ARTEFACTS, SUPPLE, launch, now, open, positions, press, serve, shot, until } from "./harness.mjs";

let browser, server, page;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve("beams")]);
  page = await open(browser, server.address);
});

after(async () => {
  assert.deepEqual(page?.wrong ?? [], []);
  await browser?.close();
  await server?.end();
});

/** The parts of the page that lie above the scene, and whether every vertex that is seen is beside them all. */
const uncovered = (page, sides = 1) =>
  page.evaluate((sides) => {
    const parts = ["top", "panel", "bottom", "corner"].map((id) => document.getElementById(id)).filter((e) => !e.hidden)
      .map((e) => [e.id, e.getBoundingClientRect()]);
    const covered = [];
    for (let side = 0; side < sides; side++) {
      for (const body of suppleView.model.bodies.filter((b) => !b.obstacle)) {
        for (let v = body.first; v < body.first + body.vertices; v++) {
          const [x, y] = suppleView.project(v, side);
          const by = parts.find(([, r]) => x > r.left && x < r.right && y > r.top && y < r.bottom);
          if (by || x < 0 || y < 0 || x > innerWidth || y > innerHeight) covered.push(`${body.name} ${v} at ${x.toFixed(0)}, ${y.toFixed(0)}: ${by?.[0] ?? "outside"}`);
        }
      }
    }
    return covered;
  }, sides);

test("what was simulated can be gone back to, and runs on from there", async () => {
  await press(page, "run", false);
  await page.keyboard.press("r");
  await until(page, () => suppleView.frame.frame === 0);
  const seen = [await positions(page)];
  for (let n = 1; n <= 8; n++) {
    await page.click("#step");
    await until(page, (n) => suppleView.frame.frame === n, n);
    seen.push(await positions(page));
  }
  assert.ok(await page.isVisible("#scrub"));
  assert.equal(await page.getAttribute("#scrub", "max"), "8");
  await page.locator("#scrub").fill("3");
  await until(page, () => suppleView.frame.frame === 3);
  assert.deepEqual(await positions(page), seen[3]);
  assert.match(await page.textContent("#status"), /^paused · converged/);
  assert.equal(await page.getAttribute("#scrub", "max"), "8");
  assert.equal(await page.getAttribute("#scrub", "aria-valuetext"), "frame 3 of 8, 0.12 s");
  // By the keyboard, forward and back.
  await page.locator("#scrub").focus();
  await page.keyboard.press("ArrowRight");
  await until(page, () => suppleView.frame.frame === 4);
  await page.keyboard.press("End");
  await until(page, () => suppleView.frame.frame === 8);
  await page.keyboard.press("Home");
  await until(page, () => suppleView.frame.frame === 0);
  assert.deepEqual(await positions(page), seen[0]);
  await page.locator("#scrub").fill("5");
  await until(page, () => suppleView.frame.frame === 5);
  await page.waitForTimeout(300);
  await shot(page, "back");
  await page.click("#step");
  await until(page, () => suppleView.frame.frame === 6);
  assert.deepEqual(await positions(page), seen[6]);
  assert.equal(await page.getAttribute("#scrub", "max"), "6");
  // It runs: the slider follows.
  await press(page, "run", true);
  await until(page, () => suppleView.frame.frame > 20);
  await until(page, () => Number(document.getElementById("scrub").value) > 20);
  await page.locator("#scrub").fill("10");
  await until(page, () => suppleView.frame.frame === 10 && !suppleView.state.running);
});

test("a slider's move is taken back by a button and by the keyboard", async () => {
  const young = () => page.evaluate(() => suppleView.state.values.bodies[0].young);
  const first = await young();
  assert.ok(await page.isDisabled("#undo"));
  // One move over many values, with the mouse.
  const box = await page.locator("#young").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.8 * box.width, box.y + box.height / 2, { steps: 12 });
  await page.waitForTimeout(200);
  await page.mouse.move(box.x + 0.7 * box.width, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await until(page, (f) => suppleView.state.values.bodies[0].young !== f && !suppleView.state.building, first);
  await page.waitForTimeout(200);
  const moved = await young();
  await page.locator("#damping").fill("3");
  await until(page, () => suppleView.state.values.damping === 3);
  assert.equal(await page.getAttribute("#undo", "title"), "Take back: damping");
  await page.click("#undo");
  await until(page, () => suppleView.state.values.damping === 0);
  await page.locator("#canvas").focus();
  await page.keyboard.press("Control+z");
  await until(page, (f) => suppleView.state.values.bodies[0].young === f && !suppleView.state.building, first);
  assert.ok(await page.isDisabled("#undo"));
  await page.keyboard.press("y");
  await until(page, (m) => suppleView.state.values.bodies[0].young === m && !suppleView.state.building, moved);
  await page.keyboard.press("z");
  await until(page, (f) => suppleView.state.values.bodies[0].young === f && !suppleView.state.building, first);
  // From a slider that has the focus, too.
  await page.locator("#damping").fill("2");
  await until(page, () => suppleView.state.values.damping === 2);
  await page.locator("#damping").focus();
  await page.keyboard.press("Control+z");
  await until(page, () => suppleView.state.values.damping === 0);
});

test("panels cover nothing, with and without them, narrow or wide; cameras have keys", async () => {
  await page.locator("#canvas").focus();
  await page.keyboard.press("r");
  await until(page, () => suppleView.frame.frame === 0);
  for (const [width, height] of [[900, 560], [1280, 800], [760, 900]]) {
    await page.setViewportSize({ width, height });
    for (const closed of [false, true]) {
      if (closed) await page.click("#more");
      await page.locator("#canvas").focus();
      for (const key of ["h", "1", "3", "7", "f"]) {
        await page.keyboard.press(key);
        await page.waitForTimeout(80);
        assert.deepEqual((await uncovered(page)).slice(0, 3), [], `${width} by ${height}, ${key}, ${closed ? "closed" : "open"}, from ${await page.evaluate(() => suppleView.camera)}`);
      }
      if (closed) await page.click("#more");
    }
  }
  // A legend appears: nothing is below it either, and the camera stays.
  await page.setViewportSize({ width: 900, height: 560 });
  await page.click("#home");
  const eye = await page.evaluate(() => suppleView.camera);
  await page.selectOption("#colour", "stress");
  await page.waitForSelector("#legend:not([hidden])");
  await page.waitForTimeout(200);
  assert.deepEqual(await uncovered(page), []);
  assert.deepEqual(await page.evaluate(() => suppleView.camera), eye);
  await shot(page, "legend");
  await page.selectOption("#colour", "");
  await page.click("#above");
  await page.waitForTimeout(100);
  const [x, y, z] = await page.evaluate(() => suppleView.camera);
  assert.ok(y > Math.hypot(x, z), `${[x, y, z]}`);
  await page.click("#home");
  const again = await page.evaluate(() => suppleView.camera);
  again.forEach((c, i) => assert.ok(Math.abs(c - eye[i]) < 1e-9, `${again} for ${eye}`));
});

test("the scene's own camera is used, and its colours", async () => {
  const path = join(ARTEFACTS, "camera.toml");
  const text = execFileSync(SUPPLE, ["demo", "--print", "swing"]).toString().replace(/\[output\][\s\S]*/, "");
  writeFileSync(path, `${text.replace(/name = "(\w+)"/, 'name = "$1"\ncolour = "#123456"')}\n[output]\ncamera = { position = [3.0, 1.0, 2.0], target = [0.0, 0.0, 0.0], fov = 45 }\n`);
  const own = await serve(path);
  const watcher = await open(browser, own.address);
  const stands = async () => (await watcher.evaluate(() => suppleView.camera)).forEach((c, i) => assert.ok(Math.abs(c - [3, 1, 2][i]) < 1e-9, `${c}`));
  await stands();
  const [r, g, b] = await watcher.evaluate(() => suppleView.model.bodies[0].colour);
  [0x12, 0x34, 0x56].forEach((v, i) => assert.ok(Math.abs([r, g, b][i] - v / 255) < 1e-6));
  // What is in the middle of a picture of the scene is in the middle of what nothing covers, and its edges are where the angle says.
  const seen = await watcher.evaluate(() => {
    const rect = (id) => document.getElementById(id).getBoundingClientRect();
    const free = { width: rect("panel").left - 8, top: rect("top").bottom + 8, bottom: rect("bottom").top - 8 };
    return { free, ends: [[0, 0, 0]].map((p) => suppleView.place(p)) };
  });
  const { free, ends: [[x, y]] } = seen;
  assert.ok(Math.abs(x - free.width / 2) < 2 && Math.abs(y - (free.top + free.bottom) / 2) < 2, `${x}, ${y} in ${JSON.stringify(free)}`);
  await watcher.keyboard.press("7");
  await watcher.keyboard.press("h");
  await watcher.waitForTimeout(100);
  await stands();
  await watcher.context().close();
  await own.end();
});

test("friction, wind and muscles have sliders where they mean something", async () => {
  const scene = async (name) => {
    await page.selectOption("#scene", name);
    await until(page, (n) => suppleView.model?.scene === n && suppleView.state.scene === n && !suppleView.state.building, name, 60_000);
  };
  for (const [name, shown] of [["muscle", "muscle"], ["sail", "wind"], ["stairs", "friction"], ["swing", ""]]) {
    await scene(name);
    for (const key of ["muscle", "wind", "friction"]) assert.equal(await page.isVisible(`#${key}`), key === shown, `${key} of ${name}`);
    if (shown === "muscle") assert.equal(await page.textContent("output[for=muscle]"), "as the scene says");
    if (!shown) continue;
    const before = await page.evaluate((k) => suppleView.state.values[k], shown);
    await page.locator(`#${shown}`).fill("0.3");
    await until(page, (k) => suppleView.state.values[k] === 0.3 && !suppleView.state.values.scripted && !suppleView.state.building, shown, 60_000);
    if (shown === "muscle") assert.equal(await page.textContent("output[for=muscle]"), "30 %");
    assert.notEqual(before, 0.3);
    await page.click("#undo");
    await until(page, ([k, b]) => suppleView.state.values[k] === b && !suppleView.state.building, [shown, before], 60_000);
  }
  await scene("beams");
});

test("two methods run side by side, and both are pulled", async () => {
  await press(page, "run", false);
  await page.selectOption("#beside", "admm_published");
  await until(page, () => suppleView.state.beside === "admm_published" && suppleView.beside && suppleView.frame.frame === 0, undefined, 30_000);
  assert.ok(await page.isVisible("#sides"));
  assert.match(await page.textContent("#side-1"), /ADMM as published/);
  await page.keyboard.press("h");
  await page.waitForTimeout(100);
  assert.deepEqual((await uncovered(page, 2)).slice(0, 3), []);
  // From the same start; then each goes its way, at the same time.
  const both = () => page.evaluate(() => [suppleView.frame, suppleView.beside].map((f) => ({ frame: f.frame, iterations: f.iterations, x: Array.from(f.positions.slice(0, 3000)) })));
  const [a, b] = await both();
  assert.deepEqual(a.x, b.x);
  for (let n = 1; n <= 3; n++) {
    await page.click("#step");
    await until(page, (n) => suppleView.frame.frame === n && suppleView.beside.frame === n, n);
  }
  const [c, d] = await both();
  assert.notDeepEqual(c.x, d.x);
  assert.match(await page.textContent("#side-0"), /^auto\nconverged: \d+ iterations? · [\d.]+ ms$/);
  // Each half shows its own: the same vertex is half of the free width apart.
  const [p, q] = await page.evaluate(() => [0, 1].map((side) => suppleView.project(0, side)));
  assert.ok(q[0] - p[0] > 200 && Math.abs(q[1] - p[1]) < 20, `${p}, ${q}`);
  await press(page, "run", true);
  await until(page, () => suppleView.frame.frame > 12);
  await page.waitForTimeout(400);
  await shot(page, "beside");
  // A pull on the right moves both.
  await page.locator("#damping").fill("8");
  await until(page, () => suppleView.frame.kinetic < 1e-2 && suppleView.beside.kinetic < 1e-1, undefined, 60_000);
  const tip = await page.evaluate(() => {
    const b = suppleView.model.bodies[3], p = suppleView.frame.positions;
    const all = Array.from({ length: b.vertices }, (_, k) => b.first + k);
    const end = Math.max(...all.map((v) => p[3 * v]));
    return all.filter((v) => p[3 * v] > end - 1e-3).sort((a, c) => suppleView.project(c)[1] - suppleView.project(a)[1])[0];
  });
  const heights = () => page.evaluate((v) => [suppleView.frame, suppleView.beside].map((f) => f.positions[3 * v + 1]), tip);
  const at = await page.evaluate((v) => {
    const b = suppleView.model.bodies[3], [x, y] = suppleView.project(v, 1);
    const all = Array.from({ length: b.vertices }, (_, k) => suppleView.project(b.first + k, 1));
    const [mx, my] = [0, 1].map((c) => all.reduce((sum, q) => sum + q[c], 0) / all.length);
    return [x + 0.15 * (mx - x), y + 0.15 * (my - y)];
  }, tip);
  const low = await heights();
  await page.mouse.move(...at);
  await page.mouse.down();
  await until(page, () => suppleView.state.held === 1);
  await page.mouse.move(at[0], at[1] - 90, { steps: 4 });
  await page.waitForTimeout(1200);
  const high = await heights();
  await shot(page, "beside-pulled");
  await page.mouse.up();
  assert.ok(high.every((h, i) => h > low[i] + 0.05), `${low} to ${high}`);
  await page.selectOption("#beside", "");
  await until(page, () => suppleView.state.beside === null && !suppleView.beside);
  assert.ok(await page.isHidden("#sides"));
  await page.click("#undo");
  await until(page, () => suppleView.state.values.damping === 0);
});

test("frame rate and real-time factor are shown while it runs", async () => {
  await press(page, "run", true);
  await until(page, () => /^\d+ fps · [\d.]+ × real time$/.test(document.getElementById("rate").textContent), undefined, 20_000);
  await page.waitForTimeout(2500);
  const [fps, factor] = (await page.textContent("#rate")).match(/[\d.]+/g).map(Number);
  console.log(`${fps} fps, ${factor} × real time`);
  // 25 frames per second of 40 ms; machines that are busy are slower, none is faster than real time, and nothing is shown that was not simulated.
  assert.ok(fps >= 1 && fps <= 27 && factor > 0 && factor < 1.1 && 0.04 * (fps - 1) < 1.1 * factor, `${fps}, ${factor}`);
  await press(page, "run", false);
  assert.equal(await page.textContent("#rate"), "");
});

const CUBE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

test("a scene, a mesh and a checkpoint are opened, chosen or dropped", async () => {
  await press(page, "run", true);
  const mesh = join(ARTEFACTS, "my cube.obj");
  // Longer than one message may be.
  writeFileSync(mesh, CUBE + `# ${"-".repeat(78)}\n`.repeat(20_000));
  await page.setInputFiles("#file", mesh);
  await until(page, () => suppleView.model?.scene === "my cube" && suppleView.frame?.frame > 5, undefined, 60_000);
  assert.equal(await page.inputValue("#scene"), "my cube");
  await page.waitForTimeout(600);
  await shot(page, "opened");
  // A scene with its mesh, dropped.
  const scene = `version = 1\n[[body]]\nname = "mine"\nmesh = "cube.obj"\nfill = { tets = 300 }\nmaterial = { kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }\n`;
  const drop = (files) => page.evaluate((files) => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([text], name));
    dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  }, files);
  await drop([["dropped.toml", scene], ["cube.obj", CUBE]]);
  await until(page, () => suppleView.model?.scene === "dropped" && suppleView.model.bodies[0].name === "mine" && suppleView.frame, undefined, 30_000);
  // What is wrong is told, and the scene stays.
  await drop([["broken.obj", "f 1 2 3\n"]]);
  await page.waitForSelector("#note:not([hidden])");
  assert.match(await page.textContent("#note"), /broken\.obj/);
  await until(page, () => !suppleView.state.building);
  assert.equal((await now(page)).state.scene, "dropped");
  await drop([["alone.toml", scene]]);
  await until(page, () => /cube\.obj` is missing/.test(document.getElementById("note").textContent));
  // A checkpoint of a run goes to its state.
  const out = join(ARTEFACTS, "run");
  execFileSync(SUPPLE, ["demo", "swing", "--frames", "6", "--checkpoint-every", "6", "--out", out, "--force", "--quiet"]);
  await page.selectOption("#scene", "swing");
  await until(page, () => suppleView.model?.scene === "swing" && suppleView.state.scene === "swing" && suppleView.frame?.frame > 8, undefined, 30_000);
  await page.setInputFiles("#file", join(out, "swing-0006.checkpoint"));
  await until(page, () => suppleView.frame.frame === 6 && !suppleView.state.running);
  assert.ok(readFileSync(join(out, "swing-0006.checkpoint")).subarray(0, 8).equals(Buffer.from("SUPPLECK")));
});

test("new controls have names, and can be reached by the keyboard", async () => {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send("Accessibility.getFullAXTree");
  const names = nodes.filter((n) => !n.ignored && ["button", "slider", "combobox"].includes(n.role?.value)).map((n) => n.name.value);
  for (const name of ["Undo Z", "Redo Y", "Open…", "Home H", "Front 1", "Right 3", "Top 7", "Frame", "Beside"]) {
    assert.ok(names.some((n) => n.startsWith(name)), `${name} is not among ${names}`);
  }
  // In the order of the page.
  await page.locator("#play").focus();
  await page.keyboard.press("Shift+Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "scrub");
});
