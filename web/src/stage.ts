// Camera, light, floor. A picture is drawn only when something has changed, so that a paused page costs nothing.
import {
  Box3, Color, DirectionalLight, Fog, HemisphereLight, Mesh, MeshStandardMaterial, NeutralToneMapping, PCFShadowMap,
  Object3D, PerspectiveCamera, PlaneGeometry, Scene, Sphere, SRGBColorSpace, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Model } from "./stream";

/** Pixels per pixel of the page, and size of the shadow map: less of both for machines that draw slowly. */
const QUALITY = [
  { ratio: 2, shadow: 2048 },
  { ratio: 1, shadow: 1024 },
  { ratio: 0.7, shadow: 512 },
];
/** The angle of view of what nothing covers, in degrees, unless the scene has a camera; and width by height of a scene's picture. */
const ANGLE = 38;
const WIDE = 16 / 9;
/** A picture is late if it comes so many ms after it was asked for. */
const LATE = 60;

const THEMES = {
  light: { sky: 0xeef1f5, floor: 0xdfe3e8, ground: 0xc4c8cf, sun: 1.9, fill: 1.7 },
  dark: { sky: 0x1a1e24, floor: 0x2b3038, ground: 0x4a505a, sun: 1.7, fill: 1.5 },
};

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(ANGLE, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer;
  private readonly sun = new DirectionalLight(0xffffff, 2.5);
  private readonly fill = new HemisphereLight(0xffffff, 0x808080, 1);
  private readonly floor = new Mesh(new PlaneGeometry(1, 1), new MeshStandardMaterial({ roughness: 1 }));
  private asked = false;
  /** How late pictures are, in ms, and what is done about it. */
  private late = 0;
  private quality = 0;
  /** Called before each picture. */
  before: () => void = () => {};
  /** Pictures so far. */
  pictures = 0;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(QUALITY[0].shadow);
    this.sun.shadow.radius = 3;
    this.floor.rotation.x = -Math.PI / 2;
    this.floor.receiveShadow = true;
    this.scene.add(this.sun, this.sun.target, this.fill, this.floor);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.invalidate());
    this.theme("light");
  }

  theme(name: "light" | "dark"): void {
    const look = THEMES[name];
    const sky = new Color(look.sky);
    this.scene.background = sky;
    this.scene.fog = new Fog(sky, 1, 10);
    (this.floor.material as MeshStandardMaterial).color.set(look.floor);
    this.fill.groundColor.set(look.ground);
    this.fill.intensity = look.fill;
    this.sun.intensity = look.sun;
    this.haze();
    this.invalidate();
  }

  private size = 1;

  /** The floor fades into the sky some way behind the bodies. */
  private haze(): void {
    if (this.scene.fog instanceof Fog) {
      const away = this.camera.position.distanceTo(this.controls.target);
      this.scene.fog.near = away + 1.5 * this.size;
      this.scene.fog.far = away + 9 * this.size;
    }
  }

  /** Looks at a model as its scene says. */
  show(model: Model): void {
    const box = new Box3(new Vector3(...model.bounds[0]), new Vector3(...model.bounds[1]));
    const ball = box.getBoundingSphere(new Sphere());
    this.size = Math.max(ball.radius, 1e-6);
    const s = this.size;
    this.floor.position.set(ball.center.x, model.floor, ball.center.z);
    this.floor.scale.setScalar(60 * s);
    this.sun.target.position.copy(ball.center);
    this.sun.position.copy(ball.center).add(new Vector3(0.9, 2.4, 1.1).multiplyScalar(1.6 * s));
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -2 * s;
    shadow.right = shadow.top = 2 * s;
    shadow.near = 0.1 * s;
    shadow.far = 12 * s;
    shadow.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.004 * s;
    this.model = { box, view: new Vector3(...model.view), camera: model.camera };
    this.home();
  }

  private model: { box: Box3; view: Vector3; camera: Model["camera"] } | null = null;
  /** What the angle of view is, and of which shape the picture is that has it. */
  private lens = { angle: ANGLE, shape: 1 };

  /** Looks as the scene wants to be seen. */
  home(): void {
    if (!this.model) return;
    const { box, view, camera } = this.model;
    if (!camera) return this.fit(box, view);
    this.controls.target.set(...camera.target);
    this.camera.position.set(...camera.position);
    this.look(camera.fov, WIDE);
  }

  /** Goes along with something that moved. */
  follow(way: Vector3): void {
    this.controls.target.add(way);
    this.camera.position.add(way);
    this.controls.update();
  }

  private look(angle: number, shape: number): void {
    this.lens = { angle, shape };
    const away = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = away / 200;
    this.camera.far = Math.max(50 * away, 20 * this.size);
    this.resize();
    this.controls.update();
  }

  /** Moves the camera so that a box fills the picture, seen from a direction or from where it is. */
  fit(box: Box3, from?: Vector3): void {
    if (box.isEmpty()) return;
    const ball = box.getBoundingSphere(new Sphere());
    const direction = from ?? this.camera.position.clone().sub(this.controls.target);
    // The whole ball is within the angle.
    const away = (1.01 * Math.max(ball.radius, 1e-6)) / Math.sin((ANGLE * Math.PI) / 360);
    this.controls.target.copy(ball.center);
    this.camera.position.copy(ball.center).add(direction.normalize().multiplyScalar(away));
    this.look(ANGLE, 1);
  }

  private groups: Object3D[] = [];

  /** Shows two things beside each other, from the same place; or one. */
  split(groups: Object3D[]): void {
    if (groups.length !== this.groups.length) this.controls.zoomToCursor = groups.length < 2;
    this.groups = groups;
    this.renderer.setScissorTest(groups.length > 1);
    this.resize();
  }

  /** Which of two things is at a place of the page, in pixels from its left edge. */
  sideAt(x: number): number {
    return this.groups.length > 1 && x - this.canvas.getBoundingClientRect().left >= this.half(1).left ? 1 : 0;
  }

  /** The part of the canvas that shows one of them, in pixels. */
  half(side: number): { left: number; width: number } {
    const { clientWidth: width } = this.canvas;
    if (this.groups.length < 2) return { left: 0, width };
    const half = Math.floor((width - this.covered.right) / 2);
    return { left: side * half, width: half };
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, QUALITY[this.quality].ratio));
    this.renderer.setSize(width, height, false);
    // The middle of the picture is the middle of what nothing covers, and the angle is that of the largest picture there.
    const { top, bottom } = this.covered, { width: wide } = this.half(0);
    const right = this.groups.length > 1 ? 0 : this.covered.right;
    const free = Math.max(Math.min(height - top - bottom, (wide - right) / this.lens.shape), 0.1 * height);
    this.camera.fov = (360 / Math.PI) * Math.atan(Math.tan((this.lens.angle * Math.PI) / 360) * (height / free));
    this.camera.aspect = wide / height;
    this.camera.setViewOffset(wide, height, right / 2, (bottom - top) / 2, wide, height);
    this.invalidate();
  }

  private covered = { top: 0, right: 0, bottom: 0 };

  /** What panels cover of the canvas, in pixels. */
  cover(top: number, right: number, bottom: number): void {
    this.covered = { top, right, bottom };
    this.resize();
  }

  /** Asks for a picture, soon. */
  invalidate(): void {
    if (this.asked) return;
    this.asked = true;
    const begun = performance.now();
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
      this.ease(performance.now() - begun);
    });
  }

  /** Draws less finely where pictures are late again and again; a page in the background is not late. */
  private ease(waited: number): void {
    this.late += 0.1 * (Math.min(document.hidden ? 0 : waited, 1000) - this.late);
    if (this.late < LATE || this.quality === QUALITY.length - 1) return;
    this.late = 0;
    this.quality += 1;
    const shadow = this.sun.shadow;
    shadow.mapSize.setScalar(QUALITY[this.quality].shadow);
    shadow.map?.dispose();
    shadow.map = null;
    this.resize();
  }

  draw(): void {
    this.haze();
    this.before();
    if (this.groups.length < 2) {
      this.renderer.setViewport(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
      this.renderer.render(this.scene, this.camera);
    } else {
      this.groups.forEach((shown, side) => {
        this.groups.forEach((g) => (g.visible = g === shown));
        const { left, width } = this.half(side);
        this.renderer.setViewport(left, 0, width, this.canvas.clientHeight);
        this.renderer.setScissor(left, 0, side === 1 ? this.canvas.clientWidth - left : width, this.canvas.clientHeight);
        this.renderer.render(this.scene, this.camera);
      });
      this.groups.forEach((g) => (g.visible = true));
    }
    this.pictures += 1;
  }

  /** The picture as a PNG. */
  picture(): Promise<Blob> {
    this.draw();
    return new Promise((done, failed) =>
      this.canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the browser gave no picture"))), "image/png"));
  }
}
