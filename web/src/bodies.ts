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

  update(frame: Frame): void {
    this.frame = frame;
    const values = this.field === "" ? undefined : frame.fields[this.field];
    if (values) this.range.add(values);
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
