// The module of the solver and its boundary: crates/supple-web/src/boundary.rs. No DOM: it runs in a worker, and in Node for tests.

interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  output_length(): number;
  start(): void;
  put_file(name: number): number;
  open_text(name: number, megabytes: number): number;
  open_built_in(): number;
  open_surface(): number;
  command(): void;
  wait(): number;
  advance(): void;
  next_message(): number;
  scene_file(): void;
  lanes_differ(): number;
  record_frames(frames: number): number;
  time_steps(steps: number): number;
}

/** What the solver says: bytes of docs/stream-format.md, the state as JSON, or why something was refused. */
export type Said = { kind: "binary"; bytes: Uint8Array } | { kind: "state" | "refused"; text: string };

export class Module {
  private readonly text = new TextDecoder();
  private readonly bytes = new TextEncoder();

  private constructor(readonly exports: Exports) {}

  static async start(module: WebAssembly.Module): Promise<Module> {
    const now = () => performance.now() / 1000;
    const instance = await WebAssembly.instantiate(module, { page: { now } });
    const made = new Module(instance.exports as unknown as Exports);
    made.exports.start();
    return made;
  }

  /** Writes texts and bytes, one after another, into the input; gives the length of the first. */
  put(...parts: (string | Uint8Array)[]): number {
    const all = parts.map((p) => (typeof p === "string" ? this.bytes.encode(p) : p));
    const length = all.reduce((sum, p) => sum + p.length, 0);
    let at = this.exports.input(length);
    for (const part of all) {
      new Uint8Array(this.exports.memory.buffer, at, part.length).set(part);
      at += part.length;
    }
    return all[0]?.length ?? 0;
  }

  /** A copy of the answer. */
  answer(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer, this.exports.output() >>> 0, this.exports.output_length() >>> 0).slice();
  }

  words(): string {
    return this.text.decode(this.answer());
  }

  next(): Said | null {
    const kind = this.exports.next_message();
    if (kind === 0) return null;
    return kind === 1 ? { kind: "binary", bytes: this.answer() } : { kind: kind === 2 ? "state" : "refused", text: this.words() };
  }
}
