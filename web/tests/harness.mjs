// Starts `supple view` and a real browser, and gives tests a few words for both.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const SUPPLE = process.env.SUPPLE ?? "supple";
export const ARTEFACTS = process.env.SUPPLE_ARTEFACTS ?? "artefacts";
mkdirSync(ARTEFACTS, { recursive: true });

/** A running server: its address, and a way to end it. */
export async function serve(scene, ...words) {
  const env = { ...process.env, ...(words[0]?.token ? { SUPPLE_VIEW_TOKEN: words.shift().token } : {}) };
  const child = spawn(SUPPLE, ["view", scene, "--no-open", ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (d) => (errors += d));
  const address = await new Promise((done, failed) => {
    let text = "";
    child.stdout.on("data", (d) => {
      text += d;
      const line = text.match(/http:\/\/127\.0\.0\.1:\d+\/\?token=\w+/);
      if (line) done(line[0]);
    });
    child.on("exit", (code) => failed(new Error(`supple view left with ${code}: ${errors}`)));
  });
  const end = () =>
    new Promise((done) => {
      if (child.exitCode !== null) return done(child.exitCode);
      child.on("exit", done);
      child.kill("SIGINT");
      setTimeout(() => child.kill("SIGKILL"), 5000).unref();
    });
  return { address, end, child, url: new URL(address) };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic",
    ],
  });
}

/** Opens the page and waits until the first frame is drawn. Errors of the page and of its policy are collected. */
export async function open(browser, address, options = {}) {
  const { requests, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 900, height: 560 }, acceptDownloads: true, ...rest });
  const page = await context.newPage();
  page.wrong = [];
  if (requests) page.on("request", (r) => requests.push(r.url()));
  page.on("pageerror", (e) => page.wrong.push(String(e)));
  page.on("console", (m) => m.type() === "error" && page.wrong.push(m.text()));
  await page.goto(address);
  await page.waitForFunction(() => globalThis.suppleView?.frame && globalThis.suppleView.pictures > 0 && suppleView.state);
  return page;
}

export const shot = (page, name) => page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });

/** What the page has now: the frame without its arrays, the state. */
export const now = (page) =>
  page.evaluate(() => {
    const { frame, state } = globalThis.suppleView;
    const { positions, fields, ...numbers } = frame;
    return { frame: numbers, state };
  });

export const positions = (page) => page.evaluate(() => Array.from(globalThis.suppleView.frame.positions));
/** Presses the button until it runs, or is paused. */
export async function press(page, _run, on) {
  if ((await page.evaluate(() => suppleView.state.running)) !== on) await page.click("#play");
  await until(page, (wanted) => suppleView.state.running === wanted, on);
}

let painter;
/** The colour of a pixel of a picture (PNG bytes), three numbers from 0 to 255; the mean over a few pixels around. */
export async function colourAt(browser, png, [x, y]) {
  painter ??= await (await browser.newContext()).newPage();
  return painter.evaluate(async ([data, x, y]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data: p } = pen.getImageData(Math.round(x) - 2, Math.round(y) - 2, 5, 5);
    return [0, 1, 2].map((c) => p.filter((_, i) => i % 4 === c).reduce((sum, v) => sum + v, 0) / 25);
  }, [png.toString("base64"), x, y]);
}

export const until = (page, test, argument, timeout = 10_000) =>
  page.waitForFunction(test, argument, { timeout, polling: 50 });
