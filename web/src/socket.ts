// A solver behind a WebSocket. When the connection is lost it is tried again, with longer and longer pauses.
import type { Command, Listener, Solver } from "./solver";
import { decode } from "./stream";

const LONGEST_PAUSE = 4000;
/** Bytes of files at a time, and of a message that carries them: docs/stream-format.md. */
const MOST = 64 << 20;
const PIECE = 1 << 19;

export class SocketSolver implements Solver {
  private socket: WebSocket | null = null;
  private pause = 250;
  private readonly query: string;
  /** What the next connection is to be told again. */
  private colour: Command | null = null;

  constructor(private readonly listener: Listener) {
    const token = new URLSearchParams(location.search).get("token") ?? "";
    this.query = `?token=${encodeURIComponent(token)}`;
    this.connect();
  }

  private connect(): void {
    const socket = new WebSocket(`ws://${location.host}/ws${this.query}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.pause = 250;
      this.listener.lost(null);
      if (this.colour) this.send(this.colour);
    };
    socket.onmessage = (event) => this.take(event.data);
    socket.onclose = () => void this.again();
  }

  private take(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      const message = decode(data);
      if (message.kind === "model") this.listener.model(message);
      else this.listener.frame(message);
      return;
    }
    const message = JSON.parse(String(data));
    if (message.type === "state") this.listener.state(message);
    else if (message.type === "refused") this.listener.refused(message.reason);
  }

  private async again(): Promise<void> {
    this.socket = null;
    let reason = "The connection to the solver is lost; trying again.";
    try {
      // A WebSocket does not say why it was refused; this does.
      const answer = await fetch(`/scene.toml${this.query}`);
      if (answer.status === 403) {
        reason = "The solver was started again and has a new address: open the one that it printed.";
      }
    } catch {
      // Nobody there.
    }
    this.listener.lost(reason);
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }

  send(command: Command): void {
    if (command.type === "colour") this.colour = command;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  /** Announces files and sends them in pieces, no faster than they are taken. */
  async open(files: File[]): Promise<void> {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN) throw new Error("there is no connection");
    const all = files.reduce((sum, f) => sum + f.size, 0);
    if (all > MOST) throw new Error(`${(all / 2 ** 20).toFixed(0)} MiB are too much: ${MOST / 2 ** 20} at a time`);
    socket.send(JSON.stringify({ type: "open", files: files.map((f) => ({ name: f.name, bytes: f.size })) }));
    for (const file of files) {
      for (let at = 0; at < file.size; at += PIECE) {
        const piece = await file.slice(at, at + PIECE).arrayBuffer();
        while (socket.bufferedAmount > 4 * PIECE) await new Promise((done) => setTimeout(done, 5));
        if (socket.readyState !== WebSocket.OPEN) throw new Error("the connection is lost");
        socket.send(piece);
      }
    }
  }

  async sceneFile(): Promise<string> {
    const answer = await fetch(`/scene.toml${this.query}`);
    if (!answer.ok) throw new Error(`the solver answered ${answer.status}`);
    return answer.text();
  }
}
