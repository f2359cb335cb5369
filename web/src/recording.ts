// A recorded run inside of the page itself: it plays, and there is nothing else to be asked of it.
import type { Command, Listener, Solver, State } from "./solver";
import { decode, type Frame, type Model } from "./stream";

/** The messages of a report: base64 of records, each a length (u32) and a message. */
export function unpack(text: string): { model: Model; frames: Frame[] } {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  let model: Model | null = null;
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at, true);
    const message = decode(bytes.buffer.slice(at + 4, at + 4 + length));
    if (message.kind === "model") model = message;
    else frames.push(message);
    at += 4 + length;
  }
  if (!model || frames.length === 0) throw new Error("the report has no frames");
  return { model, frames };
}

export class Recording implements Solver {
  readonly recorded: { frames: Frame[]; show(index: number): void; at: number };
  private running = true;
  private speed = 1;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(text: string, private readonly listener: Listener) {
    const { model, frames } = unpack(text);
    this.recorded = { frames, at: 0, show: (index) => this.show(index) };
    listener.model(model);
    this.show(0);
    this.tell();
    this.play();
  }

  private get last(): number {
    return this.recorded.frames.length - 1;
  }

  private show(index: number): void {
    this.recorded.at = Math.min(Math.max(Math.round(index), 0), this.last);
    this.listener.frame(this.recorded.frames[this.recorded.at]);
  }

  private play(): void {
    clearTimeout(this.timer);
    const { frames, at } = this.recorded;
    if (!this.running || this.last === 0) return;
    const next = at === this.last ? 0 : at + 1;
    const dt = next === 0 ? 1 : frames[next].time - frames[at].time;
    const wait = this.speed === 0 ? 0 : dt / this.speed;
    this.timer = setTimeout(() => {
      this.show(next);
      this.play();
    }, 1000 * Math.min(wait, 10));
  }

  private tell(): void {
    const state: State = {
      scene: "", scenes: [], running: this.running, speed: this.speed, building: false, held: 0,
      nodes: 0, elements: 0, threads: 0, values: null, beside: null, undo: null, redo: null, error: null, note: null,
    };
    this.listener.state(state);
  }

  send(command: Command): void {
    switch (command.type) {
      case "run": this.running = command.on; break;
      case "step": this.running = false; this.show(this.recorded.at + 1); break;
      case "reset": this.running = false; this.show(0); break;
      case "speed": this.speed = command.factor; break;
      default: return;
    }
    this.tell();
    this.play();
  }

  sceneFile(): Promise<string> {
    return Promise.reject(new Error("a report has no scene file"));
  }
}
