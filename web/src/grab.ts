// A body is grabbed with mouse, pen or finger and pulled in the plane of the screen.
import { BufferGeometry, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, SphereGeometry, Vector3 } from "three";
import type { Bodies } from "./bodies";
import { pick, rayAt, type Hit } from "./pick";
import type { Solver } from "./solver";
import type { Stage } from "./stage";

/** Messages per second while pulling: as many as there are frames, at most. */
const PAUSE = 1000 / 60;

export class Grab {
  private hit: Hit | null = null;
  /** Where it was grabbed: by which of two methods. */
  private side = 0;
  private pointer = -1;
  private readonly plane = new Plane();
  private readonly target = new Vector3();
  private readonly ball = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({ color: 0xe0457b, depthTest: false, transparent: true, opacity: 0.9 }));
  private readonly line = new Line(new BufferGeometry(), new LineBasicMaterial({ color: 0xe0457b, depthTest: false, transparent: true }));
  private sent = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly stage: Stage, private readonly bodies: (side: number) => Bodies | null, private readonly solver: Solver,
    private readonly allowed: () => boolean,
  ) {
    this.line.geometry.setFromPoints([new Vector3(), new Vector3()]);
    this.line.frustumCulled = this.ball.frustumCulled = false;
    this.ball.renderOrder = this.line.renderOrder = 1;
    this.ball.visible = this.line.visible = false;
    stage.scene.add(this.ball, this.line);
    const canvas = stage.canvas;
    // Before the camera's own listener, which must not turn while something is pulled.
    canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", (e) => this.up(e));
    canvas.addEventListener("lostpointercapture", (e) => this.up(e));
  }

  get holding(): boolean {
    return this.hit !== null;
  }

  private place(event: PointerEvent): [number, number, number, number] {
    const box = this.stage.canvas.getBoundingClientRect();
    const { left, width } = this.stage.half(this.side);
    return [event.clientX - box.left - left, event.clientY - box.top, width, box.height];
  }

  private down(event: PointerEvent): void {
    if (!this.hit) this.side = this.stage.sideAt(event.clientX);
    const bodies = this.bodies(this.side);
    if (this.hit || event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey || !bodies?.frame) return;
    if (!this.allowed()) return;
    const hit = pick(bodies.model, bodies.frame, this.stage.camera, ...this.place(event));
    if (!hit) return;
    this.hit = hit;
    this.pointer = event.pointerId;
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new Vector3()), hit.at);
    this.target.copy(hit.at);
    this.solver.send({ type: "grab", vertices: [...new Set(hit.vertices)], at: hit.at.toArray(), side: this.side });
    this.show();
  }

  private move(event: PointerEvent): void {
    if (!this.hit) {
      if (event.pointerType === "mouse" && event.buttons === 0) this.hover(event);
      return;
    }
    if (event.pointerId !== this.pointer) return;
    const ray = rayAt(this.stage.camera, ...this.place(event));
    if (!ray.intersectPlane(this.plane, this.target)) return;
    this.show();
    clearTimeout(this.timer);
    const wait = this.sent + PAUSE - performance.now();
    if (wait <= 0) this.send();
    else this.timer = setTimeout(() => this.send(), wait);
  }

  private hovered = 0;

  private hover(event: PointerEvent): void {
    this.side = this.stage.sideAt(event.clientX);
    const bodies = this.bodies(this.side);
    if (performance.now() - this.hovered < 100 || !bodies?.frame || !this.allowed()) return;
    this.hovered = performance.now();
    const over = pick(bodies.model, bodies.frame, this.stage.camera, ...this.place(event));
    this.stage.canvas.style.cursor = over ? "grab" : "";
  }

  private send(): void {
    this.sent = performance.now();
    if (this.hit) this.solver.send({ type: "drag", to: this.target.toArray() });
  }

  private up(event: PointerEvent): void {
    if (!this.hit || event.pointerId !== this.pointer) return;
    clearTimeout(this.timer);
    this.hit = null;
    this.pointer = -1;
    this.stage.controls.enabled = true;
    this.stage.canvas.style.cursor = "";
    this.solver.send({ type: "release" });
    this.show();
  }

  /** Draws the pull: a line from the point of the body to where it is to be. */
  show(): void {
    const bodies = this.bodies(this.side);
    this.ball.visible = this.line.visible = this.hit !== null;
    if (this.hit && bodies?.frame) {
      this.stage.canvas.style.cursor = "grabbing";
      const from = new Vector3();
      for (const v of this.hit.vertices) from.add(new Vector3().fromArray(bodies.frame.positions, 3 * v));
      from.divideScalar(this.hit.vertices.length);
      this.line.geometry.setFromPoints([from, this.target]);
      this.ball.position.copy(this.target);
      this.ball.scale.setScalar(0.006 * this.stage.camera.position.distanceTo(this.target));
    }
    this.stage.invalidate();
  }
}
