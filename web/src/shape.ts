// The surface of a body: positions, normals and colours of its vertices as drawn.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Mesh, MeshStandardMaterial } from "three";
import { paint, type Range } from "./colour";
import type { Body, Field, Frame } from "./stream";

/** Unit normals at vertices: sums over the faces around, by their areas. */
export function normals(positions: Float32Array, triangles: Uint32Array, out: Float32Array): void {
  out.fill(0);
  const p = positions;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    out[a] += nx; out[a + 1] += ny; out[a + 2] += nz;
    out[b] += nx; out[b + 1] += ny; out[b + 2] += nz;
    out[c] += nx; out[c + 1] += ny; out[c + 2] += nz;
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]);
    if (length > 0) {
      out[i] /= length; out[i + 1] /= length; out[i + 2] /= length;
    } else {
      out[i + 1] = 1;
    }
  }
}

/** Positions of a body's vertices as drawn. */
export function drawn(body: Body, positions: Float32Array, out: Float32Array): void {
  for (let i = 0; i < body.origin.length; i++) {
    const from = 3 * (body.first + body.origin[i]);
    out[3 * i] = positions[from];
    out[3 * i + 1] = positions[from + 1];
    out[3 * i + 2] = positions[from + 2];
  }
}

export class Shape {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly colour: BufferAttribute;
  private readonly own: Color;
  private painted = false;

  constructor(private readonly body: Body) {
    const count = body.origin.length;
    const attribute = () => new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage);
    [this.position, this.normal, this.colour] = [attribute(), attribute(), attribute()];
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.colour);
    geometry.setIndex(new BufferAttribute(body.triangles, 1));
    const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0, side: DoubleSide });
    this.mesh = new Mesh(geometry, material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    if (body.glass) {
      Object.assign(material, { transparent: true, opacity: 0.28, depthWrite: false });
      this.mesh.castShadow = false;
      this.mesh.renderOrder = 1;
    }
    // It moves anywhere: whether it is in the picture is not worth asking.
    this.mesh.frustumCulled = false;
    this.own = new Color().setRGB(...body.colour, "srgb");
    this.plain();
  }

  private plain(): void {
    const out = this.colour.array as Float32Array;
    for (let i = 0; i < out.length; i += 3) this.own.toArray(out, i);
    this.colour.needsUpdate = true;
    this.painted = false;
  }

  update(frame: Frame, field: Field | "", range: Range): void {
    drawn(this.body, frame.positions, this.position.array as Float32Array);
    normals(this.position.array as Float32Array, this.body.triangles, this.normal.array as Float32Array);
    this.position.needsUpdate = this.normal.needsUpdate = true;
    const values = field === "" ? undefined : frame.fields[field];
    if (values) {
      const out = this.colour.array as Float32Array;
      this.body.origin.forEach((v, i) => paint(values[this.body.first + v], range.low, range.high, out, 3 * i));
      this.colour.needsUpdate = this.painted = true;
    } else if (field === "" && this.painted) {
      this.plain();
    }
  }

  wire(on: boolean): void {
    this.mesh.material.wireframe = on;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
