// The one thing that the page knows of the solver. It may be a server behind a WebSocket (socket.ts), the library itself in a worker
// (local.ts), a notebook's kernel behind the frame that the page is in (notebook.ts), or a recorded run (recording.ts).
import type { Field, Frame, Model } from "./stream";

export type Command =
  | { type: "run"; on: boolean }
  | { type: "step" }
  | { type: "iterate" }
  | { type: "reset" }
  | { type: "speed"; factor: number }
  | { type: "scene"; name: string }
  | { type: "set"; key: string; value: unknown; body?: string }
  | { type: "grab"; vertices: number[]; at: number[] }
  | { type: "drag"; to: number[] }
  | { type: "release" }
  | { type: "colour"; by: Field | null };

export interface BodyValues {
  name: string;
  material: string | null;
  young: number | null;
  poisson: number | null;
  stiffness: number | null;
}

export interface State {
  scene: string;
  scenes: { name: string; about: string }[];
  running: boolean;
  speed: number;
  building: boolean;
  /** Points that are held, by all viewers. */
  held: number;
  nodes: number;
  elements: number;
  threads: number;
  values: {
    gravity: [number, number, number];
    damping: number;
    method: string;
    iterations: number;
    tolerance: number;
    weight_rule: string;
    weight_scale: number;
    bodies: BodyValues[];
  } | null;
  error: string | null;
  note: { number: number; text: string } | null;
}

/** What a solver tells. */
export interface Listener {
  model(model: Model): void;
  frame(frame: Frame): void;
  state(state: State): void;
  /** A command that was refused, and why. */
  refused(reason: string): void;
  /** Not connected: why, or null when it is again. */
  lost(reason: string | null): void;
}

/** What a solver is told. */
export interface Solver {
  send(command: Command): void;
  /** The scene with the values as they are now, as a file. */
  sceneFile(): Promise<string>;
  /** A solver in this page: scenes and meshes from the person's disk, and a link to the scene as it is. */
  readonly local?: { open(files: Iterable<File>): Promise<void>; link(): Promise<string> };
  /** A recorded run: its frames, and a way to go to one. */
  readonly recorded?: { frames: Frame[]; show(index: number): void; readonly at: number };
}
