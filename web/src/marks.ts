// Marks of what is held: balls at pins, octahedra at anchors.
import { BufferGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, MeshStandardMaterial, OctahedronGeometry, SphereGeometry } from "three";
import type { Frame, Model } from "./stream";

/** Pins stand out from the background. */
const PIN = { light: 0x2b303a, dark: 0xd5dae2 };

type Instances = InstancedMesh<BufferGeometry, MeshStandardMaterial>;

export class Marks {
  readonly meshes: Instances[] = [];
  private readonly vertices: Uint32Array[] = [];

  constructor(model: Model, private readonly radius: number) {
    this.add(new SphereGeometry(1, 12, 8), PIN.light, model.bodies.map((b) => b.pins.map((p) => b.first + p)));
    this.add(new OctahedronGeometry(1.5), 0xd9488b, model.bodies.map((b) => b.anchors.map((p) => b.first + p)));
  }

  private add(geometry: BufferGeometry, colour: number, lists: Uint32Array[]): void {
    const all = Uint32Array.from(lists.flatMap((l) => [...l]));
    const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ color: colour, roughness: 0.7 }), all.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    this.meshes.push(mesh);
    this.vertices.push(all);
  }

  theme(name: "light" | "dark"): void {
    this.meshes[0].material.color.set(PIN[name]);
  }

  update(frame: Frame): void {
    const matrix = new Matrix4().makeScale(this.radius, this.radius, this.radius);
    this.meshes.forEach((mesh, kind) => {
      this.vertices[kind].forEach((v, i) => {
        matrix.setPosition(frame.positions[3 * v], frame.positions[3 * v + 1], frame.positions[3 * v + 2]);
        mesh.setMatrixAt(i, matrix);
      });
      mesh.instanceMatrix.needsUpdate = true;
    });
  }

  dispose(): void {
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}
