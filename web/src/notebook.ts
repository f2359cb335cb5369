// A solver behind the page's frame: a notebook's widget, whose kernel has the simulation. It steps when it is asked for the next frame, which is
// once the last one is here and its time has come; so a busy kernel is never asked twice.
import type { Command, Listener, Solver } from "./solver";
import { decode, type Frame } from "./stream";

/** In place of a recorded run: the page of a widget. */
export const NOTEBOOK = "notebook";

export class NotebookSolver implements Solver {
  private running = false;
  private asked = false;
  private speed = 1;
  private last: Frame | null = null;
  private due = 0;

  constructor(private readonly listener: Listener) {
    window.addEventListener("message", (event) => {
      // Only the widget that made this frame.
      if (event.source === window.parent) this.take(event.data);
    });
    this.tell({ type: "hello" });
  }

  private take(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      const message = decode(data);
      if (message.kind === "model") {
        this.last = null;
        this.listener.model(message);
        return;
      }
      this.asked = false;
      const passed = this.last ? message.time - this.last.time : 0;
      this.last = message;
      this.listener.frame(message);
      const now = performance.now();
      // As fast as it goes, or when its time has come; what is late does not catch up.
      this.due = this.speed === 0 ? now : Math.max(this.due, now - 100) + (1000 * Math.max(passed, 0)) / this.speed;
      this.next();
      return;
    }
    const message = JSON.parse(String(data));
    if (message.type === "state") {
      this.running = message.running;
      this.speed = message.speed;
      this.listener.state(message);
      this.next();
    } else if (message.type === "refused") {
      this.asked = false;
      this.listener.refused(message.reason);
    }
  }

  private next(): void {
    if (!this.running || this.asked) return;
    this.asked = true;
    setTimeout(() => {
      if (this.running) this.tell({ type: "next" });
      else this.asked = false;
    }, Math.max(0, this.due - performance.now()));
  }

  private tell(message: Command | { type: "hello" } | { type: "next" }): void {
    // The widget's origin is the notebook's, which this page does not know; it tells nothing but what is pressed.
    window.parent.postMessage(JSON.stringify(message), "*");
  }

  send(command: Command): void {
    this.tell(command);
  }

  sceneFile(): Promise<string> {
    return Promise.reject(new Error("the notebook has the scene"));
  }
}
