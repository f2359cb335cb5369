// Springs as thin rods, all of a body in one draw call.
import { CylinderGeometry, Color, DynamicDrawUsage, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import type { Body, Frame } from "./stream";

const UP = new Vector3(0, 1, 0);

export class Rods {
  readonly mesh: InstancedMesh<CylinderGeometry, MeshStandardMaterial>;

  constructor(private readonly body: Body, private readonly radius: number) {
    const colour = new Color().setRGB(...body.colour, "srgb");
    const material = new MeshStandardMaterial({ color: colour, roughness: 0.6 });
    this.mesh = new InstancedMesh(new CylinderGeometry(1, 1, 1, 6, 1, true), material, body.edges.length / 2);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
  }

  update(frame: Frame): void {
    const { edges, first } = this.body;
    const a = new Vector3(), b = new Vector3(), matrix = new Matrix4(), turn = new Quaternion(), scale = new Vector3();
    for (let e = 0; e < edges.length; e += 2) {
      a.fromArray(frame.positions, 3 * (first + edges[e]));
      b.fromArray(frame.positions, 3 * (first + edges[e + 1]));
      const length = a.distanceTo(b);
      scale.set(this.radius, length, this.radius);
      const way = b.clone().sub(a).divideScalar(length || 1);
      turn.setFromUnitVectors(UP, way);
      this.mesh.setMatrixAt(e / 2, matrix.compose(a.add(b).multiplyScalar(0.5), turn, scale));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}
