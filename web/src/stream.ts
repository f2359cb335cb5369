// Messages of the stream, decoded: docs/stream-format.md. No DOM, no network: tests run it in Node.

export const MAGIC = 0x4c505553; // "SUPL", little-endian
export const VERSION = 1;
/** Bytes before the positions of a frame. */
const HEAD = 72;
export const FIELDS = ["stretch", "stress", "velocity"] as const;
export type Field = (typeof FIELDS)[number];

export interface Body {
  name: string;
  /** True for what bodies bump into: it is seen, but cannot be pulled. */
  obstacle: boolean;
  /** True for what one sees through. */
  glass: boolean;
  colour: [number, number, number];
  /** Its first vertex among those of all bodies, and how many it has. */
  first: number;
  vertices: number;
  /** For each vertex as drawn (split at sharp edges) the body's own vertex. */
  origin: Uint32Array;
  /** Triangles by vertices as drawn. */
  triangles: Uint32Array;
  /** Springs, pins and anchors by the body's own vertices. */
  edges: Uint32Array;
  pins: Uint32Array;
  anchors: Uint32Array;
}

export interface Model {
  kind: "model";
  number: number;
  scene: string;
  /** Length of a frame in s. */
  dt: number;
  view: [number, number, number];
  floor: number;
  bounds: [[number, number, number], [number, number, number]];
  /** The scene's camera, its angle in degrees; and the body that it goes along with. */
  camera: { position: [number, number, number]; target: [number, number, number]; fov: number } | null;
  follow: number | null;
  bodies: Body[];
  vertices: number;
}

export interface Frame {
  kind: "frame";
  model: number;
  vertices: number;
  frame: number;
  time: number;
  ms: number;
  iterations: number;
  residual: number;
  status: number;
  /** 0 after a whole step; otherwise the iteration of a step that is not complete. */
  iteration: number;
  inverted: number;
  /** 1: by the method beside. */
  side: number;
  /** Number of the newest frame that can be gone to. */
  newest: number;
  limit: number;
  /** In J. */
  elastic: number;
  kinetic: number;
  positions: Float32Array;
  fields: Partial<Record<Field, Float32Array>>;
}

/** Reads a message. Throws if it is none, of another version, or not of the length that it says. */
export function decode(buffer: ArrayBuffer): Model | Frame {
  const view = new DataView(buffer);
  if (buffer.byteLength < 16 || view.getUint32(0, true) !== MAGIC) throw new Error("this is not a message of supple");
  const version = view.getUint16(4, true);
  if (version !== VERSION) throw new Error(`version ${version} of the stream is not known; this is version ${VERSION}`);
  const kind = view.getUint16(6, true);
  if (kind === 1) return model(buffer, view);
  if (kind === 2) return frame(buffer, view);
  if (kind === 3) return rounded(buffer, view);
  throw new Error(`a message of kind ${kind} is not known`);
}

function model(buffer: ArrayBuffer, view: DataView): Model {
  const length = view.getUint32(12, true);
  if (16 + length > buffer.byteLength) throw new Error("the message ends within its text");
  const about = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 16, length)));
  let at = 16 + length;
  const take = (count: number): Uint32Array => {
    if (!(count >= 0) || at + 4 * count > buffer.byteLength) throw new Error("the message ends within an array");
    const array = new Uint32Array(buffer.slice(at, at + 4 * count));
    at += 4 * count;
    return array;
  };
  let vertices = 0;
  const bodies = about.bodies.map((b: Record<string, any>): Body => {
    const first = vertices;
    vertices += b.vertices;
    return {
      name: b.name, obstacle: b.obstacle === true, glass: b.glass === true, colour: b.colour, first, vertices: b.vertices,
      origin: take(b.drawn), triangles: take(3 * b.triangles), edges: take(2 * b.edges),
      pins: take(b.pins), anchors: take(b.anchors),
    };
  });
  if (at !== buffer.byteLength) throw new Error(`${buffer.byteLength - at} bytes are left over`);
  const { scene, dt, view: from, floor, bounds, camera = null, follow = null } = about;
  return { kind: "model", number: view.getUint32(8, true), scene, dt, view: from, floor, bounds, camera, follow, bodies, vertices };
}

function frame(buffer: ArrayBuffer, view: DataView): Frame {
  if (buffer.byteLength < HEAD) throw new Error("the message ends within its head");
  const count = view.getUint32(12, true);
  const mask = view.getUint8(45);
  const there = FIELDS.filter((_, i) => (mask >> i) & 1);
  const length = HEAD + 4 * count * (3 + there.length);
  if (mask > 7 || view.getUint8(46) > 1 || length !== buffer.byteLength) {
    throw new Error(`a frame of ${count} vertices has ${length} bytes, not ${buffer.byteLength}`);
  }
  const fields: Frame["fields"] = {};
  there.forEach((name, i) => (fields[name] = new Float32Array(buffer, HEAD + 4 * count * (3 + i), count)));
  return { ...head(view), positions: new Float32Array(buffer, HEAD, 3 * count), fields };
}

/** A frame whose coordinates are rounded to steps of a box. */
function rounded(buffer: ArrayBuffer, view: DataView): Frame {
  const start = HEAD + 48;
  const count = buffer.byteLength < start ? 0 : view.getUint32(12, true);
  const length = start + 4 * Math.ceil((6 * count) / 4);
  if (length !== buffer.byteLength) throw new Error(`a rounded frame of ${count} vertices has ${length} bytes, not ${buffer.byteLength}`);
  const box = [0, 1, 2, 3, 4, 5].map((i) => view.getFloat64(HEAD + 8 * i, true));
  const positions = new Float32Array(3 * count);
  for (let i = 0; i < 3 * count; i++) positions[i] = box[i % 3] + box[3 + (i % 3)] * view.getUint16(start + 2 * i, true);
  return { ...head(view), positions, fields: {} };
}

/** The numbers before the positions. */
function head(view: DataView): Omit<Frame, "positions" | "fields"> {
  return {
    kind: "frame", model: view.getUint32(8, true), vertices: view.getUint32(12, true),
    frame: Number(view.getBigUint64(16, true)), time: view.getFloat64(24, true),
    ms: view.getFloat32(32, true), iterations: view.getUint32(36, true), residual: view.getFloat32(40, true),
    status: view.getUint8(44), side: view.getUint8(46), newest: view.getUint32(68, true), iteration: view.getUint32(48, true), inverted: view.getUint32(52, true),
    limit: view.getUint32(56, true),
    elastic: view.getFloat32(60, true), kinetic: view.getFloat32(64, true),
  };
}
