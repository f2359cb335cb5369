// The worker: it has the solver to itself, takes a frame whenever one is due, and looks for mail in between.
import { Module } from "./module";
import type { Command } from "./solver";

/** What can be opened. */
export type Opening =
  | { type: "built_in"; name: string | null }
  | { type: "text"; name: string; text: string; megabytes: number }
  | { type: "surface"; name: string };

export type ToWorker =
  | Opening
  | { type: "start"; module: WebAssembly.Module }
  | { type: "file"; name: string; bytes: Uint8Array }
  | { type: "command"; command: Command }
  | { type: "scene"; number: number }
  | { type: "rest"; on: boolean }
  | { type: "taken" };

export type FromWorker =
  | { type: "binary"; bytes: ArrayBuffer }
  | { type: "state"; text: string }
  | { type: "refused"; reason: string }
  | { type: "opened"; mail: Opening }
  | { type: "scene"; number: number; text: string }
  | { type: "broken"; reason: string };

/** Frames on their way to the page: more would only wait there. */
const AHEAD = 2;

const page = globalThis as unknown as { postMessage(message: FromWorker, transfer?: Transferable[]): void; onmessage: unknown };
let solver: Module | null = null;
let first = "";
let onTheirWay = 0;
let resting = false;
let timer: ReturnType<typeof setTimeout> | undefined;

// A task that comes after the mail that is there, without the pause that timers have.
const channel = new MessageChannel();
let asked = false;
channel.port1.onmessage = () => { asked = false; guard(turn); };
function soon(): void {
  if (!asked) channel.port2.postMessage(null);
  asked = true;
}

function tell(): void {
  while (solver && onTheirWay < AHEAD) {
    const said = solver.next();
    if (!said) return;
    if (said.kind === "binary") {
      onTheirWay++;
      page.postMessage({ type: "binary", bytes: said.bytes.buffer as ArrayBuffer }, [said.bytes.buffer as ArrayBuffer]);
    } else if (said.kind === "state") page.postMessage({ type: "state", text: said.text });
    else page.postMessage({ type: "refused", reason: said.text });
  }
}

function turn(): void {
  clearTimeout(timer);
  if (!solver || resting) return;
  solver.exports.advance();
  tell();
  const wait = solver.exports.wait();
  if (wait < 0) return;
  if (wait < 1e-3) soon();
  else timer = setTimeout(() => guard(turn), 1000 * wait);
}

function take(mail: ToWorker): void {
  if (!solver) return;
  const { exports } = solver;
  switch (mail.type) {
    case "built_in":
      solver.put(mail.name ?? first);
      if (exports.open_built_in()) page.postMessage({ type: "opened", mail });
      break;
    case "text":
      if (exports.open_text(solver.put(mail.name, mail.text), mail.megabytes)) page.postMessage({ type: "opened", mail });
      break;
    case "file":
      if (!exports.put_file(solver.put(mail.name, mail.bytes))) page.postMessage({ type: "refused", reason: solver.words() });
      break;
    case "surface":
      solver.put(mail.name);
      if (exports.open_surface()) page.postMessage({ type: "opened", mail });
      break;
    case "command": solver.put(JSON.stringify(mail.command)); exports.command(); break;
    case "scene": exports.scene_file(); page.postMessage({ type: "scene", number: mail.number, text: solver.words() }); return;
    case "rest": resting = mail.on; break;
    case "taken": onTheirWay--; tell(); return;
  }
  turn();
}

/** A trap ends the solver: nobody knows what it looks like inside. */
function guard(work: () => void): void {
  try {
    work();
  } catch (error) {
    solver = null;
    page.postMessage({ type: "broken", reason: String(error) });
  }
}

const early: ToWorker[] = [];
page.onmessage = (event: MessageEvent<ToWorker>) => {
  const mail = event.data;
  if (mail.type === "start") {
    Module.start(mail.module).then((made) => {
      solver = made;
      first = made.words();
      early.splice(0).forEach((m) => guard(() => take(m)));
    }, (error) => page.postMessage({ type: "broken", reason: String(error) }));
  } else if (solver) guard(() => take(mail));
  else early.push(mail);
};
