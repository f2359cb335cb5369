// Which point of which body is below the pointer.
import { Camera, Ray, Raycaster, Vector2, Vector3 } from "three";
import type { Frame, Model } from "./stream";

/** How near to a vertex of a net the pointer must be, in pixels. */
const NEAR = 22;

export interface Hit {
  /** Vertices around the point, numbered over all bodies. */
  vertices: number[];
  at: Vector3;
}

/** The ray through a point of the canvas, in pixels. */
export function rayAt(camera: Camera, x: number, y: number, width: number, height: number): Ray {
  const caster = new Raycaster();
  caster.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
  return caster.ray;
}

/** The nearest point of a surface, or vertex of a net, at a point of the canvas. */
export function pick(
  model: Model, frame: Frame, camera: Camera, x: number, y: number, width: number, height: number,
): Hit | null {
  const ray = rayAt(camera, x, y, width, height);
  const at = (v: number) => new Vector3().fromArray(frame.positions, 3 * v);
  const found = new Vector3(), corners = [new Vector3(), new Vector3(), new Vector3()];
  let best: Hit | null = null, nearest = Infinity;
  for (const body of model.bodies.filter((b) => !b.obstacle)) {
    for (let t = 0; t < body.triangles.length; t += 3) {
      for (let k = 0; k < 3; k++) corners[k].fromArray(frame.positions, 3 * (body.first + body.origin[body.triangles[t + k]]));
      if (!ray.intersectTriangle(corners[0], corners[1], corners[2], false, found)) continue;
      const away = found.distanceTo(ray.origin);
      if (away < nearest) {
        nearest = away;
        best = { vertices: [0, 1, 2].map((k) => body.first + body.origin[body.triangles[t + k]]), at: found.clone() };
      }
    }
  }
  if (best) return best;
  let closest = NEAR;
  for (const body of model.bodies.filter((b) => b.edges.length > 0 && !b.obstacle)) {
    for (let v = body.first; v < body.first + body.vertices; v++) {
      const place = at(v), seen = place.clone().project(camera);
      const pixels = Math.hypot(((seen.x + 1) / 2) * width - x, ((1 - seen.y) / 2) * height - y);
      if (pixels < closest && seen.z < 1) {
        closest = pixels;
        best = { vertices: [v], at: place };
      }
    }
  }
  return best;
}
