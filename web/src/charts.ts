// The time line: ms per frame, iterations and residual of the last frames, or of a whole recorded run; in another colour those of the method beside.
import { short } from "./words";
import type { Frame } from "./stream";

const KEPT = 240;
/** Least time between two drawings, in ms. */
const PAUSE = 120;

interface Chart {
  canvas: HTMLCanvasElement;
  output: HTMLElement;
  value: (frame: Frame) => number;
  log: boolean;
  /** A second curve, dashed. */
  other?: (frame: Frame) => number;
}

export class Charts {
  private frames: Frame[] = [];
  /** The same frames by the method beside. */
  private beside = new Map<number, Frame>();
  private readonly charts: Chart[];
  /** A recorded run shows all of its frames, and a mark at the present one. */
  private fixed = false;
  private mark = -1;

  constructor(find: (id: string) => HTMLElement) {
    const chart = (id: string, output: string, value: Chart["value"], log: boolean, other?: Chart["value"]): Chart =>
      ({ canvas: find(id) as HTMLCanvasElement, output: find(output), value, log, other });
    this.charts = [
      chart("chart-ms", "ms", (f) => f.ms, false),
      chart("chart-iterations", "its", (f) => f.iterations, false),
      chart("chart-residual", "res", (f) => f.residual, true),
      chart("chart-energy", "joule", (f) => f.elastic, false, (f) => f.kinetic),
    ];
    new ResizeObserver(() => this.draw()).observe(this.charts[0].canvas);
  }

  clear(): void {
    this.frames = [];
    this.beside.clear();
    this.mark = -1;
    this.draw();
  }

  /** All frames of a recorded run. */
  all(frames: Frame[]): void {
    this.frames = frames.filter((f) => f.status !== 0);
    this.fixed = true;
    this.draw();
  }

  add(frame: Frame): void {
    // Without its positions: only numbers are kept.
    const numbers = () => ({ ...frame, positions: new Float32Array(), fields: {} });
    if (this.fixed) {
      this.mark = this.frames.indexOf(frame);
    } else if (frame.status !== 0 && frame.iteration === 0) {
      if (frame.side === 1) this.beside.set(frame.frame, numbers());
      else if (frame.newest > frame.frame) this.mark = this.frames.findIndex((f) => f.frame >= frame.frame);
      else {
        // What was after it, before it was gone back to, is no more.
        while (this.frames.length > 0 && this.frames.at(-1)!.frame >= frame.frame) this.frames.pop();
        this.mark = -1;
        this.frames.push(numbers());
        if (this.frames.length > KEPT) this.beside.delete(this.frames.shift()!.frame);
      }
    } else if (frame.status === 0 && frame.newest > 0) {
      this.mark = 0;
    }
    if (frame.side === 1) return this.draw();
    this.shown = frame;
    this.draw();
  }

  private shown: Frame | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Draws soon, and not more often than anyone can read. */
  draw(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const frame = this.shown, known = frame && frame.status !== 0 && frame.iteration === 0;
      for (const chart of this.charts) {
        chart.output.textContent = known ? short(chart.value(frame)) : "";
        this.plot(chart);
      }
    }, PAUSE);
  }

  private plot({ canvas, value, log, other }: Chart): void {
    const scale = Math.min(window.devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(Math.round);
    const pen = canvas.getContext("2d");
    if (!pen || width === 0) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    pen.clearRect(0, 0, width, height);
    const style = getComputedStyle(canvas);
    const scaled = (v: number) => (log ? Math.log10(Math.max(v, 1e-16)) : v);
    const rival = (f: Frame) => { const b = this.beside.get(f.frame); return b ? value(b) : NaN; };
    const lines = [{ curve: value, dash: 0, colour: "" }, { curve: other, dash: 2, colour: "" }, { curve: this.beside.size > 0 ? rival : undefined, dash: 0, colour: "--accent" }];
    const drawn = lines.flatMap(({ curve, ...look }) => (curve ? [{ at: (f: Frame) => scaled(curve(f)), ...look }] : []));
    const curves = drawn.map((d) => d.at);
    const values = this.frames.flatMap((f) => curves.map((at) => at(f))).filter(Number.isFinite);
    if (values.length === 0) return;
    const high = Math.max(...values), low = log ? Math.min(...values) : 0;
    const count = this.fixed ? Math.max(this.frames.length, 2) : KEPT;
    const x = (i: number) => ((i + count - Math.max(this.frames.length, this.fixed ? count : 0)) / (count - 1)) * (width - 2) + 1;
    const y = (v: number) => height - 2 - ((v - low) / (high - low || 1)) * (height - 5);
    // Frames that did not converge are marked below the curve.
    pen.fillStyle = style.getPropertyValue("--bad");
    this.frames.forEach((f, i) => f.status > 1 && pen.fillRect(x(i) - 1, height - 2 * scale, Math.max(2, width / count), 2 * scale));
    pen.lineWidth = 1.25 * scale;
    drawn.forEach(({ at, dash, colour }) => {
      pen.strokeStyle = colour ? style.getPropertyValue(colour) : style.color;
      pen.setLineDash(dash ? [dash * scale, dash * scale] : []);
      pen.beginPath();
      this.frames.forEach((f, i) => Number.isFinite(at(f)) && pen.lineTo(x(i), y(at(f))));
      pen.stroke();
    });
    if (this.mark >= 0) {
      pen.fillStyle = style.getPropertyValue("--accent");
      pen.fillRect(x(this.mark) - scale / 2, 0, 1.5 * scale, height);
    }
  }
}
