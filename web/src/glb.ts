// A recorded run as binary glTF: one mesh per body, one morph target per frame, an animation of their weights.
import { drawn, normals } from "./shape";
import { linear } from "./colour";
import type { Frame, Model } from "./stream";

const FLOAT = 5126, UNSIGNED = 5125;

/** Collects arrays into one buffer, with a view and an accessor for each. */
class Chunk {
  readonly parts: Uint8Array[] = [];
  readonly views: object[] = [];
  readonly accessors: object[] = [];
  private length = 0;

  add(array: Float32Array | Uint32Array, type: "SCALAR" | "VEC3", target?: number, bounds = false): number {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    this.parts.push(bytes);
    this.views.push({ buffer: 0, byteOffset: this.length, byteLength: bytes.length, ...(target ? { target } : {}) });
    this.length += bytes.length;
    const width = type === "VEC3" ? 3 : 1;
    const accessor: Record<string, unknown> = {
      bufferView: this.views.length - 1, componentType: array instanceof Float32Array ? FLOAT : UNSIGNED,
      count: array.length / width, type,
    };
    if (bounds) {
      const min = new Array(width).fill(Infinity), max = new Array(width).fill(-Infinity);
      array.forEach((v, i) => {
        min[i % width] = Math.min(min[i % width], v);
        max[i % width] = Math.max(max[i % width], v);
      });
      Object.assign(accessor, { min, max });
    }
    this.accessors.push(accessor);
    return this.accessors.length - 1;
  }
}

const minus = (a: Float32Array, b: Float32Array) => a.map((v, i) => v - b[i]);

/** The file. Frames are those of the model, in order, at least one. */
export function glb(model: Model, frames: Frame[]): Uint8Array {
  const chunk = new Chunk();
  const start = frames[0].time;
  const times = chunk.add(Float32Array.from(frames, (f, i) => Math.max(f.time - start, i * 1e-6)), "SCALAR", undefined, true);
  // Frame 0 is the base, frame k the target k − 1: each is alone at its time.
  const targets = frames.length - 1;
  const weights = new Float32Array(frames.length * targets);
  for (let k = 1; k < frames.length; k++) weights[k * targets + k - 1] = 1;
  const output = targets > 0 ? chunk.add(weights, "SCALAR") : -1;
  const meshes: object[] = [], nodes: object[] = [], materials: object[] = [], channels: object[] = [];
  for (const body of model.bodies) {
    const lines = body.triangles.length === 0;
    const count = lines ? body.vertices : body.origin.length;
    if (count === 0) continue;
    const at = (frame: Frame): [Float32Array, Float32Array | null] => {
      if (lines) return [frame.positions.slice(3 * body.first, 3 * (body.first + body.vertices)), null];
      const p = new Float32Array(3 * count), n = new Float32Array(3 * count);
      drawn(body, frame.positions, p);
      normals(p, body.triangles, n);
      return [p, n];
    };
    const [base, baseNormals] = at(frames[0]);
    const attributes = (p: Float32Array, n: Float32Array | null) => ({
      POSITION: chunk.add(p, "VEC3", 34962, true), ...(n ? { NORMAL: chunk.add(n, "VEC3", 34962) } : {}),
    });
    const primitive: Record<string, unknown> = {
      attributes: attributes(base, baseNormals), material: materials.length, mode: lines ? 1 : 4,
      indices: chunk.add(lines ? body.edges : body.triangles, "SCALAR", 34963),
    };
    if (targets > 0) {
      primitive.targets = frames.slice(1).map((frame) => {
        const [p, n] = at(frame);
        return attributes(minus(p, base), n && baseNormals && minus(n, baseNormals));
      });
      channels.push({ sampler: 0, target: { node: nodes.length, path: "weights" } });
    }
    materials.push({
      name: body.name, doubleSided: true,
      pbrMetallicRoughness: { baseColorFactor: [...body.colour.map(linear), 1], metallicFactor: 0, roughnessFactor: 0.6 },
    });
    nodes.push({ name: body.name, mesh: meshes.length });
    meshes.push({ name: body.name, primitives: [primitive], ...(targets > 0 ? { weights: new Array(targets).fill(0) } : {}) });
  }
  const binary = join(chunk.parts);
  const json = {
    asset: { version: "2.0", generator: "supple" }, scene: 0, scenes: [{ nodes: nodes.map((_, i) => i) }], nodes, meshes, materials,
    ...(channels.length > 0 ? { animations: [{ samplers: [{ input: times, output, interpolation: "LINEAR" }], channels }] } : {}),
    buffers: [{ byteLength: binary.length }], bufferViews: chunk.views, accessors: chunk.accessors,
  };
  return pack(new TextEncoder().encode(JSON.stringify(json)), binary);
}

function join(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

/** Head, JSON and binary chunk; each chunk is as long as a multiple of four. */
function pack(json: Uint8Array, binary: Uint8Array): Uint8Array {
  const text = new Uint8Array(Math.ceil(json.length / 4) * 4).fill(0x20);
  text.set(json);
  const length = 12 + 8 + text.length + 8 + binary.length;
  const head = (...words: number[]) => new Uint8Array(Uint32Array.from(words).buffer);
  return join([head(0x46546c67, 2, length), head(text.length, 0x4e4f534a), text, head(binary.length, 0x004e4942), binary]);
}
