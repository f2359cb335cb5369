// Keeps frames while it records, up to a limit.
import { glb } from "./glb";
import type { Frame, Model } from "./stream";

/** Frames, and bytes of positions, of the longest recording. */
const MOST_FRAMES = 600;
const MOST_BYTES = 256e6;

export class Recorder {
  on = false;
  private model: Model | null = null;
  private frames: Frame[] = [];

  start(model: Model, frame: Frame | null): void {
    this.on = true;
    this.model = model;
    this.frames = frame ? [frame] : [];
  }

  /** Takes a frame; false when there is no room for more. */
  add(frame: Frame): boolean {
    const last = this.frames.at(-1);
    // A reset begins anew; the same frame shown again is no frame.
    if (last && frame.time < last.time) this.frames = [];
    if (frame.iteration === 0 && !(last && frame.time === last.time)) this.frames.push(frame);
    return this.frames.length < MOST_FRAMES && this.frames.length * frame.positions.byteLength < MOST_BYTES;
  }

  get count(): number {
    return this.frames.length;
  }

  /** Ends, with the file; nothing if there was no frame. */
  stop(): Uint8Array | null {
    this.on = false;
    const [model, frames] = [this.model, this.frames];
    [this.model, this.frames] = [null, []];
    return model && frames.length > 0 ? glb(model, frames) : null;
  }
}
