// All that is seen of a model.
import { Box3, Group, Vector3 } from "three";
import { Range } from "./colour";
import { Marks } from "./marks";
import { Rods } from "./rods";
import { Shape } from "./shape";
import type { Field, Frame, Model } from "./stream";

/** Thickness of springs and of marks, as a part of the size of the scene. */
const ROD = 0.003;
const MARK = 0.006;

export class Bodies {
  readonly group = new Group();
  range = new Range();
  private readonly shapes: Shape[] = [];
  private readonly rods: Rods[] = [];
  private readonly marks: Marks;
  private field: Field | "" = "";
  frame: Frame | null = null;

  constructor(readonly model: Model) {
    const size = new Vector3(...model.bounds[0]).distanceTo(new Vector3(...model.bounds[1]));
    for (const body of model.bodies) {
      if (body.triangles.length > 0) this.shapes.push(new Shape(body));
      if (body.edges.length > 0) this.rods.push(new Rods(body, ROD * size));
    }
    this.marks = new Marks(model, MARK * size);
    this.group.add(...this.shapes.map((s) => s.mesh), ...this.rods.map((r) => r.mesh), ...this.marks.meshes);
  }

  /** `range`: of the colours, if they are to be those of other bodies. */
  update(frame: Frame, range?: Range): void {
    this.frame = frame;
    if (range) this.range = range;
    const values = this.field === "" ? undefined : frame.fields[this.field];
    if (values && !range) this.range.add(values);
    for (const shape of this.shapes) shape.update(frame, this.field, this.range);
    for (const rods of this.rods) rods.update(frame);
    this.marks.update(frame);
  }

  colourBy(field: Field | ""): void {
    this.field = field;
    this.range = new Range();
    if (this.frame) this.update(this.frame);
  }

  wire(on: boolean): void {
    for (const shape of this.shapes) shape.wire(on);
  }

  showMarks(on: boolean): void {
    for (const mesh of this.marks.meshes) mesh.visible = on;
  }

  theme(name: "light" | "dark"): void {
    this.marks.theme(name);
  }

  /** How far the body has gone that the camera goes along with; null if there is none. */
  way(from: Frame | null, to: Frame): Vector3 | null {
    const body = this.model.follow === null ? undefined : this.model.bodies[this.model.follow];
    if (!body || !from || body.vertices === 0) return null;
    const way = new Vector3();
    for (let i = 3 * body.first; i < 3 * (body.first + body.vertices); i += 3) {
      way.x += to.positions[i] - from.positions[i];
      way.y += to.positions[i + 1] - from.positions[i + 1];
      way.z += to.positions[i + 2] - from.positions[i + 2];
    }
    return way.divideScalar(body.vertices);
  }

  /** A box around the present frame. */
  box(): Box3 {
    const box = new Box3();
    if (this.frame) box.setFromArray(this.frame.positions);
    return box;
  }

  dispose(): void {
    for (const part of [...this.shapes, ...this.rods, this.marks]) part.dispose();
  }
}
